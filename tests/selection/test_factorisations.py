"""How many factors, parts and topics: hidden cells, words set aside, cells given the others."""

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidParameter

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
RNG = np.random.default_rng(2)
W, H = RNG.gamma(0.5, 1, (80, 2)), RNG.gamma(0.5, 1, (2, 10))
PARTS = W @ H + 0.05 * RNG.random((80, 10))


def chosen(model, X, **more):
    return sf.select_components(model, X, range(1, 5), folds=3, random_state=0, **more)


def test_hidden_cells_find_the_number():
    gaps = np.where(RNG.random(PARTS.shape) < 0.1, np.nan, PARTS)
    factors = sf.MatrixFactorization(l2=0.001, biases=False)
    assert chosen(factors, gaps).best == {"hidden": 2}
    i, j = np.nonzero(~np.isnan(gaps))
    stored = sparse.csr_array((gaps[i, j], (i, j)), shape=gaps.shape)
    found = chosen(factors, stored)
    assert found.best == {"hidden": 2}
    np.testing.assert_allclose(found.scores["hidden"].values, chosen(factors, gaps).scores["hidden"].values, rtol=1e-6)
    assert chosen(sf.NMF(), gaps).best == {"hidden": 2}
    counts = RNG.poisson(20 * W @ H).astype(float)
    assert chosen(sf.NMF(beta_loss="kullback-leibler", max_iter=50), sparse.csr_array(counts)).best == {"hidden": 2}


def test_cells_given_the_others_and_words_set_aside():
    table = RNG.normal(size=(80, 2)) @ RNG.normal(size=(2, 10)) + 0.1 * RNG.normal(size=(80, 10))
    assert chosen(sf.TruncatedSVD(), table).best == {"cells": 2}
    topics = RNG.dirichlet(np.full(30, 0.1), 2)
    words = RNG.poisson(40 * RNG.dirichlet([0.3, 0.3], 100) @ topics)
    for model in (sf.PLSA(max_iter=50), sf.LatentDirichletAllocation(max_iter=20)):
        assert chosen(model, sparse.csr_array(words)).best == {"perplexity": 2}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_word_or_cell_thought_impossible_does_not_decide(seed):
    """A word that no topic of a row has, or a count where a part has none, would cost hundreds by itself."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(60, 0.1), 3)
    words = rng.poisson(40 * rng.dirichlet(np.full(3, 0.2), 100) @ topics)
    words[0, :] = 0
    words = np.column_stack([words, np.eye(100)[:, 5]])  # a word of one row
    found = chosen(sf.PLSA(max_iter=30), sparse.csr_array(words))
    assert found.best == {"perplexity": 3}
    assert found.scores["perplexity"].values.max() < 61  # no worse than all words alike
    counts = rng.poisson(60 * rng.gamma(0.3, 1, (80, 3)) @ rng.dirichlet(np.full(20, 0.2), 3))
    assert chosen(sf.NMF(beta_loss="kullback-leibler", max_iter=30), counts).best == {"hidden": 3}


def test_counts_by_rank():
    groups = RNG.integers(0, 3, 90)
    counts = RNG.poisson(np.where(groups[:, None] == np.arange(12) % 3, 1.0, 0.05)).astype(float)
    found = chosen(sf.MatrixFactorization(implicit=True, alpha=5.0, l2=0.05, max_iter=20), counts)
    values = found.scores["hidden"].values
    assert found.best["hidden"] in (2, 3)
    assert values.min() < 0.7 * values[0]


def test_refused():
    with pytest.raises(InvalidParameter, match="criteria must be among hidden; got 'bic'"):
        chosen(sf.NMF(), PARTS, criteria=("bic",))
