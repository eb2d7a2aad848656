"""An estimator that has the name of one of scikit-learn's takes the same arguments, or says why not."""

from __future__ import annotations

import inspect

from .. import params
from ..errors import UnknownParameter
from ..estimator import Estimator


def takes_the_arguments_of_its_counterpart(cls: type[Estimator]) -> None:
    """Every parameter of scikit-learn's class is declared, taken without effect, or refused with the reason."""
    counterpart, declared = cls.counterpart, params.declared(cls)
    assert counterpart is not None
    theirs = {name: p.default for name, p in counterpart.parameters(cls.__name__).items()}
    known = {*declared, *counterpart.ignored, *counterpart.absent}
    assert theirs.keys() <= known, f"{cls.__name__}: nothing is said of {sorted(theirs.keys() - known)}"
    twice = declared.keys() & {*counterpart.ignored, *counterpart.absent}
    assert not twice, f"{cls.__name__}: {sorted(twice)} are parameters, and are said to have no effect or to be absent"
    for name, default in theirs.items():
        if default is inspect.Parameter.empty:  # it must be given
            assert name in declared, f"{cls.__name__}: scikit-learn's class needs {name}"
        elif name in declared:
            assert declared[name].allows(default), f"{cls.__name__}: {name}={default!r} is scikit-learn's default"
        else:
            assert type(cls(**{name: default})) is cls
    for name in counterpart.ignored:
        cls(**{name: object()}).set_params(**{name: object()})
    for name, reason in counterpart.absent.items():
        _check_refused(cls, name, reason)


def _check_refused(cls: type[Estimator], name: str, reason: str) -> None:
    for take in (cls, cls().set_params):
        try:
            take(**{name: object()})
        except UnknownParameter as error:
            assert f"{cls.__name__}: {name} " in str(error), str(error)
            assert reason in str(error), str(error)
            continue
        raise AssertionError(f"{cls.__name__} took {name}, which it has not")
