"""Many classes by binary problems: scikit-learn's values, ties, normalised confidences, weights, sources."""

import numpy as np
import pytest
import sklearn.multiclass as sk
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

RNG = np.random.default_rng(0)
CENTRES = RNG.normal(size=(5, 4)) * 2
CODES = RNG.integers(0, 5, 300)
X = CENTRES[CODES] + RNG.normal(size=(300, 4)) * 1.5
Y = np.array(["ant", "bee", "cat", "dog", "eel"])[CODES]
NEW = RNG.normal(size=(200, 4)) * 3
ALL = (sf.OneVsRestClassifier, sf.OneVsOneClassifier, sf.OutputCodeClassifier)
LINEAR = [LogisticRegression(max_iter=1000), LinearSVC(), LinearDiscriminantAnalysis(), Perceptron()]


@pytest.mark.parametrize("inner", [*LINEAR, sf.LinearDiscriminantAnalysis()])
@pytest.mark.parametrize("name", ["OneVsRestClassifier", "OneVsOneClassifier"])
@pytest.mark.parametrize("classes", [5, 2])
def test_decisions_are_those_of_scikit_learn(inner, name, classes):
    some = classes > CODES
    ours, theirs = getattr(sf, name)(inner).fit(X[some], Y[some]), getattr(sk, name)(inner).fit(X[some], Y[some])
    np.testing.assert_array_equal(ours.predict(NEW), theirs.predict(NEW))
    found, wanted = ours.decision_function(NEW), theirs.decision_function(NEW)
    if name == "OneVsOneClassifier" and classes == 2:  # theirs is the vote and a third of this at most
        found = (found > 0) + found / (3 * (np.abs(found) + 1))
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
    assert len(ours.estimators_) == len(theirs.estimators_)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)


@pytest.mark.parametrize("inner", [LINEAR[0], GaussianNB(), sf.GaussianNB(), DecisionTreeClassifier(random_state=0)])
@pytest.mark.parametrize("classes", [5, 2])
def test_probabilities_of_one_vs_rest_are_those_of_scikit_learn(inner, classes):
    some = classes > CODES
    ours, theirs = sf.OneVsRestClassifier(inner), sk.OneVsRestClassifier(inner)
    found, wanted = (model.fit(X[some], Y[some]).predict_proba(NEW) for model in (ours, theirs))
    known = wanted.sum(axis=1) > 0
    np.testing.assert_allclose(found[known], wanted[known], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[~known], 1 / classes)  # theirs are all 0
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("inner", [LINEAR[0], GaussianNB()])
def test_words_of_scikit_learn_are_decoded_alike(inner):
    theirs = sk.OutputCodeClassifier(inner, code_size=2, random_state=0).fit(X, Y)
    code = np.where(theirs.code_book_ > 0, 1, -1)
    assert ((code > 0).any(axis=0) & (code < 0).any(axis=0)).all()
    ours = sf.OutputCodeClassifier(inner, code=code).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(NEW), theirs.predict(NEW))


@pytest.mark.parametrize("decoding", ["euclidean", "hamming", "hinge", "probability"])
def test_codes_of_one_and_of_pairs_against_the_rest_are_the_same_models(decoding):
    inner = sf.LinearDiscriminantAnalysis()
    rest = sf.OutputCodeClassifier(inner, code="one_vs_rest", decoding=decoding).fit(X, Y)
    if decoding in ("euclidean", "probability"):  # both rank classes by their own confidence
        np.testing.assert_array_equal(rest.predict(NEW), sf.OneVsRestClassifier(inner).fit(X, Y).predict(NEW))
    pairs = sf.OutputCodeClassifier(inner, code="one_vs_one", decoding=decoding).fit(X, Y)
    votes = sf.OneVsOneClassifier(inner).fit(X, Y).decision_function(NEW)
    most = votes.round().max(axis=1, keepdims=True) == votes.round()
    if decoding == "hamming":  # the word with the fewest wrong letters is the class with the most votes
        clear = most.sum(axis=1) == 1
        found = pairs.predict(NEW)[clear]
        np.testing.assert_array_equal(found, pairs.classes_[votes.argmax(axis=1)][clear])


