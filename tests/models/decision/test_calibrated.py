"""Calibration: against scikit-learn's on the same folds, and probabilities that come true by simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.models.decision.held_out import folds_by_content
from suffice.resampling.beta_calibration import Beta


def doubled(n, seed):
    """Two classes and a column that stands in the table three times: naive Bayes counts it thrice."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    x = rng.normal(size=n) + y
    return np.column_stack([x, x, x]), y


def off(model, X, y):
    """The mean gap of what is said and what comes true, in ten bins of equal weight."""
    chance = model.predict_proba(X)[:, 1]
    parts = np.array_split(np.argsort(chance), 10)
    return np.mean([abs(chance[part].mean() - y[part].mean()) for part in parts])


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "beta"])
def test_probabilities_come_true(method):
    X, y = doubled(3000, 0)
    new, truth = doubled(6000, 1)
    model = sf.Calibrated(sf.GaussianNB(), method).fit(X, y)
    assert off(sf.GaussianNB().fit(X, y), new, truth) > 0.1
    assert off(model, new, truth) < 0.05  # that of the true probabilities is 0.013, and 3,000 rows say g to 0.03
    assert model.history_.objective[-1] < 0.7 * len(y)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_the_same_as_scikit_learns_on_the_same_folds(method):
    X, y = load_iris(return_X_y=True)
    X = np.unique(X + 1e-6 * np.arange(150)[:, None], axis=0)  # no two rows alike
    for labels in (y, y > 0):
        inner = LinearSVC(C=0.1, tol=1e-9, max_iter=100_000)
        fold = folds_by_content(X, 5, "", labels.astype(np.int64))
        splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
        theirs = CalibratedClassifierCV(inner, method=method, cv=splits, ensemble=False).fit(X, labels)
        ours = sf.Calibrated(inner, method).fit(X, labels)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-3)


@pytest.mark.parametrize("method", ["sigmoid", "beta"])
def test_the_zeros_of_neighbours_do_not_outweigh_all_else(method):
    """P = 0 has no log odds; taken as 1e-15 it made calibrated neighbours worse than none."""
    X, y = make_classification(3300, 10, n_informative=5, n_redundant=3, random_state=1)
    rows, new = np.split(X, [300])
    told, truth = np.split(y, [300])
    inner = KNeighborsClassifier(5)
    theirs = CalibratedClassifierCV(inner, method="sigmoid", cv=5, ensemble=False).fit(rows, told)
    model = sf.Calibrated(inner, method).fit(rows, told)
    assert model.reach_ == pytest.approx(np.log(8))  # half of the least odds above 0, one to four
    ours, reference = (log_loss(truth, one.predict_proba(new)) for one in (model, theirs))
    assert ours < 1.02 * reference
    assert sf.Calibrated(inner, "isotonic").fit(rows, told).reach_ == np.inf
    assert sf.Calibrated(LinearSVC(), method).fit(rows, told).reach_ == np.inf


def test_beta_leaves_true_probabilities_as_they_are():
    rng = np.random.default_rng(2)
    score = rng.normal(size=40_000)
    yes = rng.random(40_000) < 1 / (1 + np.exp(-score))
    found = Beta.of(score, yes)
    assert_allclose(found(score), 1 / (1 + np.exp(-score)), atol=0.02)
    assert_allclose(Beta(1.0, 1.0, 0.0)(score), 1 / (1 + np.exp(-score)), rtol=1e-12)


def test_the_order_of_rows_does_not_matter_and_weights_are_repetitions():
    X, y = doubled(300, 3)
    order = np.random.default_rng(4).permutation(300)
    one, other = sf.Calibrated(sf.GaussianNB()).fit(X, y), sf.Calibrated(sf.GaussianNB()).fit(X[order], y[order])
    assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-9)
    weight = np.random.default_rng(5).integers(0, 3, 300)
    many = np.repeat(np.arange(300), weight)
    one.fit(X, y, sample_weight=weight)
    other.fit(X[many], y[many])
    assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-7)


def test_classes_of_one_row_and_of_one_class(tmp_path):
    X, y = doubled(60, 6)
    y = np.where(np.arange(60) == 7, 2, y)
    model = sf.Calibrated(sf.LinearDiscriminantAnalysis()).fit(
        X + 0.1 * np.random.default_rng(7).normal(size=X.shape), y
    )
    assert model.predict_proba(X).shape == (60, 3)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    single = sf.Calibrated().fit(X, np.zeros(60))
    assert_array_equal(single.predict_proba(X), np.ones((60, 1)))
    sf.save(model, tmp_path / "model.sff")
    assert_array_equal(sf.load(tmp_path / "model.sff").predict_proba(X), model.predict_proba(X))


def test_costs_behind_calibration():
    X, y = doubled(3000, 8)
    new, truth = doubled(3000, 9)
    costs = [[0, 1], [15, 0]]
    plain, honest = (sf.Decide(model, costs).fit(X, y) for model in (sf.GaussianNB(), sf.Calibrated(sf.GaussianNB())))
    assert honest.cost(new, truth).realised.value < plain.cost(new, truth).realised.value


def test_refusals():
    X, y = doubled(50, 10)
    with pytest.raises(InvalidParameter, match="method must be"):
        sf.Calibrated(method="platt").fit(X, y)
    with pytest.raises(InvalidParameter, match="model must be"):
        sf.Calibrated(sf.Ridge()).fit(X, y)
    with pytest.raises(InvalidData, match="at least 2 rows that differ"):
        sf.Calibrated().fit(np.ones((4, 2)), [0, 1, 0, 1])


def test_splitters_and_pairs_as_cv():
    X, y = load_iris(return_X_y=True)
    inner, splitter = sf.GaussianNB(), StratifiedKFold(4, shuffle=True, random_state=0)
    pairs = list(splitter.split(X, y))
    theirs = CalibratedClassifierCV(inner, method="sigmoid", cv=pairs, ensemble=False).fit(X, y)
    for cv in (splitter, pairs):
        assert_allclose(sf.Calibrated(inner, cv=cv).fit(X, y).predict_proba(X), theirs.predict_proba(X), atol=2e-3)
    some = sf.Calibrated(inner, cv=pairs[:2]).fit(X, y)  # half of the rows are never asked about
    assert_allclose(some.predict_proba(X).sum(axis=1), 1)
    first = [(np.arange(50, 150), np.arange(50))]
    for cv, words in (
        (first, "the class 0 is absent from the rows that one of the splits learns from"),
        ([(np.arange(9), np.arange(9, 200))], "cv must split rows 0 to 149"),
        ([pairs[0], pairs[0]], "ask about no row twice"),
    ):
        with pytest.raises(InvalidData, match=words):
            sf.Calibrated(inner, cv=cv).fit(X, y)
    for cv in (1, "five", [], [3]):
        with pytest.raises(InvalidParameter, match="cv must be"):
            sf.Calibrated(inner, cv=cv).fit(X, y)
