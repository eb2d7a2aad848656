"""Naive Bayes for flags, counts and categories against scikit-learn, SciPy and its own definition."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as sk
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import gammaln, logsumexp

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, SufficeWarning
from suffice.models.bayes.naive import NaiveClassifier
from suffice.models.registry import estimators

COUNTING = [sf.BernoulliNB, sf.MultinomialNB, sf.PoissonNB]
ALL = [*COUNTING, sf.CategoricalNB]


@pytest.fixture
def counts(rng):
    y = rng.integers(0, 3, 120)
    rates = rng.gamma(1.0, 2.0, (3, 6))
    return rng.poisson(rates[y]).astype(float), np.array(["x", "y", "z"])[y]


def _sk(cls):
    return getattr(sk, cls.__name__)


# -- scikit-learn -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"alpha": 0.3}, {"fit_prior": False}, {"class_prior": [0.2, 0.3, 0.5]}])
@pytest.mark.parametrize("cls", [sf.BernoulliNB, sf.MultinomialNB, sf.CategoricalNB])
def test_scikit_learn(rng, counts, cls, options):
    X, y = counts
    weight = rng.random(len(y)) + 0.1
    ours, theirs = (model(**options).fit(X, y, sample_weight=weight) for model in (cls, _sk(cls)))
    assert_allclose(ours.class_log_prior_, theirs.class_log_prior_, rtol=1e-12)
    assert_allclose(ours.class_count_, theirs.class_count_, rtol=1e-12)
    arrangements = gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1)  # which scikit-learn leaves out
    base = arrangements[:, None] if cls is sf.MultinomialNB else 0.0
    assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X) + base, rtol=1e-10)
    if cls is not sf.CategoricalNB:
        assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-10)
        assert_allclose(ours.feature_count_, theirs.feature_count_, rtol=1e-10)
        return
    for j in range(X.shape[1]):
        assert_allclose(ours.feature_log_prob_[j], theirs.feature_log_prob_[j], rtol=1e-10)
        assert_allclose(ours.category_count_[j], theirs.category_count_[j], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("binarize", [2.0, 0.5])
def test_binarize(counts, binarize):
    X, y = counts
    ours, theirs = (cls(binarize=binarize).fit(X, y) for cls in (sf.BernoulliNB, sk.BernoulliNB))
    assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-10)
    flags = (binarize < X).astype(float)
    given = sf.BernoulliNB(binarize=None).fit(flags, y)
    assert_allclose(given.predict_log_proba(flags), ours.predict_log_proba(X), rtol=1e-12)


def test_smoothing_of_each_column(counts):
    X, y = counts
    alpha = np.linspace(0.1, 2, 6)
    ours, theirs = (model(alpha=alpha).fit(X, y) for model in (sf.MultinomialNB, sk.MultinomialNB))
    assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-10)
    flags = np.stack([np.sum(X[y == c] > 0, axis=0) + alpha for c in "xyz"]) / (ours.class_count_[:, None] + 2 * alpha)
    assert_allclose(np.exp(sf.BernoulliNB(alpha=alpha).fit(X, y).feature_log_prob_), flags, rtol=1e-12)


# -- sparse matrices --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("cls", COUNTING)
def test_sparse_is_dense(counts, cls, kind):
    X, y = counts
    dense, sparse = cls().fit(X, y), cls().fit(kind(X), y)
    assert_array_equal(dense.feature_count_, sparse.feature_count_)
    assert_allclose(sparse.predict_log_proba(kind(X)), dense.predict_log_proba(X), rtol=1e-10)
    assert_allclose(sparse.log_density(kind(X)), dense.log_density(X), rtol=1e-10)
    pieces = cls().partial_fit(kind(X[:50]), y[:50]).partial_fit(kind(X[50:]), y[50:])
    assert_array_equal(pieces.feature_count_, dense.feature_count_)


@pytest.mark.parametrize("cls", COUNTING)
def test_sparse_missing_values_are_refused(counts, cls):
    X, y = counts
    X[4, 2] = np.nan
    with pytest.raises(InvalidData, match="row 4, column 2 holds NaN; in a sparse matrix no cell is missing"):
        cls().fit(sp.csr_matrix(X), y)


def test_zeros_of_a_sparse_matrix_are_no_flags(counts):
    with pytest.raises(InvalidParameter, match="binarize must be at least 0 for a sparse matrix"):
        sf.BernoulliNB(binarize=-1.0).fit(sp.csr_matrix(counts[0]), counts[1])


# -- what the models are ----------------------------------------------------------------------------------------------


def test_poisson_against_scipy(counts):
    X, y = counts
    model = sf.PoissonNB(alpha=0.5).fit(X, y)
    means = np.stack([(X[y == c].sum(axis=0) + 0.5) / (np.sum(y == c) + 0.5) for c in model.classes_])
    assert_allclose(model.rate_, means, rtol=1e-12)
    joint = stats.poisson.logpmf(X[:, None], means).sum(axis=2) + model.class_log_prior_
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-10)
    assert_allclose(model.predict_log_proba(X), joint - logsumexp(joint, axis=1)[:, None], rtol=1e-9, atol=1e-12)
    assert_allclose(model.log_density(X), logsumexp(joint, axis=1), rtol=1e-10)


def test_multinomial_density_against_scipy(counts):
    X, y = counts
    model = sf.MultinomialNB().fit(X, y)
    p = np.exp(model.feature_log_prob_)
    joint = np.stack([stats.multinomial.logpmf(X, X.sum(axis=1), own / own.sum()) for own in p], axis=1)
    assert_allclose(model.predict_joint_log_proba(X), joint + model.class_log_prior_, rtol=1e-9)
    assert_allclose(model.log_density(X), logsumexp(joint + model.class_log_prior_, axis=1), rtol=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_parts_of_counts_by_the_gamma_function(counts, kind):
    X, y = counts[0] / 3, counts[1]
    ours, theirs = (model().fit(X, y) for model in (sf.MultinomialNB, sk.MultinomialNB))
    assert_allclose(ours.predict_proba(kind(X)), theirs.predict_proba(X), rtol=1e-10)
    arrangements = gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1)
    joint = theirs.predict_joint_log_proba(X) + arrangements[:, None]
    assert_allclose(ours.predict_joint_log_proba(kind(X)), joint, rtol=1e-10)


@pytest.mark.parametrize("cls", [sf.BernoulliNB, sf.CategoricalNB])
def test_the_objective_is_the_negative_log_likelihood(counts, cls):
    X, y = counts
    model = cls().fit(X, y)
    joint = model.predict_joint_log_proba(X)
    expected = -joint[np.arange(len(y)), np.searchsorted(model.classes_, y)].sum()
    assert_allclose(model.history_.objective[-1], expected, rtol=1e-10)


@pytest.mark.parametrize("cls", ALL)
def test_samples_have_the_means_of_the_model(counts, cls):
    X, y = counts
    X = np.minimum(X, 3) if cls is sf.CategoricalNB else X
    model = cls().fit(X, y)
    drawn, classes = model.sample(30_000, random_state=1)
    means = {
        sf.BernoulliNB: lambda k: np.exp(model.feature_log_prob_[k]),
        sf.PoissonNB: lambda k: model.rate_[k],
        sf.CategoricalNB: lambda k: [np.exp(own[k]) @ np.arange(len(own[k])) for own in model.feature_log_prob_],
        sf.MultinomialNB: lambda k: np.exp(model.feature_log_prob_[k]) * round(X[y == model.classes_[k]].sum(1).mean()),
    }[cls]
    for k, c in enumerate(model.classes_):
        assert_allclose(drawn[classes == c].mean(axis=0), means(k), rtol=0.1, atol=0.05)


# -- missing values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", ALL)
def test_a_row_of_missing_values_is_judged_by_the_prior(counts, cls):
    X, y = counts
    model = cls().fit(X, y)
    found = model.predict_proba(np.full((1, 6), np.nan))
    assert_allclose(found[0], np.exp(model.class_log_prior_))


@pytest.mark.parametrize("cls", [sf.BernoulliNB, sf.PoissonNB, sf.CategoricalNB])
def test_missing_values_are_left_out(rng, counts, cls):
    """What is seen of a column decides its estimates, and a missing value leaves its factor out of the product."""
    X, y = counts
    X[rng.random(X.shape) < 0.3] = np.nan
    model = cls().fit(X, y)
    joint = np.tile(model.class_log_prior_, (len(X), 1))
    for j in range(X.shape[1]):
        seen = ~np.isnan(X[:, j])
        one = cls(class_prior=np.exp(model.class_log_prior_)).fit(X[seen][:, [j]], y[seen])
        joint[seen] += one.predict_joint_log_proba(X[seen][:, [j]]) - one.class_log_prior_
    assert_allclose(model.predict_joint_log_proba(X), joint, rtol=1e-9)


def test_missing_values_of_a_multinomial(counts):
    """Given the sum of the counts that are there, they are multinomial with the probabilities of their columns."""
    X, y = counts
    model = sf.MultinomialNB().fit(X, y)
    missing = X.copy()
    missing[:, :2] = np.nan
    p = np.exp(model.feature_log_prob_[:, 2:])
    seen = X[:, 2:]
    joint = np.stack([stats.multinomial.logpmf(seen, seen.sum(axis=1), own / own.sum()) for own in p], axis=1)
    joint += model.class_log_prior_
    assert_allclose(model.predict_joint_log_proba(missing), joint, rtol=1e-9)
    missing = X.copy()
    missing[::2, 0] = np.nan
    scaled = sf.MultinomialNB(alpha=0).fit(missing, y)
    means = np.stack([np.nanmean(missing[y == c], axis=0) for c in scaled.classes_])
    assert_allclose(np.exp(scaled.feature_log_prob_), means / means.sum(axis=1, keepdims=True), rtol=1e-10)


@pytest.mark.parametrize("cls", ALL)
def test_a_column_of_gaps(counts, cls):
    X, y = counts
    padded = np.column_stack([X, np.full(len(X), np.nan)])
    found = cls().fit(padded, y)
    if cls is not sf.MultinomialNB:  # there it takes a part of the smoothing
        assert_allclose(found.predict_proba(padded), cls().fit(X, y).predict_proba(X), rtol=1e-9, atol=1e-12)
    other = np.column_stack([X, np.ones(len(X))])
    assert np.isfinite(found.predict_log_proba(other)).all()


# -- rows added and removed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", ALL)
def test_rows_and_classes_come_and_go(counts, cls):
    X, y = counts
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    last = y != "z"
    model = cls().fit(X, y).remove(X[~last], y[~last])
    expected = cls().fit(X[last], y[last])
    assert list(model.classes_) == ["x", "y"]
    assert_allclose(model.predict_proba(X[last]), expected.predict_proba(X[last]), rtol=1e-9)
    model.partial_fit(X[~last], y[~last])
    assert_allclose(model.predict_proba(X), cls().fit(X, y).predict_proba(X), rtol=1e-9)


# -- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [sf.MultinomialNB, sf.PoissonNB, sf.CategoricalNB])
@pytest.mark.parametrize("sparse", [False, True])
def test_negative_counts_are_refused(counts, cls, sparse):
    X, y = counts
    X[5, 3] = -2
    rows = sp.csr_matrix(X) if sparse and cls is not sf.CategoricalNB else X
    with pytest.raises(InvalidData, match=r"row 5, column 3 holds -2\. Negative values"):
        cls().fit(rows, y)


@pytest.mark.parametrize("cls", [sf.PoissonNB, sf.CategoricalNB])
def test_fractions_are_refused(counts, cls):
    X, y = counts
    X[5, 3] = 1.5
    with pytest.raises(InvalidData, match=r"row 5, column 3 holds 1\.5"):
        cls().fit(X, y)
    with pytest.raises(InvalidData, match=r"row 0, column 3 holds 1\.5"):
        cls().fit(np.floor(X), y).predict(X[5:6])


def test_fractions_are_words_of_less_weight(counts):
    X, y = counts
    assert_allclose(
        sf.MultinomialNB(alpha=0.25).fit(X / 4, y).feature_log_prob_, sf.MultinomialNB().fit(X, y).feature_log_prob_
    )


def test_flags_are_zeros_and_ones(counts):
    with pytest.raises(InvalidData, match="Bernoulli needs 0 or 1"):
        sf.BernoulliNB(binarize=None).fit(*counts)


def test_unseen_categories(counts):
    X, y = np.array([[0.0], [0.0], [1.0], [2.0]]), ["a", "a", "a", "b"]
    model = sf.CategoricalNB(alpha=0.5, fit_prior=False).fit(X, y)
    share = np.array([0.5 / (3 + 1.5), 0.5 / (1 + 1.5)])
    assert_allclose(model.predict_proba([[9]])[0], share / share.sum(), rtol=1e-12)
    silent = sf.CategoricalNB(alpha=0).fit(X, y)
    assert_allclose(silent.predict_proba([[9]])[0], [0.75, 0.25])
    wide = sf.CategoricalNB(min_categories=5).fit(X, y)
    assert_array_equal(wide.n_categories_, [5])


def test_no_smoothing_makes_the_unseen_impossible():
    X, y = np.array([[1, 0], [1, 1]]), [0, 1]
    assert_allclose(sf.BernoulliNB(alpha=0).fit(X, y).predict_proba(X), [[1, 0], [0, 1]], atol=1e-12)
    assert_allclose(sf.MultinomialNB(alpha=0).fit(X, y).predict_proba([[0, 1]]), [[0, 1]], atol=1e-12)
    assert_allclose(sf.PoissonNB(alpha=0).fit(X, y).predict_proba([[1, 3]]), [[0, 1]], atol=1e-12)


@pytest.mark.parametrize("cls", ALL)
def test_one_class_only(counts, cls):
    X = counts[0]
    model = cls().fit(X, np.ones(len(X), dtype=int))
    assert_array_equal(model.predict(X), 1)
    assert_allclose(model.predict_proba(X), 1)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (sf.BernoulliNB(alpha=[1.0, 2.0]), r"alpha must have one number a column, shape \(6,\); got shape \(2,\)"),
        (sf.MultinomialNB(alpha=[1.0] * 5 + [-1.0]), "alpha must be at least 0"),
        (
            sf.MultinomialNB(class_prior=[0.5, 0.5]),
            r"class_prior must have one number a class, shape \(3,\); got shape \(2,\)",
        ),
        (sf.CategoricalNB(min_categories=[2, 3]), "min_categories must be whole numbers, one a column, 6"),
        (sf.CategoricalNB(min_categories=0), "min_categories must be an integer, at least 1"),
    ],
)
def test_refusals(counts, model, words):
    with pytest.raises(InvalidParameter, match=words):
        model.fit(*counts)


def test_many_columns_of_unequal_numbers_of_categories(rng):
    sizes = rng.integers(1, 9, 300)  # wide enough that columns are shared out among threads
    y = rng.integers(0, 11, 400)  # more classes than a vector of doubles holds
    X = rng.integers(0, sizes, (400, 300)).astype(float)
    ours, theirs = (cls().fit(X, y) for cls in (sf.CategoricalNB, sk.CategoricalNB))
    assert_allclose(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10)
    unseen = X.copy()
    unseen[:, 5], unseen[0, :9] = sizes[5], np.nan
    said = ours.predict_joint_log_proba(unseen) - ours.predict_joint_log_proba(
        np.where(unseen == sizes, np.nan, unseen)
    )
    never = -np.log(ours.class_count_ + sizes[5])
    assert_allclose(said[1:], np.broadcast_to(never, said[1:].shape), rtol=1e-9)


@pytest.mark.parametrize("wrong", [0.5, -1.0])
def test_a_cell_that_is_no_code_is_named_at_predict(rng, wrong):
    X = rng.integers(0, 3, (40, 4)).astype(float)
    model = sf.CategoricalNB().fit(X, np.resize(["a", "b"], 40))
    X[7, 2] = wrong
    with pytest.raises(InvalidData, match="row 7, column 2 holds"):
        model.predict(X)


@pytest.mark.parametrize("way", ["predict", "predict_proba", "predict_log_proba"])
@pytest.mark.parametrize("name", [name for name, cls in estimators().items() if issubclass(cls, NaiveClassifier)])
def test_a_row_that_is_impossible_in_every_class_gets_the_prior_with_one_warning(name, way):
    options = {"families": "bernoulli"} if name == "NaiveBayes" else {}
    X, y, prior = np.eye(2)[[0, 0, 1, 1]], ["a", "a", "b", "b"], np.array([0.3, 0.7])
    model = getattr(sf, name)(alpha=0, class_prior=prior, **options).fit(X, y)
    rows = np.tile([[1.0, 0.0], [1.0, 1.0]], (3000, 1))
    with pytest.warns(SufficeWarning) as told:
        found = getattr(model, way)(rows)
    assert [str(one.message) for one in told] == [
        f"{name}: 3,000 rows, the first of them row 1, are impossible in every class and get P(class); give alpha a "
        "number above 0."
    ]
    expected = {"predict": "b", "predict_proba": prior, "predict_log_proba": np.log(prior)}[way]
    assert np.all(found[1::2] == expected) if way == "predict" else np.allclose(found[1::2], expected)
    getattr(model, way)(rows[::2])  # possible, and no warning


def test_one_impossible_row_of_a_sparse_matrix_is_named():
    model = sf.BernoulliNB(alpha=0).fit(sp.csr_matrix(np.eye(2)), ["a", "b"])
    with pytest.warns(SufficeWarning, match="row 1 is impossible in every class and gets"):
        assert_allclose(model.predict_proba(sp.csr_matrix([[1.0, 0.0], [1.0, 1.0]])), [[1, 0], [0.5, 0.5]])


@pytest.mark.parametrize("cls", ALL)
def test_a_file_of_one_class_only(counts, cls, tmp_path):
    model = cls().fit(counts[0], ["x"] * len(counts[0]))
    sf.save(model, tmp_path / "model.sff")
    assert set(sf.load(tmp_path / "model.sff").predict(counts[0])) == {"x"}


@pytest.mark.parametrize("d", [1, 5, 50, 200])
def test_joint_probabilities_of_counts_of_any_size_are_those_of_the_definition(d):
    rng = np.random.default_rng(d)
    X = rng.poisson(2.0, (300, d)).astype(float)
    X[:100] *= 0.5  # parts of counts
    X[100:110] *= 1e4  # beyond any table
    y = rng.integers(0, 10, 300)
    model = sf.MultinomialNB().fit(X, y)
    base = gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1)
    scores = X @ model.feature_log_prob_.T + model.class_log_prior_
    assert_allclose(model.predict_joint_log_proba(X), scores + base[:, None], rtol=1e-10, atol=1e-9)
    assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    assert_array_equal(model.predict_joint_log_proba(X[7:9]), model.predict_joint_log_proba(X)[7:9])  # bit by bit


@pytest.mark.parametrize("d", [3, 400])
@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_joint_log_proba"])
def test_a_count_below_0_is_refused_by_every_question(method, d):
    X = np.ones((100, d))
    model = sf.MultinomialNB().fit(X, np.arange(100) % 4)
    X[70, 2] = -1
    with pytest.raises(InvalidData, match="row 70, column 2 holds -1"):
        getattr(model, method)(X)
