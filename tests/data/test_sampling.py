"""Samples of sources: the rows with the smallest keys, whatever is left out early."""

import numpy as np
import pytest

from suffice.data import as_source, sampling
from suffice.data.sampling import KeptRows, draw_keys

pytestmark = pytest.mark.native


def _smallest(X, size, seed=0):
    return X[np.sort(np.argsort(draw_keys(X, None, seed), kind="stable")[:size])]


@pytest.mark.parametrize("n", [60, 400, 5000])
def test_a_sample_is_that_of_the_smallest_keys(n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    np.testing.assert_array_equal(as_source(X).sample(50).X, _smallest(X, 50))


def test_a_small_part_of_many_rows_keeps_few_of_them(monkeypatch):
    X, kept = np.random.default_rng(1).normal(size=(20_000, 2)), []
    own = KeptRows._of_block
    monkeypatch.setattr(KeptRows, "_of_block", lambda *given: kept.append(own(*given)) or kept[-1])
    monkeypatch.setattr(sampling, "_BLOCK_CELLS", 400)
    np.testing.assert_array_equal(as_source(X).sample(100).X, _smallest(X, 100))
    assert len(kept) == 100
    assert max(len(part.chunk) for part in kept) < 20


def test_equal_rows_have_the_same_key_and_fill_a_sample_all_the_same():
    for seed in range(12):  # the key of the many may be above or below what is left out early
        X = np.repeat(np.array([[float(seed)], [seed + 0.5]]), [4990, 10], axis=0)
        found = as_source(X).sample(40, seed)
        assert len(found) == 40
        np.testing.assert_array_equal(found.X, _smallest(X, 40, seed))