def test_an_exhaustive_code_corrects_one_letter_of_five_classes():
    code = sf.OutputCodeClassifier(code="exhaustive").fit(X, Y).code_book_
    assert code.shape == (5, 15)
    assert len(np.unique(np.abs(code.T @ np.ones(5)))) > 1
    apart = ((code[:, None] != code[None]).sum(axis=2))[np.triu_indices(5, 1)]
    assert set(apart.tolist()) == {8}
    with pytest.raises(InvalidParameter, match="exhaustive code of 13 classes would need 4095"):
        sf.OutputCodeClassifier(code="exhaustive").fit(np.arange(26.0)[:, None], np.arange(26) % 13)


@pytest.mark.parametrize("code", ["random", "sparse_random"])
def test_random_codes_can_be_learned_and_follow_the_seed(code):
    books = [sf.OutputCodeClassifier(code=code, random_state=seed).fit(X, Y).code_book_ for seed in (0, 0, 1)]
    assert books[0].shape == (5, 7)
    assert ((books[0] > 0).any(axis=0) & (books[0] < 0).any(axis=0)).all()
    assert len(np.unique(books[0], axis=0)) == 5
    np.testing.assert_array_equal(books[0], books[1])
    assert not np.array_equal(books[0], books[2])
    few = sf.OutputCodeClassifier(code=code, code_size=0.1, random_state=0).fit(X, Y).code_book_
    assert few.shape == (5, 3)
    assert len(np.unique(few, axis=0)) == 5
    with pytest.raises(InvalidParameter, match="5 letters are too few for 32 different random words"):
        sf.OutputCodeClassifier(code="random", code_size=0.1, random_state=0).fit(
            np.arange(64.0)[:, None], np.arange(64) % 32
        )


@pytest.mark.parametrize(("code", "words"), [
    ([[1, 1], [-1, 1]], "one row for each of the 5 classes"),
    (np.ones((5, 2)), "column 0 of code must have both"),
    (np.full((5, 2), 0.5), "must hold −1, 0 and 1"),
    ([[1], [-1], [1], [-1], [0]], "rows 0 and 2 of code are equal"),
    ("word", "code must be"),
])  # fmt: skip
def test_words_that_cannot_be_used(code, words):
    with pytest.raises(InvalidParameter, match=words):
        sf.OutputCodeClassifier(code=code).fit(X, Y)


@pytest.mark.parametrize("kind", ALL)
def test_confidences_divided_by_the_length_of_the_slopes(kind):
    model = kind(LogisticRegression(max_iter=1000), normalize=True).fit(X, Y)
    norms = [np.linalg.norm(one.coef_) for one in model.estimators_]
    np.testing.assert_allclose(model.norms_, norms)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(InvalidParameter, match="GaussianNB has no coef_"):
        kind(sf.GaussianNB(), normalize=True).fit(X, Y)
    if kind is sf.OneVsRestClassifier:
        far = np.stack([one.decision_function(NEW) for one in model.estimators_], axis=1) / norms
        np.testing.assert_allclose(model.decision_function(NEW), far)
        np.testing.assert_array_equal(model.predict(NEW), model.classes_[far.argmax(axis=1)])


class Sides(ClassifierMixin, BaseEstimator):
    """Says 1 always, or 0 always: everything is tied."""

    def __init__(self, side=1):
        self.side = side

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.side)


class Circle(Sides):
    """The second class of the first and last of three pairs, the first of the other: every class has one vote."""

    def fit(self, X, y):
        self.first_, self.last_ = X[0, 0], X[-1, 0]
        return super().fit(X, y)

    def decision_function(self, X):
        return np.full(len(X), -3.0 if self.last_ - self.first_ > 1.5 else 2.0)


def test_ties_go_to_confidence_frequency_and_the_first_class():
    rows, labels = np.repeat([0.0, 1.0, 2.0], [2, 3, 5])[:, None], np.repeat(["a", "b", "c"], [2, 3, 5])
    assert sf.OneVsRestClassifier(Sides()).fit(rows, labels).predict(rows).tolist() == ["a"] * 10
    # a < b and b < c by 2, but c < a by 3: the sums of confidences are 3 − 2, 2 − 2 and 2 − 3
    votes = sf.OneVsOneClassifier(Circle()).fit(rows, labels)
    np.testing.assert_allclose(votes.decision_function(rows[:1])[0], [1 + 1 / 6, 1, 1 - 1 / 6])
    assert votes.predict(rows[:1]).tolist() == ["a"]
    assert sf.OneVsOneClassifier(Circle(), ties="frequency").fit(rows, labels).predict(rows[:1]).tolist() == ["c"]


