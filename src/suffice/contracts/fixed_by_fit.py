"""What a fitted model says follows from its fit: parameters that are changed afterwards count for the next one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import params
from ..errors import SufficeError
from ..estimator import Estimator
from .results import assert_same, fresh, results

ROWS = 30


def fitted_state_decides(cls: type[Estimator]) -> None:
    """Each parameter is set to another value that it may have; results are the same.

    Of those that `read_late` names, every word gives a result, or an error that says why it cannot.
    """
    X, y = cls.example(np.random.default_rng(22), ROWS)
    model = fresh(cls).fit(X, y)
    known, before = results(model, X), model.get_params(deep=False)
    for name, rule in params.declared(cls).items():
        late = name in cls.read_late
        for value in _others(rule, before[name], most=len(rule.words) if late else 2):
            model.set_params(**{name: value})
            try:
                found = results(model, X)
            except SufficeError as error:
                if late:
                    continue
                raise AssertionError(f"{cls.__name__}: with {name}={value!r} after a fit: {error}") from None
            finally:
                model.set_params(**{name: before[name]})
            if not late:
                assert_same(found, known, 1e-12)


def _others(rule: params.Rule, own: object, most: int) -> Iterator[object]:
    """So many words and a number, other than the present value."""
    words = [*(rule.choices or ()), *(rule.names or ())]
    numbers = [own + 1, own * 0.75] if isinstance(own, int | float) and not isinstance(own, bool) else []
    for several, count in ((words, most), (numbers, 1)):
        other = [value for value in several if type(value) is not type(own) or value != own]
        yield from [value for value in other if rule.allows(value)][:count]
