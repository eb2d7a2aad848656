"""Clusters as columns of a pipeline."""

import numpy as np
import pandas as pd
import pytest
import sklearn.cluster
import sklearn.mixture
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

CLUSTERERS = [
    sf.KMeans(3, random_state=0), sf.MiniBatchKMeans(3, random_state=0), sf.SoftKMeans(3, beta=0.5, random_state=0),
    sf.BisectingKMeans(3, random_state=0), sf.KMedians(3, random_state=0), sf.KMedoids(3), sf.DPMeans(50.0),
    sf.KernelKMeans(3, random_state=0), sf.AffinityPropagation(random_state=0), sf.AgglomerativeClustering(3),
    sf.GaussianMixture(3, random_state=0), sf.MixtureModel(3, component="student_t", random_state=0),
    sf.MixtureOfPPCA(3, random_state=0),
    sklearn.cluster.KMeans(3, n_init=1, random_state=0), sklearn.cluster.Birch(n_clusters=3),
    sklearn.cluster.MeanShift(), sklearn.mixture.GaussianMixture(3, random_state=0),
]  # fmt: skip
METHODS = {"label": "predict", "responsibilities": "predict_proba", "distances": "transform"}


@pytest.fixture(scope="module")
def iris():
    table = sf.datasets.load("iris")
    return table.matrix(), np.asarray(table["species"])


@pytest.mark.parametrize(
    "clusterer", CLUSTERERS, ids=lambda model: f"{type(model).__module__[:7]}-{type(model).__name__}"
)
def test_every_clusterer_gives_what_it_has(iris, clusterer):
    X, _ = iris
    alone = sf.ClusterFeatures(clusterer, encode="label").fit(X).clusterer_
    hot = sf.ClusterFeatures(clusterer).fit(X)
    np.testing.assert_array_equal(hot.transform(X).argmax(axis=1), alone.predict(X))
    np.testing.assert_array_equal(hot.transform(X).sum(axis=1), 1)
    assert len(hot.get_feature_names_out()) == hot.transform(X).shape[1] == hot.n_clusters_
    for encode, method in METHODS.items():
        features = sf.ClusterFeatures(clusterer, encode=encode)
        if not hasattr(clusterer, method):
            with pytest.raises(InvalidParameter, match=f"needs a clusterer with {method}"):
                features.fit(X)
        elif (encode, type(clusterer)) == ("distances", sf.MixtureOfPPCA):
            with pytest.raises(InvalidParameter, match="no distances to centres"):
                features.fit(X)
        else:
            found = features.fit_transform(X)
            np.testing.assert_allclose(found, np.reshape(getattr(alone, method)(X), (150, -1)))
            assert features.get_feature_names_out().shape == (found.shape[1],)


@pytest.mark.parametrize("pipeline", [sf.make_pipeline, make_pipeline])
def test_responsibilities_lead_a_classifier(iris, pipeline):
    X, y = iris
    mixture = sf.GaussianMixture(3, covariance_type="full", random_state=0)
    model = pipeline(sf.ClusterFeatures(mixture, encode="responsibilities"), LogisticRegression())
    assert model.fit(X, y).score(X, y) == pytest.approx(sf.align(mixture.fit_predict(X), y).accuracy, abs=0.02)


def test_names_and_frames(iris):
    frame = pd.DataFrame(iris[0], columns=list("abcd"))
    features = sf.ClusterFeatures(sf.KMeans(2, random_state=0)).set_output(transform="pandas").fit(frame)
    assert features.transform(frame).columns.tolist() == ["cluster0", "cluster1"]
    assert features.set_params(encode="distances").get_feature_names_out().tolist() == ["distance0", "distance1"]
    assert features.set_params(encode="label").get_feature_names_out().tolist() == ["cluster"]


def test_from_files_and_back(iris, tmp_path):
    X, y = iris
    pd.DataFrame(X, columns=list("abcd")).assign(kind=y).to_csv(tmp_path / "iris.csv", index=False)
    source = sf.scan(tmp_path / "iris.csv", target="kind")
    for encode in ("onehot", "distances"):
        model = sf.make_pipeline(
            sf.ClusterFeatures(sf.KMeans(3, random_state=0), encode=encode), sf.KNeighborsClassifier()
        )
        model.fit(source)
        assert model.score(source) > 0.85
        sf.save(model, tmp_path / "model.suffice")
        np.testing.assert_array_equal(sf.load(tmp_path / "model.suffice").predict(source), model.predict(source))
    with pytest.raises(InvalidData, match="Birch needs the rows in memory"):
        sf.ClusterFeatures(sklearn.cluster.Birch()).fit(source)


def test_given_centres_and_sparse_rows(iris):
    X, _ = iris
    given = sf.ClusterFeatures(sf.KMeans(2, init=X[:2])).fit(X)
    filled = sf.ClusterFeatures(sf.KMeans(2, init=X[:2])).fit(sparse.csr_array(X))
    np.testing.assert_array_equal(filled.transform(sparse.csr_array(X)), given.transform(X))


def test_weights_and_categories(iris):
    X, _ = iris
    weight = np.arange(150) % 3
    weighted = sf.ClusterFeatures(sf.KMeans(3, random_state=0), encode="distances").fit(X, sample_weight=weight)
    repeated = sf.ClusterFeatures(sf.KMeans(3, random_state=0), encode="distances").fit(X.repeat(weight, axis=0))
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X))
    pets = pd.DataFrame({"kilos": [4.0, 5.0, 20.0, 24.0], "colour": ["red", "tan", "tan", "tan"]})
    features = sf.ClusterFeatures(sf.KPrototypes(2, random_state=0)).fit(pets)
    assert features.transform(pets[::-1]).tolist() == features.transform(pets)[::-1].tolist()
    with pytest.raises(InvalidParameter, match="an estimator with predict"):
        sf.ClusterFeatures(sklearn.cluster.DBSCAN()).fit(X)


def test_an_encoding_that_the_clusterer_cannot_give_is_refused_after_the_fit_too() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    features = sf.ClusterFeatures(sf.KMeans(2, random_state=0)).fit(X).set_params(encode="responsibilities")
    with pytest.raises(InvalidParameter, match="needs a clusterer with predict_proba, which KMeans has not"):
        features.transform(X)
