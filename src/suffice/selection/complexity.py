"""The parameter of a model that says how flexible it is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import InvalidParameter, did_you_mean
from ..typing import EstimatorLike


@dataclass(frozen=True)
class Knob:
    """A parameter by its name in the whole model, and whether larger values make the model simpler."""

    name: str
    falling: bool = False

    @property
    def simpler(self) -> str:
        """As `search` is told which models are simple."""
        return self.name if self.falling else f"-{self.name}"


def knob_of(model: EstimatorLike) -> Knob | None:
    """The knob that the class of a model declares; in a pipeline or around other models that of the last that has one.

    Models of scikit-learn have that of our class of the same name.

    >>> import suffice as sf
    >>> knob_of(sf.make_pipeline(sf.PolynomialFeatures(3), sf.LinearRegression()))
    Knob(name='polynomialfeatures__degree', falling=False)
    >>> knob_of(sf.Ridge())
    Knob(name='alpha', falling=True)
    """
    own = _declared(model)
    if own is not None:
        return own
    inside = [(name, value) for name, value in model.get_params(deep=False).items() if _is_model(value)]
    steps = getattr(model, "steps", None)
    if isinstance(steps, list | tuple):
        inside = [(name, step) for name, step in steps if _is_model(step)]
    for name, part in reversed(inside):
        found = knob_of(part)
        if found is not None:
            return replace(found, name=f"{name}__{found.name}")
    return None


def _is_model(value: object) -> bool:
    return hasattr(value, "get_params") and hasattr(value, "fit") and not isinstance(value, type)


def _declared(model: EstimatorLike) -> Knob | None:
    import suffice

    kind = type(model)
    known = getattr(kind, "complexity", None)
    if known is None and kind.__module__.partition(".")[0] == "sklearn":
        known = getattr(getattr(suffice, kind.__name__, None), "complexity", None)
    if not isinstance(known, str) or known.removeprefix("-") not in model.get_params(deep=False):
        return None
    return Knob(known.removeprefix("-"), known.startswith("-"))


def chosen_knob(name: str | None, model: EstimatorLike, owner: str) -> Knob:
    """The parameter that is asked for, or else that of the model's complexity."""
    own = knob_of(model)
    if name is None:
        if own is None:
            raise InvalidParameter(
                f"{owner}: {type(model).__name__} does not say which parameter makes it more flexible; name one, such "
                "as name='max_depth'."
            )
        return own
    known = list(model.get_params())
    if name not in known:
        hint = did_you_mean(str(name), known)
        raise InvalidParameter(f"{owner}: name must be a parameter of {type(model).__name__}; got {name!r}.{hint}")
    return own if own is not None and own.name == name else Knob(name)
