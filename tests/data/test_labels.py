"""Labels as codes."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.data.labels import encode
from suffice.errors import InvalidData


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


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan])
def test_a_missing_label_in_a_list_is_no_class_named_nan(missing):
    with pytest.raises(InvalidData, match="y, row 1 has no label"):
        sf.GaussianNB().fit(np.eye(3), ["a", missing, "b"])


def test_whole_numbers_among_objects_are_scored():
    y = np.array([0, 1, 0, 1], dtype=object)
    X = np.array([[0.0], [5.0], [1.0], [6.0]])
    assert sf.GaussianNB().fit(X, y).score(X, y) == 1
