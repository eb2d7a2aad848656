"""`suffice models`: what can be fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ._json import echo_json

if TYPE_CHECKING:
    from ..estimator import Estimator


@click.command("models")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List every model, or the parameters of one.

    NAME is a model such as KMeans.
    """
    from ..models.registry import estimator_named, estimators

    if name is not None:
        _show(estimator_named(name), as_json)
        return
    rows = [_row(cls) for cls in estimators().values()]
    if as_json:
        echo_json(rows)
    else:
        click.echo(_listed(rows))


def _row(cls: type[Estimator]) -> dict[str, object]:
    from ..models.registry import kinds_of

    return {"model": cls.__name__, "chapter": _chapter(cls), "kinds": kinds_of(cls), "summary": _summary(cls)}


def _chapter(cls: type[Estimator]) -> str:
    from ..models import CHAPTERS
    from ..models.registry import family_of

    family = family_of(cls)
    return CHAPTERS.get(family, family)


def _summary(cls: type[object]) -> str:
    return " ".join((cls.__doc__ or "").strip().split("\n\n")[0].split()).split(":")[0]


def _listed(rows: list[dict[str, Any]]) -> str:
    width = max(len(row["model"]) for row in rows)
    lines = []
    for chapter in sorted({row["chapter"] for row in rows}):
        lines += ["", chapter]
        lines += [f"  {r['model']:<{width}}  {r['summary']}" for r in rows if r["chapter"] == chapter]
    return "\n".join(lines[1:])


def _show(cls: type[Estimator], as_json: bool) -> None:
    from .. import params

    rules = params.declared(cls)
    defaults = {name: cls.__dataclass_fields__[name].default for name in rules}
    if as_json:
        rows = [
            {"name": name, "allowed": str(rule), "default": repr(defaults[name]), "doc": rule.doc}
            for name, rule in rules.items()
        ]
        echo_json({**_row(cls), "parameters": rows})
        return
    click.echo(
        f"{cls.__name__} ({_chapter(cls)}): {' '.join((cls.__doc__ or '').strip().split(chr(10) * 2)[0].split())}\n"
    )
    for name, rule in rules.items():
        click.echo(f"  {name} = {defaults[name]!r}\n      {rule.doc} ({rule})")
