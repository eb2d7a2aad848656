"""Choosing the number of components: BIC and AIC of the models themselves, and likelihoods of held-out rows."""

import numpy as np
import pytest
import sklearn.mixture as sk
from numpy.testing import assert_allclose

import suffice as sf
from suffice.engine import recording
from suffice.errors import InvalidData, InvalidParameter
from suffice.selection import select_components


@pytest.fixture
def blobs(rng):
    """Three groups of 80 rows."""
    return np.concatenate([rng.normal(c, 1.0, (80, 2)) for c in ((0, 0), (8, 0), (0, 8))])


def test_all_criteria_find_three_groups(blobs):
    found = select_components(sf.GaussianMixture(n_init=3), blobs, range(1, 6), random_state=0)
    assert found.best["bic"] == found.best["cv"] == found.recommended == 3
    assert list(found.table) == ["k", "log_likelihood", "bic", "aic", "cv", "cv_spread"]
    assert str(found).splitlines()[0].split() == ["k", "log_likelihood", "bic", "aic", "cv"]


@pytest.mark.parametrize("library", [sf, sk])
@pytest.mark.parametrize("covariance_type", ["full", "diag"])
def test_bic_and_aic_are_those_of_the_model(blobs, library, covariance_type):
    model = library.GaussianMixture(covariance_type=covariance_type, random_state=0)
    found = select_components(model, blobs, [1, 3], ["bic", "aic"])
    for i, k in enumerate((1, 3)):
        alone = library.GaussianMixture(k, covariance_type=covariance_type, random_state=0).fit(blobs)
        assert found.table["bic"][i] == pytest.approx(alone.bic(blobs))
        assert found.table["aic"][i] == pytest.approx(alone.aic(blobs))
        assert found.table["log_likelihood"][i] == pytest.approx(alone.score_samples(blobs).sum())


def test_cv_is_the_mean_log_density_of_other_rows(blobs):
    model = sk.GaussianMixture(random_state=0)
    found = select_components(model, blobs, [1, 2], ["cv"], folds=4)
    fold = np.random.default_rng(0).permutation(len(blobs)) % 4
    scores = [
        [sk.GaussianMixture(k, random_state=0).fit(blobs[fold != f]).score(blobs[fold == f]) for k in (1, 2)]
        for f in range(4)
    ]
    assert_allclose(found.table["cv"], np.mean(scores, axis=0))
    assert_allclose(found.table["cv_spread"], np.std(scores, axis=0, ddof=1) / 2)


def test_weights_are_repeated_rows(blobs, rng):
    weight = rng.integers(0, 3, len(blobs))
    model = sf.GaussianMixture(means_init=None, n_init=3)
    asked = {"k": range(1, 4), "criteria": ["bic", "aic"], "random_state": 0}
    weighted = select_components(model, blobs, sample_weight=weight, **asked)
    repeated = select_components(model, blobs.repeat(weight, axis=0), **asked)
    for name in ("log_likelihood", "bic", "aic"):
        assert_allclose(weighted.table[name], repeated.table[name], rtol=1e-4)
    assert select_components(model, blobs, [2, 3], "cv", sample_weight=weight, random_state=0).best == {"cv": 3}


def test_missing_values_and_families(rng):
    X = np.concatenate([rng.poisson(2, (150, 2)), rng.poisson(15, (150, 2))]).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    found = select_components(sf.MixtureModel(component="poisson"), X, range(1, 4), random_state=0)
    assert found.best["bic"] == found.best["cv"] == 2


@pytest.mark.filterwarnings("ignore::suffice.errors.HeywoodCase")  # with more factors than there are
@pytest.mark.parametrize("model", [sf.PPCA(), sf.FactorAnalysis()])
def test_the_number_of_factors(rng, model):
    X = rng.normal(size=(600, 2)) @ rng.normal(size=(2, 7)) * 2 + rng.normal(size=(600, 7))
    found = select_components(model, X, range(1, 5))
    assert found.best["bic"] == found.best["cv"] == 2


def test_files_give_bic_and_aic(blobs, tmp_path):
    pd = pytest.importorskip("pandas")
    weight = np.tile([1.0, 2.0], 120)
    frame = pd.DataFrame(blobs, columns=["a", "b"]).assign(w=weight)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    source = sf.scan(tmp_path / "rows.parquet", weight="w")
    asked = {"k": [1, 3], "criteria": ["bic", "aic"], "random_state": 0}
    from_file = select_components(sf.GaussianMixture(n_init=2), source, **asked)
    in_memory = select_components(sf.GaussianMixture(n_init=2), blobs, sample_weight=weight, **asked)
    assert_allclose(from_file.table["bic"], in_memory.table["bic"], rtol=1e-4)
    with pytest.raises(InvalidData, match=r"select_components: cv needs the rows in memory.*\(bic, aic\)"):
        select_components(sf.GaussianMixture(), source, [1, 2])


def test_recording_sees_every_k(blobs):
    with recording() as trace:
        select_components(sf.GaussianMixture(random_state=0), blobs, [1, 2], ["bic"])
    mine = next(fit for fit in trace.fits if fit.name == "select_components")
    assert [done.metrics["k"] for done in mine.iterations] == [1, 2]


@pytest.mark.parametrize(
    ("model", "asked", "message"),
    [
        (sf.KMeans(), {}, "model must be a density with the parameter n_components"),
        (sf.GaussianMixture(), {"criteria": ["elbow"]}, "criteria must be among bic, aic, cv; got 'elbow'"),
        (sf.GaussianMixture(), {"k": [0]}, "k must be integers, at least 1"),
        (sf.GaussianMixture(), {"folds": 1}, "folds must be an integer, at least 2"),
        (sf.GaussianMixture(), {"k": [999]}, "k must be at most the number of rows, 240; got 999"),
        (sk.GaussianMixture(), {"sample_weight": np.ones(240)}, "GaussianMixture takes no sample_weight"),
    ],
)
def test_bad_questions(blobs, model, asked, message):
    with pytest.raises(InvalidParameter, match=f"select_components: {message}"):
        select_components(model, blobs, **asked)


def test_it_plots_itself(blobs):
    pytest.importorskip("matplotlib").use("Agg")
    shown = select_components(sf.GaussianMixture(random_state=0), blobs, range(1, 5)).plot()
    assert [ax.get_title("left").partition(":")[0] for ax in shown.ax_] == ["log likelihood", "bic", "aic", "cv"]
