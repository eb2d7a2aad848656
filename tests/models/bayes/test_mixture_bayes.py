"""Classes that are mixtures: against a mixture of each class, and where one Gaussian is not enough."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp

import suffice as sf
from suffice.data import Chunk
from suffice.errors import InvalidData, InvalidParameter


@pytest.fixture
def rings(rng):
    """Two classes of two clusters each, at the corners of a square: no plane or quadric of one Gaussian parts them."""
    corner = rng.integers(0, 4, 600)
    X = np.array([[0, 0], [6, 6], [0, 6], [6, 0]])[corner] + rng.normal(size=(600, 2))
    return X, np.where(corner < 2, "even", "odd")


def test_classes_of_two_clusters(rings):
    X, y = rings
    assert sf.LinearDiscriminantAnalysis().fit(X, y).score(X, y) < 0.7
    model = sf.MixtureBayes(2, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.98
    centres = np.round(np.sort(model.mixtures_[0].parts[0].mean))
    assert np.isin(centres, [0, 6]).all()


def test_each_class_is_a_mixture_of_its_rows(rings):
    X, y = rings
    model = sf.MixtureBayes(2, priors=[0.3, 0.7], random_state=0).fit(X, y)
    joint = np.stack([mixture.log_prob(X) for mixture in model.mixtures_], axis=1) + np.log([0.3, 0.7])
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-12)
    assert_allclose(model.log_density(X), logsumexp(joint, axis=1), rtol=1e-12)
    expected = -joint[np.arange(600), np.searchsorted(model.classes_, y)].sum()
    assert_allclose(model.history_.objective[-1], expected, rtol=1e-3)


def test_one_component_is_the_quadratic_discriminant(rings):
    X, y = rings
    one = sf.MixtureBayes(1, reg_covar=0).fit(X, y)
    assert_allclose(
        one.predict_proba(X), sf.QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X), rtol=1e-6, atol=1e-12
    )


def test_components_of_each_class(rings):
    X, y = rings
    model = sf.MixtureBayes({"even": 2, "odd": 3}, random_state=0).fit(X, y)
    assert [len(mixture.parts) for mixture in model.mixtures_] == [2, 3]
    with pytest.raises(InvalidParameter, match="at least 1, for class 'odd'; got None"):
        sf.MixtureBayes({"even": 2}).fit(X, y)


def test_missing_values(rng, rings):
    X, y = rings
    missing = X.copy()
    missing[rng.random(X.shape) < 0.2] = np.nan
    model = sf.MixtureBayes(2, random_state=0).fit(missing, y)
    assert model.score(X, y) > 0.95
    assert_allclose(model.predict_proba([[np.nan, np.nan]])[0], model.priors_)
    missing[:, 1] = np.nan
    with pytest.raises(InvalidData, match="MixtureBayes: class 'even'"):
        sf.MixtureBayes(2).fit(missing, y)


def test_samples_look_like_the_rows(rings):
    X, y = rings
    model = sf.MixtureBayes(2, random_state=0).fit(X, y)
    drawn, classes = model.sample(20_000, random_state=1)
    for c in ("even", "odd"):
        assert_allclose(drawn[classes == c].mean(axis=0), X[y == c].mean(axis=0), atol=0.2)
        assert_allclose(np.cov(drawn[classes == c].T), np.cov(X[y == c].T), atol=0.6)


def test_a_class_of_one_row(rings):
    X, y = np.vstack([rings[0], [[50.0, 50.0]]]), np.append(rings[1], "far")
    model = sf.MixtureBayes(2, random_state=0).fit(X, y)
    assert_array_equal(model.predict([[50.0, 50.0]]), ["far"])


def test_partitions_are_summed_up_by_their_workers():
    """No rows come back from the workers but the sample that k-means begins with."""
    import dask
    import dask.array as da

    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    X = rng.normal(size=(600, 3)) + 3 * y[:, None]
    weight = rng.integers(0, 3, 600).astype(float)
    seen = []

    class Watch(dask.callbacks.Callback):
        def _posttask(self, key, value, dsk, state, worker_id):
            seen.append(getattr(value, "summary", None))

    parts = [da.from_array(a, chunks=(150, *a.shape[1:])) for a in (X, y, weight)]
    with Watch(), dask.config.set(scheduler="sync"):
        model = sf.MixtureBayes(2, random_state=0).fit(parts[0], parts[1], sample_weight=parts[2])
    assert len(seen) > 50
    assert not any(isinstance(value, Chunk) for value in seen)
    expected = sf.MixtureBayes(2, random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-8)


def test_more_components_than_rows_of_a_class(rng):
    X, y = rng.normal(size=(30, 2)), np.repeat(["a", "b"], [27, 3])
    weight = np.r_[np.ones(28), 0, 0]
    with pytest.raises(ValueError, match=r"components asks for 4 of class 'b', which has only 3 rows that count"):
        sf.MixtureBayes({"a": 1, "b": 4}).fit(X, y)
    with pytest.raises(ValueError, match=r"components asks for 2 of class 'b', which has only 1 rows that count"):
        sf.MixtureBayes({"a": 1, "b": 2}).fit(X, y, sample_weight=weight)
    assert len(sf.MixtureBayes(2, random_state=0, max_iter=1).fit(X, y, weight).mixtures_[1].parts) == 1


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_units_do_not_matter(scale):
    """A column that is constant within a class has the variance of the table to go by."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 4)) + 3 * np.eye(4)[rng.integers(0, 2, 120)], np.repeat([0, 1], 60)
    X[:60, 3] = 1.0
    plain, scaled = (sf.MixtureBayes(2, random_state=0).fit(unit * X, y) for unit in (1.0, scale))
    np.testing.assert_allclose(scaled.predict_proba(scale * X), plain.predict_proba(X), atol=1e-6)
