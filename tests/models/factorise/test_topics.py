"""Topic models: the bound is scikit-learn's, topics are found again, batches, new rows, words as a table."""

import numpy as np
import pytest
import sklearn.decomposition as sk

import suffice as sf
from suffice.data import as_source
from suffice.errors import InvalidData, InvalidParameter
from suffice.models.factorise.document_sample import different
from suffice.models.factorise.documents import Passes

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
RNG = np.random.default_rng(11)
TOPICS = RNG.dirichlet(np.full(30, 0.1), 4)
WORDS = RNG.poisson(60 * RNG.dirichlet(np.full(4, 0.2), 200) @ TOPICS).astype(float)
OPTIONS = {"n_components": 4, "random_state": 1}


@pytest.fixture(scope="module")
def lda():
    return sf.LatentDirichletAllocation(**OPTIONS, max_iter=200).fit(WORDS)


def matched(topics):
    likeness = (topics / np.linalg.norm(topics, axis=1, keepdims=True)) @ (
        TOPICS / np.linalg.norm(TOPICS, axis=1, keepdims=True)
    ).T
    return likeness.max(axis=0)


def test_topics_are_found_again(lda):
    assert matched(lda.components_).min() > 0.95
    assert matched(sf.PLSA(**OPTIONS).fit(WORDS).components_).min() > 0.9
    assert (np.diff(lda.history_.objective) >= -1e-12).all()
    np.testing.assert_allclose(lda.transform(WORDS).sum(axis=1), 1)


def test_the_bound_is_scikit_learns(lda):
    theirs = sk.LatentDirichletAllocation(4, max_iter=60, mean_change_tol=1e-6, max_doc_update_iter=500, random_state=1)
    theirs.fit(WORDS)
    assert lda.score(WORDS) >= theirs.score(WORDS) * (1 + 2e-3)
    ours = sf.LatentDirichletAllocation(**OPTIONS, mean_change_tol=1e-9, max_doc_update_iter=1000).fit(WORDS)
    ours.components_, ours.exp_dirichlet_component_ = theirs.components_, theirs.exp_dirichlet_component_
    np.testing.assert_allclose(ours.score(WORDS), theirs.score(WORDS), rtol=1e-6)
    np.testing.assert_allclose(ours.transform(WORDS), theirs.transform(WORDS), atol=1e-3)


@pytest.mark.parametrize(("words", "k"), [(5, 5), (5, 20)])
def test_the_optimum_is_no_poorer_than_scikit_learns(words, k):
    """Few words and more topics than there are: optima differ by several per cent from start to start."""
    rng = np.random.default_rng(words)
    X = rng.poisson(words * rng.dirichlet(np.full(8, 0.1), 100) @ rng.dirichlet(np.full(40, 0.3), 8)).astype(float)
    ours, theirs = [], []
    for seed in range(2):
        ours.append(sf.LatentDirichletAllocation(k, random_state=seed).fit(X).score(X))
        theirs.append(sk.LatentDirichletAllocation(k, max_iter=20, random_state=seed).fit(X).score(X))
    assert np.mean(ours) > np.mean(theirs)
    assert min(ours) > 1.01 * max(theirs)


class Cut:
    """Rows as pieces."""

    def __init__(self, X, weight=None, size=1000):
        self.cut = [(X[i : i + size], None if weight is None else weight[i : i + size]) for i in range(0, len(X), size)]

    def pieces(self):
        for rows, weight in self.cut:
            yield from Passes(as_source(rows, sample_weight=weight), "LDA").pieces()


def test_different_documents_count_as_often_as_they_come():
    rng = np.random.default_rng(4)
    few = rng.poisson(1.0, (30, 6)).astype(float)
    few[3] = 0
    weight = rng.integers(0, 4, 30).astype(float)
    rows = rng.permutation(np.repeat(few, weight.astype(int), axis=0))
    for size in (100, 7):
        one, other = different(Cut(few, weight), size, seed=1), different(Cut(rows), size, seed=1)
        third = different(Cut(rows, size=9), size, seed=1)
        for found in (other, third):
            np.testing.assert_array_equal(found.cells.matrix().toarray(), one.cells.matrix().toarray())
            np.testing.assert_array_equal(found.counts, one.counts)
        assert len(one) == min(size, len(np.unique(few[(weight > 0) & (few.sum(axis=1) > 0)], axis=0)))


def test_batches_come_near(lda):
    online = sf.LatentDirichletAllocation(
        **OPTIONS, learning_method="online", batch_size=20, max_iter=20, learning_offset=2.0
    ).fit(WORDS)
    assert online.perplexity(WORDS) < 1.15 * lda.perplexity(WORDS)
    parts = sf.LatentDirichletAllocation(**OPTIONS, total_samples=200, batch_size=50, learning_offset=2.0)
    for _ in range(15):
        for first in range(0, 200, 50):
            parts.partial_fit(WORDS[first : first + 50])
    assert parts.n_batch_iter_ == 60
    assert parts.perplexity(WORDS) < 1.15 * lda.perplexity(WORDS)


def test_held_out_words(lda):
    assert lda.perplexity(WORDS, held_out=0) < lda.perplexity(WORDS) < 30
    few = sf.LatentDirichletAllocation(1, random_state=0).fit(WORDS)
    assert few.perplexity(WORDS) > 1.3 * lda.perplexity(WORDS)
    order = RNG.permutation(len(WORDS))
    np.testing.assert_allclose(lda.perplexity(WORDS[order]), lda.perplexity(WORDS), rtol=1e-9)
    weight = RNG.integers(0, 3, len(WORDS))
    again = np.repeat(WORDS, weight, axis=0)
    np.testing.assert_allclose(lda.perplexity(WORDS, weight), lda.perplexity(again), rtol=1e-9)


def test_words_as_a_table(lda):
    names = [f"w{j}" for j in range(30)]
    found = lda.topic_words(3, names)
    table = found.table()
    assert table["word"].shape == (12,)
    best = np.argsort(-lda.components_, axis=1)[:, 0]
    assert [names[j] for j in best] == found.words[:, 0].tolist()
    assert str(found).startswith("topic  share")
    assert "<table>" in found._repr_html_()
    np.testing.assert_allclose(found.share.sum(), 1)


def test_refusals(lda):
    with pytest.raises(InvalidData, match="LatentDirichletAllocation: names must be one a column"):
        lda.topic_words(3, ["a"])
    with pytest.raises(InvalidParameter, match="doc_topic_prior"):
        sf.LatentDirichletAllocation(2, doc_topic_prior=[1.0, -1.0]).fit(WORDS)
    with pytest.raises(InvalidData, match="row 0, column 0 holds -1"):
        lda.transform(-np.ones((1, 30)))
    with pytest.raises(InvalidData, match="no words to judge"):
        lda.perplexity(np.zeros((1, 30)))
    given = sf.LatentDirichletAllocation(2, doc_topic_prior=[1.0, 2.0], random_state=0).fit(WORDS)
    np.testing.assert_array_equal(given.doc_topic_prior_, [1.0, 2.0])
