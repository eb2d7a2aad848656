"""A family for each column: the product of the named models, column by column."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import suffice as sf
from suffice.distributions import Categorical, Exponential, Gaussian, Mixture, Poisson
from suffice.errors import InvalidData, InvalidParameter

FAMILIES = {1: "bernoulli", 2: "poisson", 3: "categorical"}
NAMED = [sf.GaussianNB(), sf.BernoulliNB(), sf.PoissonNB(), sf.CategoricalNB()]


@pytest.fixture
def mixed(rng):
    y = rng.integers(0, 3, 150)
    X = np.column_stack([
        rng.normal(size=150) + y, rng.random(150) < 0.2 + 0.3 * y, rng.poisson(1.0 + 2 * y), rng.integers(0, 3 + y)
    ])  # fmt: skip
    return X.astype(float), np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("missing", [False, True])
def test_it_is_the_product_of_the_named_models(rng, mixed, missing):
    X, y = mixed
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    model = sf.NaiveBayes(FAMILIES).fit(X, y)
    joint = np.zeros((150, 3))
    for j, one in enumerate(NAMED):
        one.fit(X[:, [j]], y)
        joint += one.predict_joint_log_proba(X[:, [j]]) - one._log_prior()
    joint += model.class_log_prior_
    expected = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    assert_allclose(model.predict_log_proba(X), expected, rtol=1e-8, atol=1e-9)


def test_columns_by_name_and_any_distribution(mixed):
    pd = pytest.importorskip("pandas")
    X, y = mixed
    frame = pd.DataFrame(X, columns=["size", "flag", "visits", "kind"])
    frame["wait"] = np.exp(X[:, 0])
    families = {"visits": Poisson(), "wait": Exponential(), "kind": Categorical(), ("flag",): "bernoulli"}
    model = sf.NaiveBayes(families).fit(frame, y)
    part = model.families_[0].families[(4,)]
    waits = frame["wait"].to_numpy()
    assert_allclose(
        part.log_prob(waits[:5, None]), stats.expon(scale=waits[y == "a"].mean()).logpdf(waits[:5]), rtol=1e-9
    )
    with pytest.raises(InvalidParameter, match="there is no column 'visit'"):
        sf.NaiveBayes({"visit": "poisson"}).fit(frame, y)


def test_one_family_for_all_columns(mixed):
    X, y = mixed
    assert_allclose(
        sf.NaiveBayes("poisson").fit(X[:, [2]], y).predict_proba(X[:, [2]]),
        sf.PoissonNB().fit(X[:, [2]], y).predict_proba(X[:, [2]]),
        rtol=1e-9,
    )


def test_columns_that_share_a_gaussian(mixed):
    X, y = mixed
    pair = X[:, [0, 2]]
    together = sf.NaiveBayes({(0, 1): Gaussian()}).fit(pair, y)
    assert_allclose(together.predict_proba(pair), sf.GaussianBayes("full").fit(pair, y).predict_proba(pair), rtol=1e-6)
    pair[3, 0] = np.nan
    with pytest.raises(InvalidData, match="share a Gaussian, which needs complete rows"):
        together.fit(pair, y)


def test_unseen_categories_and_never_seen_columns(mixed):
    X, y = mixed
    X[y == "a", 0] = np.nan
    model = sf.NaiveBayes(FAMILIES).fit(X, y)
    row = np.array([[0.0, 1.0, 3.0, 99.0]])
    assert np.isfinite(model.predict_log_proba(row)).all()
    alone = sf.CategoricalNB().fit(X[:, [3]], y).predict_joint_log_proba([[99.0]])
    found = sf.NaiveBayes({0: "categorical"}).fit(X[:, [3]], y).predict_joint_log_proba([[99.0]])
    assert_allclose(found, alone, rtol=1e-12)


def test_rows_come_and_go(mixed):
    X, y = mixed
    model = sf.NaiveBayes(FAMILIES).partial_fit(X[:60], y[:60]).partial_fit(X[60:], y[60:]).remove(X[:30], y[:30])
    assert_allclose(model.predict_proba(X), sf.NaiveBayes(FAMILIES).fit(X[30:], y[30:]).predict_proba(X), rtol=1e-8)


@pytest.mark.parametrize("family", ["laplace", "negative_binomial"])
def test_rows_go_where_the_values_are_kept(mixed, family):
    X, y = mixed[0][:, [2]], mixed[1]
    model = sf.NaiveBayes(family).fit(X, y).remove(X[:40], y[:40])
    assert_allclose(model.predict_proba(X), sf.NaiveBayes(family).fit(X[40:], y[40:]).predict_proba(X), rtol=1e-9)
    with pytest.raises(InvalidData, match="NaiveBayes: these rows were never added: a value has fewer rows"):
        model.remove(X[:40] + 50, y[:40])


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_probabilities_of_categories_sum_to_one(mixed, alpha):
    X, y = mixed
    X[y == "a", 3] = np.nan  # never seen in one class
    X[:, 1] = np.nan  # nor in any
    categories = {(1, 3): "categorical"}
    for member in sf.NaiveBayes(categories, alpha=alpha).fit(X, y).families_:
        assert_allclose([p.sum() for p in member.families[1, 3].probability], 1.0, rtol=1e-12)
    codes = sf.CategoricalNB(alpha=alpha).fit(X[:, [1, 3]], y)
    assert_allclose([np.exp(own).sum(axis=1) for own in codes.feature_log_prob_[1:]], 1.0, rtol=1e-12)
    assert codes.sample(5, random_state=0)[0].shape == (5, 2)


def test_an_unseen_category_counts_as_one_without_rows(mixed):
    X, y = mixed[0][:, [3]], mixed[1]
    joint = sf.CategoricalNB(alpha=0.5).fit(X, y).predict_joint_log_proba([[99.0]])[0]
    n, K = np.unique(y, return_counts=True)[1], X.max() + 1
    assert_allclose(joint, np.log(n / n.sum()) + np.log(0.5 / (n + 0.5 * K)), rtol=1e-12)
    silent = sf.CategoricalNB(alpha=0).fit(X, y).predict_proba([[99.0]])[0]
    assert_allclose(silent, n / n.sum())


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (sf.NaiveBayes(var_smoothing=0), "column 0 does not vary in class 'b', .* Give var_smoothing a number above 0"),
        (sf.NaiveBayes("laplace"), "column 0 does not vary in class 'b', .* Give the floor of Laplace"),
        (sf.NaiveBayes({(0, 2): Gaussian()}), "column 0 does not vary in class 'b', .* Give the floor of Gaussian"),
    ],
)
def test_a_density_must_be_finite(mixed, model, words):
    X, y = mixed
    X[y == "b", 0] = 2.0
    with pytest.raises(InvalidData, match=f"NaiveBayes: {words}"):
        model.fit(X, y)


def test_columns_that_follow_from_each_other(mixed):
    X, y = mixed
    X[:, 2] = 2 * X[:, 0]
    with pytest.raises(InvalidData, match=r"columns \(0, 2\) follow from each other in class 'a'"):
        sf.NaiveBayes({(0, 2): Gaussian()}).fit(X, y)


@pytest.mark.parametrize("labels", [np.array([1, "b", 2] * 40, dtype=object), np.array([{}, {}, {}] * 40)])
def test_labels_that_cannot_be_sorted(mixed, labels):
    with pytest.raises(InvalidData, match=r"NaiveBayes: y, row [01] holds .* give all labels as text"):
        sf.NaiveBayes().fit(mixed[0][:120], labels[: len(mixed[0][:120])])


def test_text_and_numbers_do_not_become_one_class(mixed):
    X, y = mixed
    model = sf.GaussianNB().fit(X, np.repeat([1, 2], [60, len(y) - 60]))
    with pytest.raises(InvalidData, match=r"GaussianNB: some labels are text \('1'\) and others are not \(1\)"):
        model.partial_fit(X[:2], ["1", "x"])
    assert model.classes_.tolist() == [1, 2]


@pytest.mark.parametrize("n", [-1, 2.5, "x"])
def test_the_number_of_draws(mixed, n):
    with pytest.raises(InvalidParameter, match="n must be a whole number, at least 0"):
        sf.NaiveBayes().fit(*mixed).sample(n)


@pytest.mark.parametrize("cls", [sf.NaiveBayes, sf.GaussianNB, sf.GaussianBayes, sf.LinearDiscriminantAnalysis])
def test_a_score_counts_weights(mixed, cls):
    X, y = mixed
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    model, again = cls().fit(X, y), np.repeat(np.arange(len(y)), weight)
    assert model.score(X, y, weight) == pytest.approx(model.score(X[again], y[again]))


def test_samples(mixed):
    X, y = mixed
    drawn, classes = sf.NaiveBayes(FAMILIES).fit(X, y).sample(20_000, random_state=0)
    for c in "abc":
        assert_allclose(drawn[classes == c].mean(axis=0), X[y == c].mean(axis=0), atol=0.2)


@pytest.mark.parametrize(
    ("families", "words"),
    [
        ({0: "gausian"}, "Did you mean 'gaussian'"),
        ({0: 3}, "the family of 0 must be a distribution, or one of .*; got 3"),
        ({0: Mixture()}, "Mixture is fitted in iterations of EM"),
        ({7: "poisson"}, "families names column 7, but X has 4 columns"),
    ],
)
def test_refused_families(mixed, families, words):
    with pytest.raises(InvalidParameter, match=words):
        sf.NaiveBayes(families).fit(*mixed)


@pytest.mark.parametrize(("column", "value"), [(1, 0.5), (2, -1.0), (2, 1.5), (3, 0.5)])
def test_cells_outside_of_their_family_are_refused(mixed, column, value):
    X, y = mixed
    X[7, column] = value
    with pytest.raises(InvalidData, match=f"NaiveBayes: row 7, column {column} holds {value:g}"):
        sf.NaiveBayes(FAMILIES).fit(X, y)