@pytest.mark.parametrize("k", [3, 6])
def test_pairs_that_agree_are_coupled_to_their_probabilities(k):
    from suffice.models.multiclass.coupling import averaged, coupled

    p = np.random.default_rng(k).dirichlet(np.ones(k), size=500)
    first, second = np.triu_indices(k, 1)
    pairs = p[:, second] / (p[:, first] + p[:, second])
    np.testing.assert_allclose(coupled(pairs, k), p, rtol=1e-6, atol=1e-9)
    found = averaged(pairs, k)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_array_equal(found.argmax(axis=1), p.argmax(axis=1))


def test_coupled_probabilities_are_the_least_squares_of_wu_lin_and_weng():
    from scipy.optimize import minimize

    from suffice.models.multiclass.coupling import coupled

    second = np.random.default_rng(1).random((4, 6))
    first, last = np.triu_indices(4, 1)
    for row, found in zip(second, coupled(second, 4), strict=True):
        cost = lambda p, row=row: np.sum((row * p[first] - (1 - row) * p[last]) ** 2)  # noqa: E731
        whole = {"type": "eq", "fun": lambda p: p.sum() - 1}
        best = minimize(cost, np.full(4, 0.25), bounds=[(0, 1)] * 4, constraints=whole, options={"ftol": 1e-14})
        np.testing.assert_allclose(found, best.x, atol=1e-5)
    sure = coupled(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]), 3)
    np.testing.assert_allclose(sure.sum(axis=1), 1)
    assert sure[0].argmax() == 0


