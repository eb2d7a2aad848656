"""The space of a search as options say it: NAME=VALUES, with the names of the model's own parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ._models import readings
from ._tables import names_in

if TYPE_CHECKING:
    from ..typing import EstimatorLike

_LOGARITHMIC = 100  # a range from above 0 whose end is so many times its beginning is searched on a logarithmic scale


def _inside(name: str, model: EstimatorLike, whole: Any) -> str:
    """The name of a parameter of the model, or of one of its steps, in the pipeline around it."""
    from ..errors import InvalidParameter, did_you_mean

    sign = "-" if name.startswith("-") else ""
    bare = name.removeprefix("-")
    known = model.get_params()
    if bare not in known and not ("__" in bare and bare in whole.get_params()):
        raise InvalidParameter(
            f"suffice search: {type(model).__name__} has no parameter {bare!r}.{did_you_mean(bare, list(known))} "
            f"Its parameters: {', '.join(known)}."
        )
    around = f"{whole.steps[-1][0]}__" if len(whole) > 1 and bare in known else ""
    return f"{sign}{around}{bare}"


def simpler(text: str, model: EstimatorLike, whole: object) -> list[str]:
    """The parameters of which larger values, or with - smaller ones, are simpler."""
    return [_inside(name, model, whole) for name in names_in(text) or ()]


def space_of(tried: tuple[str, ...], model: EstimatorLike, whole: Any) -> Any:
    """What is tried, by the names of the pipeline; names alone get the range of their declaration."""
    from ..selection.searching.space import Space

    found: dict[str, object] = {}
    for text in tried:
        name, equals, values = text.partition("=")
        inside = _inside(name.strip(), model, whole)
        if inside in found:
            raise click.UsageError(f"--try {name.strip()} is given twice; put all its values into one.")
        if equals:
            found[inside] = _values(values, text)
        else:
            holder = whole if len(whole) > 1 else model
            found[inside] = Space.of([inside], holder, "suffice search").parts[0][inside]
    return {name: list(own.listed) if hasattr(own, "listed") else own for name, own in found.items()}


def _values(text: str, whole: str) -> object:
    """A range, or a list of numbers and words.

    >>> _values("1,5,15", ""), _values("sigmoid,none", ""), _values("0.01..100", "")
    ([1, 5, 15], ['sigmoid', None], Between(low=0.01, high=100, log=True))
    """
    from ..selection import Between

    low, dots, high = text.partition("..")
    if dots:
        ends = [next(iter(readings(end.strip())), None) for end in (low, high)]
        if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
            raise click.UsageError(f"--try {whole}: a range goes from one number to another, such as 0.01..100.")
        first, last = ends
        return Between(first, last, log=first > 0 and last >= _LOGARITHMIC * first)  # type: ignore[operator,arg-type]
    names = names_in(text) or ()
    if not names:
        raise click.UsageError(f"--try {whole}: give values with commas between, or a range such as 0.01..100.")
    return [next(iter(readings(name))) for name in names]


def strategy_of(name: str | None, candidates: int | None, space: dict[str, object]) -> object:
    """The strategy with its number of candidates."""
    from ..selection import GridSearch
    from ..selection.searching.strategies import STRATEGIES

    if candidates is None:
        return name
    listed = all(isinstance(own, list) for own in space.values())
    name = name or ("grid" if listed else "random")
    return GridSearch(candidates) if name == "grid" else STRATEGIES.make(name, n=candidates)
