"""One model for each cluster."""

import numpy as np
import pandas as pd
import pytest
import sklearn.cluster
from sklearn.base import is_classifier, is_regressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import suffice as sf
from suffice.errors import InvalidParameter, TooFewRows


@pytest.fixture(scope="module")
def crabs():
    table = sf.datasets.load("crabs")
    return table.matrix(), np.asarray(table["sex"])


def by_hand(clusterer, model, X, y, weight=None):
    """What one model for each cluster, fitted by hand, says of the rows it learned from."""
    labels = clusterer.fit(X).predict(X) if weight is None else clusterer.fit(X, sample_weight=weight).predict(X)
    found = np.empty_like(y)
    for k in np.unique(labels):
        own = labels == k
        fit = model.fit(X[own], y[own]) if weight is None else model.fit(X[own], y[own], sample_weight=weight[own])
        found[own] = fit.predict(X[own])
    return found


@pytest.mark.parametrize("clusterer", [sf.KMeans(3, random_state=0), sf.GaussianMixture(2, random_state=0),
                                       sklearn.cluster.KMeans(3, n_init=1, random_state=0)])  # fmt: skip
@pytest.mark.parametrize("model", [sf.GaussianNB(), sf.LinearDiscriminantAnalysis(), LogisticRegression(max_iter=9000)])
def test_classes_are_those_of_models_fitted_by_hand(crabs, clusterer, model):
    X, y = crabs
    each = sf.PerCluster(clusterer, model)
    assert is_classifier(each)
    each.fit(X, y)
    np.testing.assert_array_equal(each.predict(X), by_hand(clusterer, model, X, y))
    assert each.score(X, y) == np.mean(each.predict(X) == y)
    np.testing.assert_array_equal(each.classes_[each.predict_proba(X).argmax(axis=1)], each.predict(X))


@pytest.mark.parametrize("model", [sf.LinearRegression(), LinearRegression()])
def test_numbers_and_weights(crabs, model):
    X, _ = crabs
    X, y = X[:, 1:], X[:, 0]
    weight = 1.0 + np.arange(200) % 3
    clusterer = sf.KMeans(3, random_state=0)
    each = sf.PerCluster(clusterer, model).fit(X, y, sample_weight=weight)
    assert is_regressor(each)
    assert not hasattr(each, "predict_proba")
    np.testing.assert_allclose(each.predict(X), by_hand(clusterer, model, X, y, weight))
    assert each.score(X, y) > model.fit(X, y).score(X, y)


def test_clusters_without_a_model_of_their_own():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) + 20, rng.normal(size=(4, 2)) - 20])
    y = np.concatenate([np.where(X[:60, 0] > 0, "ant", "wasp"), np.repeat("wasp", 40), ["ant", "wasp"] * 2])
    with pytest.warns(TooFewRows, match="the model of all rows speaks for cluster .*only the class 'wasp'"):
        each = sf.PerCluster(sf.KMeans(3, random_state=0), sf.GaussianNB()).fit(X, y)
    single, few = each.clusterer_.predict(X[[60, 100]])
    assert each.fallbacks_ == {single: "only the class 'wasp'", few: "4 rows"}
    assert len(each.models_) == 1
    rest = np.s_[60:]
    np.testing.assert_array_equal(each.predict(X)[rest], sf.GaussianNB().fit(X, y).predict(X)[rest])
    np.testing.assert_allclose(each.predict_proba(X)[rest], sf.GaussianNB().fit(X, y).predict_proba(X)[rest])
    np.testing.assert_array_equal(each.predict(X)[:60], sf.GaussianNB().fit(X[:60], y[:60]).predict(X[:60]))


def test_columns_of_all_classes_and_labels_of_any_length():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 1)), rng.normal(size=(60, 1)) + 30])
    y = np.concatenate([rng.choice(["a", "bee"], 60), rng.choice(["bee", "caterpillar"], 60)])
    each = sf.PerCluster(sf.KMeans(2, random_state=0), DecisionTreeClassifier(random_state=0)).fit(X, y)
    assert each.predict_proba(X).shape == (120, 3)
    assert (each.predict_proba(X)[:60, 2] == 0).all()
    assert (each.predict_proba(X)[60:, 0] == 0).all()
    np.testing.assert_array_equal(each.predict(X), y)  # none is cut to the length of another


def test_a_model_that_refuses_the_rows_of_a_cluster():
    X = np.concatenate([np.linspace(0, 1, 50), np.linspace(9, 10, 12)])[:, None]
    y = np.arange(62) % 2
    with pytest.warns(TooFewRows, match=r"\(PerCluster: .*n_neighbors"):
        each = sf.PerCluster(sf.KMeans(2, random_state=0), sf.KNeighborsClassifier(20)).fit(X, y)
    np.testing.assert_array_equal(each.predict(X[50:]), sf.KNeighborsClassifier(20).fit(X, y).predict(X[50:]))


def test_from_files_pipelines_and_model_files(crabs, tmp_path):
    X, y = crabs
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame.assign(sex=y).to_csv(tmp_path / "crabs.csv", index=False)
    source = sf.scan(tmp_path / "crabs.csv", target="sex")
    model = sf.make_pipeline(sf.StandardScaler(), sf.LinearDiscriminantAnalysis())
    each = sf.PerCluster(sf.KMeans(3, init="pca"), model)
    in_memory = each.fit(frame, y).predict(frame)
    np.testing.assert_array_equal(each.fit(source).predict(source), in_memory)
    assert each.score(source) == np.mean(in_memory == y)
    sf.save(each, tmp_path / "each.suffice")
    np.testing.assert_array_equal(sf.load(tmp_path / "each.suffice").predict(frame), in_memory)
    assert sf.evaluate(each, X, y, splits=3, measures="accuracy").value() > 0.8


def test_what_is_no_model_is_refused(crabs):
    with pytest.raises(InvalidParameter, match="a classifier or a regressor; got"):
        sf.PerCluster(sf.KMeans(2), sf.PCA(2)).fit(*crabs)


def test_the_remedy_fits_the_reason(crabs):
    X, y = crabs
    model = sf.PerCluster(sf.KMeans(3, init="pca"), sf.GaussianNB())
    with pytest.warns(TooFewRows, match=r"only the class 'M'.* Ask for fewer clusters\.$"):
        model.fit(X, np.where(model.clusterer.fit(X).labels_ == 0, "M", y))
    far = np.vstack([X, np.full((1, X.shape[1]), 1e4)])
    with pytest.warns(TooFewRows, match=r"\(1 row\)\. Ask for fewer clusters, or lower min_weight\.$"):
        sf.PerCluster(sf.KMeans(2, init=np.array([X[0], far[-1]])), sf.GaussianNB()).fit(far, np.append(y, "M"))