@pytest.mark.parametrize("decision", ["coupling", "average"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_probabilities_of_pairs_decide(decision, dtype):
    model = sf.OneVsOneClassifier(sf.GaussianNB(), decision=decision).fit(X.astype(dtype), Y)
    for far in (1.0, 1e3, 1e18):
        found = model.predict_proba((NEW * far).astype(dtype))
        assert found.dtype == dtype
        assert found.min() >= 0
        np.testing.assert_allclose(found.astype(float).sum(axis=1), 1, atol=1e-6)
        best = found.argmax(axis=1)
        clear = np.sort(found, axis=1)[:, -1] > np.sort(found, axis=1)[:, -2] * (1 + 1e-6)
        said = model.predict((NEW * far).astype(dtype))
        np.testing.assert_array_equal(said[clear], model.classes_[best][clear])
    assert not hasattr(sf.OneVsOneClassifier(sf.GaussianNB()), "predict_proba")
    with pytest.raises(InvalidParameter, match="LinearSVC does"):
        sf.OneVsOneClassifier(LinearSVC(), decision=decision).fit(X, Y)
    with pytest.raises(InvalidParameter, match="normalize is for votes"):
        sf.OneVsOneClassifier(LogisticRegression(), decision=decision, normalize=True).fit(X, Y)


def test_probabilities_of_words_are_products_of_letters():
    model = sf.OutputCodeClassifier(sf.GaussianNB(), code="exhaustive", decoding="probability").fit(X, Y)
    p = np.stack([one.predict_proba(NEW)[:, 1] for one in model.estimators_], axis=1)
    joint = np.prod(np.where(model.code_book_[None] > 0, p[:, None], 1 - p[:, None]), axis=2)
    np.testing.assert_allclose(
        model.predict_proba(NEW), joint / joint.sum(axis=1, keepdims=True), rtol=1e-8, atol=1e-12
    )
    assert not hasattr(sf.OutputCodeClassifier(sf.GaussianNB()), "predict_proba")
    with pytest.raises(InvalidParameter, match="decoding='probability' needs"):
        sf.OutputCodeClassifier(LinearSVC(), decoding="probability").fit(X, Y)


@pytest.mark.parametrize("kind", ALL)
def test_weights_are_passed_on(kind):
    weight = RNG.integers(0, 3, 300).astype(float)
    weight[CODES == 4] = 0  # a class without weight is not there
    again = np.repeat(np.arange(300), weight.astype(int))
    for inner in (sf.LinearDiscriminantAnalysis(), LogisticRegression(max_iter=1000, tol=1e-8)):
        options = {"random_state": 0} if kind is sf.OutputCodeClassifier else {}
        weighted = kind(inner, **options).fit(X, Y, sample_weight=weight)
        repeated = kind(inner, **options).fit(X[again], Y[again])
        assert weighted.classes_.tolist() == ["ant", "bee", "cat", "dog"]
        np.testing.assert_allclose(
            weighted.decision_function(NEW), repeated.decision_function(NEW), rtol=1e-3, atol=1e-3
        )
    with pytest.raises(InvalidData, match="takes no sample_weight"):
        kind(Sides()).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("kind", ALL)
def test_from_a_file_as_in_memory(kind, tmp_path):
    path = tmp_path / "table.csv"
    lines = [",".join([*(f"{cell:.17g}" for cell in row), label]) for row, label in zip(X, Y, strict=True)]
    path.write_text("\n".join(["a,b,c,d,y", *lines]))
    source = sf.scan(path, target="y")
    options = {"random_state": 0} if kind is sf.OutputCodeClassifier else {}
    ours = kind(sf.LinearDiscriminantAnalysis(), **options).fit(source)
    np.testing.assert_allclose(
        ours.decision_function(source),
        kind(sf.LinearDiscriminantAnalysis(), **options).fit(X, Y).decision_function(X),
        rtol=1e-7, atol=1e-9,
    )  # fmt: skip
    with pytest.raises(InvalidData, match=rf"{kind.__name__}: LogisticRegression needs the rows in memory"):
        kind(LogisticRegression()).fit(source)


@pytest.mark.parametrize("kind", ALL)
def test_one_class_and_sparse_rows(kind):
    alone = kind().fit(X, np.repeat("ant", 300))
    assert alone.predict(NEW[:2]).tolist() == ["ant", "ant"]
    assert alone.estimators_ == []
    assert alone.decision_function(NEW[:2]).shape == (2, 1)
    if hasattr(alone, "predict_proba"):
        np.testing.assert_array_equal(alone.predict_proba(NEW[:2]), 1)
    rows = sparse.csr_array(np.where(np.abs(X) < 1, 0, X))
    wide, dense = kind(LinearSVC(tol=1e-8, max_iter=20_000)), kind(LinearSVC(tol=1e-8, max_iter=20_000))
    if kind is sf.OutputCodeClassifier:
        wide.set_params(random_state=0), dense.set_params(random_state=0)
    found, wanted = (
        wide.fit(rows, Y).decision_function(rows),
        dense.fit(rows.toarray(), Y).decision_function(rows.toarray()),
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("kind", ALL)
def test_a_fit_that_is_ended_early_keeps_the_classifiers_it_has(kind):
    from suffice.observing import Iteration, Observer, observe

    class Stop(Observer):
        def __init__(self):
            self.done = 0

        def iteration_done(self, done: Iteration, snapshot: object) -> None:
            self.done += 1
            if self.done == 2:
                raise KeyboardInterrupt

    options = {"random_state": 0} if kind is sf.OutputCodeClassifier else {}
    model = kind(**options)
    with observe(Stop()), pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert model.history_.status == "interrupted"
    assert [one is None for one in model.estimators_][:3] == [False, False, True]
    assert set(model.predict(NEW)) <= set(Y)
    if kind is sf.OneVsRestClassifier:
        assert set(model.predict(NEW)) <= {"ant", "bee"}
        np.testing.assert_allclose(model.predict_proba(NEW).sum(axis=1), 1)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("inner", [3, sf.Ridge(), sf.GaussianNB])
def test_what_is_no_classifier_is_refused(kind, inner):
    with pytest.raises(InvalidParameter, match="estimator must be"):
        kind(inner).fit(X, Y)


def test_missing_values_and_errors_are_those_of_the_classifier_inside():
    gaps = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
    assert sf.OneVsOneClassifier(sf.GaussianNB()).fit(gaps, Y).score(gaps, Y) > 0.6
    with pytest.raises(InvalidData, match="OneVsOneClassifier"):
        sf.OneVsOneClassifier(LogisticRegression()).fit(gaps, Y)
