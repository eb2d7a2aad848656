"""Detectors of anomalies on rows that were left out: which rows are anomalies, and choosing by cross-validation."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import metrics
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.models.bayes.base import BayesClassifier
from suffice.models.registry import estimators


@pytest.fixture(scope="module")
def rows():
    """150 irises of three species and 15 rows that are none."""
    iris = sf.datasets.load("iris")
    X = iris.matrix()
    odd = np.random.default_rng(0).uniform(X.min(axis=0) - 1, X.max(axis=0) + 1, (15, 4))
    return np.concatenate([X, odd]), np.concatenate([iris["species"], ["odd"] * 15])


def test_every_generative_classifier_is_a_density():
    bayes = [cls for cls in estimators("classifier").values() if issubclass(cls, BayesClassifier)]
    assert len(bayes) > 7
    for cls in bayes:
        X, y = cls.example(np.random.default_rng(0), 60)
        assert set(sf.DensityAnomaly(cls(), contamination=0.2).fit(X, y).predict(X)) <= {-1, 1}


def test_measures_are_those_of_scikit_learn(rows):
    X, y = rows
    found = sf.evaluate(sf.DensityAnomaly(sf.GaussianNB(), anomaly="odd"), X, y, splits=5)
    truth, said = y == "odd", np.full(len(y), "", dtype=object)
    areas = []
    for fold in found.folds:
        model = sf.DensityAnomaly(sf.GaussianNB(), anomaly="odd").fit(X[fold.train], y[fold.train])
        said[fold.test] = np.where(model.predict(X[fold.test]) == -1, "anomaly", "normal")
        areas.append(metrics.roc_auc_score(truth[fold.test], -model.score_samples(X[fold.test])))
    assert_array_equal(found.predicted, said)
    assert found.classes == ("normal", "anomaly")
    assert found.value("precision") == pytest.approx(metrics.precision_score(truth, said == "anomaly"))
    assert found.value("recall") == pytest.approx(metrics.recall_score(truth, said == "anomaly"))
    assert found.value("f1") == pytest.approx(metrics.f1_score(truth, said == "anomaly"))
    assert found.scores["roc_auc"] == pytest.approx(areas)
    assert found.confusion.table.sum() == len(y)


@pytest.mark.parametrize("labels", [(-1, 1), (True, False), (1, 0), ("odd", "fine")])
def test_labels_of_anomalies(rows, labels):
    X, y = rows
    target, positive = np.where(y == "odd", *labels), "odd" if "odd" in labels else None
    found = sf.evaluate(sf.DensityAnomaly(), X, target, splits=5, positive=positive)
    named = sf.evaluate(sf.DensityAnomaly(), X, y, splits=5, positive="odd")
    assert found.value("f1") == named.value("f1")
    assert_array_equal(found.problem.codes, y == "odd")


def test_an_anomaly_that_no_model_names_is_not_learned_from(rows):
    X, y = rows
    found = sf.evaluate(sf.DensityAnomaly(sf.GaussianMixture(2, random_state=0)), X, y == "odd", splits=3)
    for fold in found.folds:
        alone = sf.DensityAnomaly(sf.GaussianMixture(2, random_state=0)).fit(X[fold.train])
        assert fold.model.threshold_ == alone.threshold_


def test_threshold_and_components_are_chosen_by_cross_validation(rows):
    X, y = rows
    grid = {"density__n_components": [1, 3], "contamination": [0.01, 0.1, 0.4]}
    model, options = sf.DensityAnomaly(sf.GaussianMixture(random_state=0)), {"splits": 3, "measures": "f1"}
    found = sf.evaluate(model, X, y == "odd", search=grid, inner=3, refit=True, **options)
    scores = {}
    for candidate in ParameterGrid(grid):
        own = sf.evaluate(clone(model).set_params(**candidate), X, y == "odd", **options)
        scores[candidate["density__n_components"], candidate["contamination"]] = own.value()
    assert (found.final.density.n_components, found.final.contamination) == max(scores, key=scores.get)
    assert found.value() > 0.6 > scores[1, 0.4]
    assert all(set(fold.params) == set(grid) for fold in found.folds)


def test_detectors_of_others_and_pipelines_are_compared(rows):
    X, y = rows
    models = {
        "forest": IsolationForest(n_estimators=20),
        "scaled": make_pipeline(sf.StandardScaler(), sf.DensityAnomaly(sf.GaussianMixture(3), anomaly="odd")),
        "ours": sf.Pipeline([("scale", sf.StandardScaler()), ("detect", sf.DensityAnomaly(anomaly="odd"))]),
    }
    found = sf.compare(models, X, y, measures=["roc_auc", "f1"], splits=3)
    assert set(found.ranking) == set(models)
    assert all(one.value("roc_auc") > 0.8 for one in found.evaluations.values())


@pytest.mark.parametrize(
    ("model", "change", "words"),
    [
        (sf.DensityAnomaly(), {"y": None}, "y must say which rows are anomalies, but y is None"),
        (sf.DensityAnomaly(), {}, r"-1 beside 1, or True beside False, or a label that positive= names; got 'odd'"),
        (sf.DensityAnomaly(), {"positive": "strange"}, "y must hold 'strange', the label of anomalies, and another"),
        (sf.DensityAnomaly(), {"positive": [1]}, "positive must be the label of anomalies"),
        (sf.DensityAnomaly(anomaly="odd"), {"positive": "setosa"}, "'odd' and 'setosa' cannot both be the label"),
        (sf.DensityAnomaly(sf.GaussianNB()), {}, "name it with the parameter anomaly"),
        (sf.DensityAnomaly(anomaly="odd"), {"measures": "rmse"}, "rmse measures numbers"),
        (sf.DensityAnomaly(anomaly="odd"), {"splits": "in_sample"}, "in_sample is for clusters and densities"),
    ],
)
def test_bad_arguments_are_one_sentence(rows, model, change, words):
    X, y = rows
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        sf.evaluate(model, X, **{"y": y, **change})


def test_a_density_of_classes_needs_them(rows):
    with pytest.raises(InvalidData, match="requires y to be passed"):
        sf.DensityAnomaly(sf.GaussianNB()).fit(rows[0])
