"""What is done around the numbers of a small fit, in calls of Python functions: they are most of its time"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest

import suffice as sf

pytestmark = pytest.mark.native


def _calls(work: Callable[[], object]) -> int:
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    ("model", "most"),
    [
        (sf.LinearSVC(), 580),
        (sf.Lasso(alpha=0.1), 285),
        (sf.SGDRegressor(random_state=0, max_iter=8, tol=None), 290),
    ],
)
def test_a_small_fit_is_made_of_few_calls(model: sf.LinearSVC, most: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 4)), np.repeat([0.0, 1.0, 2.0], 50)
    model.fit(X + y[:, None], y)  # what is looked up once
    assert _calls(lambda: model.fit(X + y[:, None], y)) <= most
