"""Taking rows away again: what is left when none are."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidData
from ..estimator import Estimator
from .results import fresh, results


def removing_all_rows_is_refused(cls: type[Estimator]) -> None:
    """A model of no rows is refused in one sentence, and the model stays as it was."""
    X, y = cls.example(np.random.default_rng(5), 40)
    model = fresh(cls).fit(X, y)
    before = results(model, X)
    try:
        model.remove(X, y)
    except InvalidData as error:
        assert cls.__name__ in str(error), f"does not name {cls.__name__}: {error}"
        assert "rows" in str(error), f"does not say what is missing: {error}"
    else:
        raise AssertionError(f"{cls.__name__} has no rows left and says nothing")
    for name, values in results(model, X).items():
        np.testing.assert_array_equal(values, before[name], err_msg=name)
