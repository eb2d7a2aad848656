"""Write small model files of the present version and what their models answer: `vN/NAME.sff` and `vN/answers.json`.

Run as ``python tests/reference/models/make_model_files.py`` when the format gets a new version. The files of earlier
versions are never written again: that later versions read them is the promise that `tests/test_earlier_files.py` keeps.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import suffice as sf
from suffice import persist
from suffice.distances import Mahalanobis
from suffice.distributions import Gaussian, Independent, Mixture, Poisson
from suffice.models.cluster.initialisation import KMeansPlusPlus
from suffice.statistics import PerClass

HERE = Path(__file__).parent
ROWS = 20  # of the answers


def tables() -> dict[str, Any]:
    """The rows that models learn from and answer for, by name."""
    crabs = sf.datasets.load("crabs")
    mixed = crabs.to_frame()[["sp", "FL", "RW", "CL"]].iloc[::4]
    usarrests = sf.datasets.load("usarrests").matrix()
    words = sparse.random(40, 30, density=0.2, format="csr", random_state=np.random.default_rng(3))
    return {
        "iris": sf.datasets.load("iris").matrix()[::3],
        "species": sf.datasets.load("iris")["species"][::3],
        "faithful": sf.datasets.load("faithful").matrix()[::4],
        "crabs": crabs.matrix()[::4],
        "mixed": mixed,
        "sex": np.asarray(crabs["sex"])[::4],
        "usarrests": usarrests,
        "gaps": np.where(np.arange(usarrests.size).reshape(usarrests.shape) % 11 == 3, np.nan, usarrests),
        "words": words.tocsr(),
        "topic": np.arange(40) % 3,
        "picture": np.add.outer(np.arange(0, 96, 4), np.arange(0, 96, 4)).astype(np.uint8),
    }


def models(t: dict[str, Any]) -> dict[str, tuple[Any, str]]:
    """Fitted models by name, each with the name of the rows it answers for."""
    iris, species, arrests = t["iris"], t["species"], t["usarrests"]
    families = {"FL": "gaussian", "RW": "exponential"}
    return {
        "kmeans": (sf.KMeans(3, init=KMeansPlusPlus(candidates=2), random_state=0).fit(iris), "iris"),
        "kmeans_mahalanobis": (sf.KMeans(2, metric="mahalanobis", random_state=0).fit(iris), "iris"),
        "minibatch_kmeans": (
            sf.MiniBatchKMeans(
                2, metric="cosine", batch_size=16, max_iter=1, random_state=np.random.default_rng(1)
            ).fit(iris),
            "iris",
        ),
        "bisecting_kmeans": (sf.BisectingKMeans(4, random_state=0).fit(iris), "iris"),
        "kmedoids": (sf.KMedoids(3, metric="cityblock", random_state=0).fit(iris), "iris"),
        "kprototypes": (sf.KPrototypes(2, random_state=0).fit(t["mixed"]), "mixed"),
        "agglomerative": (sf.Agglomerative(3, linkage="average", metric="manhattan").fit(arrests), "usarrests"),
        "gaussian_mixture": (sf.GaussianMixture(2, random_state=0).fit(t["faithful"]), "faithful"),
        "mixture_model": (
            sf.MixtureModel(2, component=Poisson(), n_init=1, random_state=0).fit(np.round(arrests)),
            "usarrests",
        ),
        "factor_analysis": (sf.FactorAnalysis(1, random_state=0).fit(t["crabs"]), "crabs"),
        "gaussian_imputer": (sf.GaussianImputer().fit(t["gaps"]), "gaps"),
        "density_anomaly": (
            sf.DensityAnomaly(sf.GaussianMixture(1), contamination=0.05).fit(t["faithful"]),
            "faithful",
        ),
        "gaussian_nb": (sf.GaussianNB().fit(iris, species), "iris"),
        "naive_bayes": (sf.NaiveBayes(families).fit(t["mixed"], t["sex"]), "mixed"),
        "multinomial_nb": (sf.MultinomialNB().fit(t["words"], t["topic"]), "words"),
        "linear_discriminant": (sf.LinearDiscriminant().fit(iris, species), "iris"),
        "pca": (sf.PCA(2).fit(t["crabs"]), "crabs"),
        "linear_regression": (sf.LinearRegression().fit(arrests[:, :3], arrests[:, 3]), "usarrests"),
        "k_neighbors_kd_tree": (sf.KNeighborsClassifier(3, algorithm="kd_tree").fit(iris, species), "iris"),
        "k_neighbors_mahalanobis": (
            sf.KNeighborsRegressor(3, metric=Mahalanobis(np.eye(4))).fit(iris, iris[:, 0]),
            "iris",
        ),
        "nearest_neighbors_sparse": (sf.NearestNeighbors(n_neighbors=2, metric="cosine").fit(t["words"]), "words"),
        "nearest_neighbors_lsh": (sf.NearestNeighbors(n_neighbors=2, algorithm="lsh").fit(iris), "iris"),
        "mixture": (Mixture.of([0.25, 0.75], [Gaussian([0.0], [[1.0]]), Gaussian([4.0], [[2.0]])]), "usarrests"),
        "independent": (Independent({0: Poisson([3.0]), (2, 1): Poisson([5.0, 2.0])}), "usarrests"),
        "per_class": (PerClass.of(iris, species), "iris"),
        "vector_quantizer": (sf.VectorQuantizer(8, block=2, random_state=0).fit(t["picture"]), "picture"),
        "unfitted": (sf.Ridge(alpha=0.5), "iris"),
    }


def answers(model: Any, rows: Any) -> dict[str, Any]:
    """What a model says of some rows, in JSON's terms."""
    if isinstance(model, sf.LinearRegression):
        return {"predict": _plain(model.predict(rows[:ROWS, :3]))}
    if isinstance(model, Mixture | Independent):
        return {"log_prob": _plain(model.log_prob(np.round(rows[:ROWS, : 1 if isinstance(model, Mixture) else 3])))}
    if isinstance(model, PerClass):
        return {name: _plain(value) for name, value in model.to_arrays().items()}
    if isinstance(model, sf.VectorQuantizer):
        return {"encode": _plain(model.encode(rows))}
    if isinstance(model, sf.Ridge):
        return {"parameters": model.get_params()}
    if isinstance(model, sf.NearestNeighbors):
        return {"kneighbors": _plain(model.kneighbors(rows[:ROWS])[0])}
    if isinstance(model, sf.MixtureModel):
        rows = np.round(rows)
    names = ("predict", "predict_proba", "transform", "score_samples")
    return {name: _plain(getattr(model, name)(rows[:ROWS])) for name in names if hasattr(model, name)}


def _plain(values: Any) -> Any:
    return np.asarray(values).tolist()


def main() -> None:
    folder = HERE / f"v{persist.VERSION}"
    folder.mkdir(exist_ok=True)
    rows, said = tables(), {}
    for name, (model, asked) in models(rows).items():
        sf.save(model, folder / f"{name}.sff")
        said[name] = {"rows": asked, "answers": answers(model, rows[asked])}
    (folder / "answers.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
