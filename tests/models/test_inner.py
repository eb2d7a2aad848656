"""Models inside models: errors name the model and the row that the user knows, whoever speaks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans as ForeignKMeans
from sklearn.linear_model import LogisticRegression

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson([[2.0, 3.0], [9.0, 8.0], [20.0, 1.0]], (50, 3, 2)).reshape(150, 2).astype(float)
CLASSES = np.tile(["a", "b", "c"], 50)
BAD = COUNTS.copy()
BAD[122, 1] = -3.0  # of class c, the 41st of them

FITTED = {
    "DensityBayes": sf.DensityBayes("poisson"),
    "DensityAnomaly": sf.DensityAnomaly("poisson", anomaly="a"),
    "DensityAndClassifier": sf.DensityAndClassifier("poisson"),
    "PerCluster": sf.PerCluster(sf.KMeans(2, random_state=0), sf.PoissonNB()),
    "ClusterFeatures": sf.ClusterFeatures(sf.MixtureModel(2, component="poisson", random_state=0)),
}


@pytest.mark.parametrize("name", FITTED)
def test_a_cell_that_an_inner_model_refuses_is_named_by_its_row_in_the_table(name):
    with pytest.raises(InvalidData, match=rf"^{name}: .*row 122, column 1 holds -3") as told:
        FITTED[name].fit(BAD, CLASSES)
    assert str(told.value).count(name) == 1


def test_rows_of_a_cluster_keep_their_numbers_in_predictions():
    model = sf.PerCluster(sf.KMeans(2, random_state=0), sf.PoissonNB()).fit(COUNTS, CLASSES)
    with pytest.raises(InvalidData, match=r"^PerCluster: PoissonNB: row 122, column 1 holds -3"):
        model.predict(BAD)


@pytest.mark.parametrize("metric", ["kl", "cosine"])
def test_rows_without_a_distance_are_named_by_their_number_in_every_chunk(metric):
    rows = np.abs(RNG.normal(size=(30_000, 3))) + 0.1
    model = sf.ParzenClassifier(0.5, metric=metric, empty="prior").fit(rows[:200], np.resize(["a", "b"], 200))
    rows[25_000] = [-1.0, 1.0, 1.0] if metric == "kl" else 0.0
    with pytest.raises(InvalidData, match=r"^ParzenClassifier: .*row 25000 "):
        model.predict(rows)


def test_empty_windows_are_named_by_their_row_in_the_table():
    rows = RNG.random((30_000, 2))
    model = sf.ParzenRegressor(2.0, empty="refuse").fit(rows[:200], rows[:200, 0])
    rows[29_000] = 1e6
    with pytest.raises(InvalidData, match=r"^ParzenRegressor: row 29000 has no row of the fit"):
        model.predict(rows)


def test_rows_that_are_missing_altogether_are_named_after_a_filter():
    rows = np.vstack([RNG.normal(size=(30, 2)), [[np.nan, np.nan]]])
    kept = sf.as_source(rows, needs=sf.KMeans(2)._needs()).filtered(lambda chunk: np.arange(len(chunk)) >= 10)
    with pytest.raises(InvalidData, match=r"^KMeans: row 30 has only missing values"):
        sf.KMeans(2).fit(kept)


@pytest.mark.parametrize(
    ("model", "speaker"),
    [
        (sf.ClusterFeatures(ForeignKMeans(9)), "ClusterFeatures: KMeans: n_samples=4"),
        (sf.PerCluster(sf.KMeans(1), LogisticRegression()), "PerCluster: LogisticRegression: .*one class"),
        (sf.DensityAndClassifier("gaussian", LogisticRegression()), "DensityAndClassifier: LogisticRegression: .*one"),
    ],
)
def test_what_models_of_other_libraries_say_is_an_error_about_rows(model, speaker):
    with pytest.raises(InvalidData, match=speaker):
        model.fit(RNG.normal(size=(4, 2)), ["only"] * 4)


def test_rows_that_a_fitted_foreign_model_cannot_take_are_an_error_about_rows():
    model = sf.ClusterFeatures(ForeignKMeans(2, n_init=1)).fit(COUNTS.astype(np.float32))
    model.clusterer_.cluster_centers_ = np.zeros((2, 7))
    with pytest.raises(InvalidData, match=r"^ClusterFeatures: KMeans: "):
        model.transform(COUNTS.astype(np.float32))


@pytest.mark.parametrize(
    "make",
    [
        lambda: sf.DensityAndClassifier("gaussian", sf.GaussianNB),
        lambda: sf.DensityAndClassifier(sf.GaussianMixture),
        lambda: sf.DensityAndClassifier("gaussian", sf.Ridge()),
        lambda: sf.DensityAndClassifier("gaussian", sf.KMeans(2)),
        lambda: sf.DensityAnomaly(sf.GaussianMixture),
        lambda: sf.ClusterFeatures(sf.KMeans),
        lambda: sf.PerCluster(sf.KMeans(2), sf.GaussianNB),
    ],
)
def test_classes_and_models_of_the_wrong_kind_are_refused_in_one_sentence(make):
    with pytest.raises(InvalidParameter, match=r"must be None,? or .*; got "):
        make().fit(COUNTS, CLASSES)


def test_an_absent_label_of_anomalies_is_told_with_those_that_are_there():
    with pytest.raises(InvalidData, match=r"y must hold 'd', the label of anomalies.*got 'a', 'b', 'c'"):
        sf.DensityAnomaly(anomaly="d").fit(COUNTS, CLASSES)
