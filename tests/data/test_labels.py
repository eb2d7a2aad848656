"""Labels as codes."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.data.labels import encode


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["yes", "no", "maybe"]),
        np.array([b"b", b"a"]),
        np.array([0.5, -0.0, 2.0]),
        np.array([1.0, np.nan]),
        np.array([str(j) for j in range(20)]),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_many_rows_of_few_labels_are_coded_as_sorting_would(labels, late):
    y = np.random.default_rng(0).choice(labels, 9000)
    if late:  # a label that the first rows do not have
        y[:5000], y[5000:] = labels[0], labels[-1]
    classes, codes = encode(y)
    wanted, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, wanted)
    np.testing.assert_array_equal(codes, places)
    assert classes.dtype == wanted.dtype
    assert codes.dtype == np.int64
