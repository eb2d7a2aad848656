"""Categories with an order, in models that look at no order: it changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ..estimator import Estimator
from .results import assert_same, fresh, results

_LEVELS = ("small", "medium", "large", "huge")  # not the order of the alphabet


def ordered_level_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """For models that take categories; the distances that rank levels are asked for by name."""
    if fresh(cls)._needs().categories:
        yield "order_of_levels_changes_nothing", partial(order_of_levels_changes_nothing, cls)


def order_of_levels_changes_nothing(cls: type[Estimator]) -> None:
    """Text, and the same text as ordered categories, are told apart alike, in the fit and in new rows."""
    import pandas as pd

    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 80)
    codes = np.column_stack([2 * kind + rng.integers(0, 2, 80), rng.integers(0, 4, 80)])  # every level occurs
    text = pd.DataFrame(np.array(_LEVELS)[codes], columns=["size", "cut"])
    ordered = text.apply(lambda column: pd.Series(pd.Categorical(column, _LEVELS, ordered=True)))
    y = kind + 0.5 if cls.needs.target == "numbers" else np.where(kind == 1, "b", "a")
    plain, ranked = (fresh(cls).fit(rows, y) for rows in (text, ordered))
    wanted = results(plain, text)
    for model, rows in ((plain, ordered), (ranked, text), (ranked, ordered)):
        assert_same(results(model, rows), wanted, rtol=1e-9)
