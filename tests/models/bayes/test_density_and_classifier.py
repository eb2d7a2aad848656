"""A density beside a classifier: p(x, c) = p(x) P(c | x)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KernelDensity
from sklearn.svm import LinearSVC

import suffice as sf
from suffice.distributions import StudentT
from suffice.errors import InvalidData, InvalidParameter

IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]
LOGISTIC = LogisticRegression(max_iter=2000)
FAR = np.full((1, 4), 20.0)


@pytest.mark.parametrize("classifier", [LOGISTIC, sf.KNeighborsClassifier(3), sf.LinearDiscriminantAnalysis()])
@pytest.mark.parametrize("density", ["gaussian", StudentT(), sf.GaussianMixture(3, random_state=0), KernelDensity()])
def test_classes_are_those_of_the_classifier_and_densities_those_of_the_density(density, classifier):
    model = sf.DensityAndClassifier(density, classifier).fit(X, Y)
    alone = classifier.fit(X, Y)
    assert_array_equal(model.predict(X), alone.predict(X))
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-12)
    detector = sf.DensityAnomaly(density, contamination=0.05).fit(X)
    assert_allclose(model.score_samples(X), detector.score_samples(X), rtol=1e-6)
    assert_array_equal(model.is_outlier(X), detector.predict(X) == -1)
    assert model.is_outlier(FAR).all()


def test_the_joint_density_is_the_product():
    model = sf.DensityAndClassifier("gaussian", LOGISTIC).fit(X, Y)
    joint = model.log_joint(X)
    assert_allclose(np.exp(joint).sum(axis=1), np.exp(model.score_samples(X)), rtol=1e-12)
    assert_allclose(joint - model.score_samples(X)[:, None], np.log(model.predict_proba(X)), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("y", "unknown"), [(Y, "none of them"), (np.unique(Y, return_inverse=True)[1], -1)])
def test_outliers_are_unknown_where_asked(y, unknown):
    model = sf.DensityAndClassifier(None, LOGISTIC, unknown=unknown, reject=0.1).fit(X, y)
    rows = np.concatenate([X, FAR])
    found = model.predict(rows)
    assert found[-1] == unknown
    assert (found[:-1] == unknown).sum() == 15
    known = sf.DensityAndClassifier(None, LOGISTIC).fit(X, y).predict(rows)
    assert_array_equal(found[~model.is_outlier(rows)], known[~model.is_outlier(rows)])
    assert known[-1] in y


def test_without_a_share_nothing_is_an_outlier():
    model = sf.DensityAndClassifier(None, LOGISTIC, unknown="?", reject=0).fit(X, Y)
    assert model.predict(FAR)[0] != "?"
    assert not model.is_outlier(FAR).any()


def test_evaluate_counts_rejected_rows_as_wrong():
    plain = sf.evaluate(sf.DensityAndClassifier(None, LOGISTIC), X, Y, measures=("accuracy", "log_loss"))
    cautious = sf.evaluate(
        sf.DensityAndClassifier(None, LOGISTIC, unknown="?", reject=0.2), X, Y, measures=("accuracy",)
    )
    accuracy = [found.interval("accuracy").value for found in (plain, cautious)]
    assert accuracy[0] > 0.95
    assert accuracy[1] < accuracy[0] - 0.1


def test_a_classifier_without_probabilities_has_none():
    model = sf.DensityAndClassifier(None, LinearSVC(), unknown="?").fit(X, Y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "log_joint")
    assert model.predict(FAR)[0] == "?"


def test_weights_missing_values_and_files(tmp_path):
    weight = np.random.default_rng(0).integers(0, 3, 150)
    again = np.repeat(np.arange(150), weight)
    weighted = sf.DensityAndClassifier(None, LOGISTIC).fit(X, Y, sample_weight=weight)
    repeated = sf.DensityAndClassifier(None, LOGISTIC).fit(X[again], Y[again])
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4)
    assert_allclose(weighted.threshold_, repeated.threshold_, rtol=1e-6)
    gaps = np.where(np.arange(600).reshape(150, 4) % 11 == 0, np.nan, X)
    model = sf.DensityAndClassifier("gaussian", sf.GaussianNB()).fit(gaps, Y)
    assert model.score(gaps, Y) > 0.9
    sf.save(model, tmp_path / "model.sff")
    assert_array_equal(sf.load(tmp_path / "model.sff").log_joint(gaps), model.log_joint(gaps))
    with pytest.raises(InvalidData, match=r"DensityAndClassifier: .*NaN"):
        sf.DensityAndClassifier("gaussian", LOGISTIC).fit(gaps, Y)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"unknown": "setosa"}, InvalidData, "unknown='setosa' is a class of y; give outliers a label of their own"),
        ({"unknown": 7}, InvalidParameter, "unknown must be text, as the classes are; got 7"),
        ({"classifier": 3}, InvalidParameter, "classifier must be None or a classifier; got 3"),
        ({"density": LOGISTIC}, InvalidParameter, "density must be .*an estimator with score_samples"),
        ({"reject": 0.7}, InvalidParameter, "reject must be a number, at least 0, at most 0.5; got 0.7"),
    ],
)
def test_what_does_not_fit_is_refused(options, error, said):
    with pytest.raises(error, match=f"DensityAndClassifier: {said}"):
        sf.DensityAndClassifier(**options).fit(X, Y)
