"""Anomalies by density: thresholds by share, by labels and by costs, with any density."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import f1_score
from sklearn.neighbors import KernelDensity, LocalOutlierFactor

import suffice as sf
from suffice.distributions import DiagonalGaussian, Gaussian, StudentT
from suffice.errors import IllConditioned, InvalidData
from suffice.models.anomaly.thresholds import Alarm, Scored, by_labels, by_share
from suffice.statistics import SortedValues


@pytest.fixture
def rows(rng):
    """190 normal rows and 10 that are not."""
    return np.concatenate([rng.normal(size=(190, 2)), rng.normal(0, 6, (10, 2))]), np.repeat([0, 1], [190, 10])


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=30), st.floats(0.01, 0.5))
def test_at_most_the_share_is_below(values, share):
    t = by_share(SortedValues.of(np.array(values, dtype=float)), share)
    below = np.sum(np.array(values) < t)
    assert below <= share * len(values) * (1 + 1e-9)
    next_value = min(v for v in values if v > t)
    assert below + values.count(next_value) > share * len(values)  # not one value more


labelled = st.lists(st.tuples(st.integers(-9, 9), st.booleans()), min_size=2, max_size=25).filter(
    lambda pairs: len({is_anomaly for _, is_anomaly in pairs}) == 2
)


@given(labelled)
def test_the_threshold_has_the_best_f1(pairs):
    score, anomaly = (np.array(column) for column in zip(*pairs, strict=True))
    scores = Scored(SortedValues.of(score[~anomaly]), SortedValues.of(score[anomaly]))

    def measure(t):
        return 2 * np.sum(anomaly & (score < t)) / (np.sum(anomaly) + np.sum(score < t))

    assert measure(by_labels(scores, None)) == pytest.approx(max(map(measure, np.arange(-9.5, 11))))


@given(labelled, st.floats(0.1, 10), st.floats(0.1, 10))
def test_the_threshold_has_the_least_cost(pairs, false, missed):
    score, anomaly = (np.array(column) for column in zip(*pairs, strict=True))
    scores = Scored(SortedValues.of(score[~anomaly]), SortedValues.of(score[anomaly]))
    cost = lambda t: false * np.sum(score[~anomaly] < t) + missed * np.sum(score[anomaly] >= t)  # noqa: E731
    assert cost(by_labels(scores, Alarm(false, missed))) == pytest.approx(min(map(cost, np.arange(-9.5, 11))))


@pytest.mark.parametrize("share", [0.05, 0.1, 0.33])
def test_contamination_is_the_share_of_alarms(rows, share):
    X, _ = rows
    model = sf.DensityAnomaly(contamination=share)
    alarms = model.fit_predict(X)
    assert np.sum(alarms == -1) == round(share * len(X))
    assert_array_equal(alarms == -1, model.score_samples(X) < model.offset_)
    assert_array_equal(alarms == -1, model.decision_function(X) < 0)
    assert model.threshold_ == model.offset_


def test_weights_count(rows, rng):
    X, _ = rows
    weight = rng.integers(0, 4, len(X))
    weighted = sf.DensityAnomaly(contamination=0.1).fit(X, sample_weight=weight)
    repeated = sf.DensityAnomaly(contamination=0.1).fit(X.repeat(weight, axis=0))
    assert weighted.threshold_ == pytest.approx(repeated.threshold_)


def test_labels_fit_the_density_to_normal_rows(rows):
    X, y = rows
    model = sf.DensityAnomaly(sf.GaussianMixture(1), anomaly=1).fit(X, y)
    alone = sf.GaussianMixture(1).fit(X[y == 0])
    assert_allclose(model.density_.means_, alone.means_)
    scores = alone.score_samples(X)
    best = max(f1_score(y, scores < t) for t in scores)
    assert f1_score(y, model.predict(X) == -1) == pytest.approx(best)
    dear = sf.DensityAnomaly(sf.GaussianMixture(1), anomaly=1, costs=(1, 1000)).fit(X, y)
    assert np.all(dear.predict(X)[y == 1] == -1)
    calm = sf.DensityAnomaly(sf.GaussianMixture(1), anomaly=1, costs=(1000, 1)).fit(X, y)
    assert np.all(calm.predict(X)[y == 0] == 1)
    assert calm.threshold_ <= model.threshold_ <= dear.threshold_


def test_labels_from_a_file(rows, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = rows
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(fraud=np.where(y, "yes", "no"))
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=60)
    source = sf.scan(tmp_path / "rows.parquet", target="fraud")
    from_file = sf.DensityAnomaly(anomaly="yes").fit(source)
    in_memory = sf.DensityAnomaly(anomaly="yes").fit(frame[["a", "b"]], frame["fraud"])
    assert from_file.threshold_ == pytest.approx(in_memory.threshold_)
    assert_array_equal(from_file.predict(source), in_memory.predict(frame[["a", "b"]]))
    with pytest.raises(InvalidData, match="KernelDensity needs the rows in memory"):
        sf.DensityAnomaly(KernelDensity()).fit(sf.scan(tmp_path / "rows.parquet", columns=["a", "b"]))


@pytest.mark.parametrize(
    "density",
    [Gaussian(), DiagonalGaussian(), StudentT(), sf.GaussianMixture(2, random_state=0), sf.PPCA(1), KernelDensity(),
     LocalOutlierFactor(novelty=True)],
    ids=lambda density: type(density).__name__,
)  # fmt: skip
def test_any_density(rows, density):
    X, y = rows
    model = sf.DensityAnomaly(density, contamination=0.05).fit(X)
    assert np.mean(model.predict(X)[y == 1] == -1) >= 0.5
    assert np.mean(model.predict(X)[y == 0] == 1) >= 0.97


def test_a_family_is_fitted_as_it_is(rows):
    X, _ = rows
    model = sf.DensityAnomaly(Gaussian()).fit(X)
    assert_allclose(model.score_samples(X), Gaussian().fit(X).log_prob(X), rtol=1e-6)


def test_foreign_densities_and_weights(rows):
    X, y = rows
    weight = np.where(y, 1.0, 2.0)
    weighted = sf.DensityAnomaly(KernelDensity()).fit(X, sample_weight=weight).density_
    assert_allclose(weighted.score_samples(X), KernelDensity().fit(X, sample_weight=weight).score_samples(X))
    with pytest.raises(InvalidData, match="LocalOutlierFactor takes no sample_weight"):
        sf.DensityAnomaly(LocalOutlierFactor(novelty=True)).fit(X, sample_weight=weight)
    labelled = sf.DensityAnomaly(KernelDensity(), anomaly=1).fit(X, y).density_
    assert_allclose(labelled.score_samples(X), KernelDensity().fit(X[y == 0]).score_samples(X))


def test_missing_values_where_the_density_takes_them(rows):
    X, _ = rows
    X[3, 1] = np.nan
    assert sf.DensityAnomaly().fit(X).predict(X).shape == (200,)
    with pytest.raises(InvalidData, match="DensityAnomaly: column 1, row 3 holds NaN"):
        sf.DensityAnomaly(KernelDensity()).fit(X)


def test_categories(rows):
    pd = pytest.importorskip("pandas")
    X, _ = rows
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(kind=np.where(np.arange(200) < 198, "usual", "rare"))
    model = sf.DensityAnomaly(sf.MixtureModel(1), contamination=0.05).fit(frame)
    twice = frame.iloc[[0, 0]].assign(kind=["usual", "rare"])
    usual, rare = model.score_samples(twice)
    assert usual - rare == pytest.approx(np.log(99), rel=1e-6)


@pytest.mark.parametrize("y", [np.zeros(200), np.ones(200)])
def test_one_kind_of_label_is_not_enough(rows, y):
    with pytest.raises(InvalidData, match="DensityAnomaly"):
        sf.DensityAnomaly(anomaly=1).fit(rows[0], y)


@pytest.mark.parametrize("family", ["gaussian", "diagonal_gaussian"])
@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
def test_columns_without_spread_have_a_floor(family):
    found = sf.DensityAnomaly(family).fit(np.ones((20, 2))).predict([[1.0, 1.0], [9.0, 1.0]])
    assert_array_equal(found, [1, -1])


def test_constant_columns_have_the_density_of_the_prior():
    with pytest.warns(IllConditioned, match="DensityAnomaly: component 0 has collapsed"):
        model = sf.DensityAnomaly("factor_gaussian").fit(np.ones((20, 2)))
    assert np.isfinite(model.threshold_)


def test_a_collapsed_component_is_named():
    with pytest.raises(InvalidData, match="DensityAnomaly: a component has collapsed onto equal values"):
        sf.DensityAnomaly("laplace").fit(np.ones((20, 2)))


def test_a_family_gives_the_same_threshold_again():
    X = np.random.default_rng(0).standard_t(4, (80, 2))
    assert sf.DensityAnomaly("t").fit(X).threshold_ == sf.DensityAnomaly("t").fit(X).threshold_


def test_weights_of_an_estimator_of_scikit_learn_are_repetitions():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    weighted = sf.DensityAnomaly(KernelDensity()).fit(X, sample_weight=weight)
    assert weighted.threshold_ == pytest.approx(
        sf.DensityAnomaly(KernelDensity()).fit(np.repeat(X, weight, 0)).threshold_
    )
