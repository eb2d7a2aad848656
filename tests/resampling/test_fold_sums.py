"""Fits without a fold from sums of the others: which splits and models share a pass, and that answers are the same."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import PredefinedSplit

import suffice as sf
from suffice.data import ArraySource, Chunk, as_source
from suffice.errors import IllConditioned, InvalidData
from suffice.resampling import MEASURES, Folds, LeaveOneOut, MonteCarlo, Search, problem, run_folds
from suffice.resampling.fold_sums import FoldedRows, key_of, left_out_sums
from suffice.resampling.partition import partition_of as folds_of
from suffice.resampling.shared_fits import shared_fits
from suffice.statistics import Moments

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4)) + 3
NUMBERS = X @ [1.0, -2.0, 0.5, 0.0] + RNG.normal(size=120)
CLASSES = np.array(["ant", "bee", "cat"])[np.digitize(NUMBERS, [-3, 0])]


def moments(chunk):
    return Moments.of(chunk.X, chunk.weight)


class Reads:
    """Counts how often the rows of a source are summed up."""

    def __init__(self, monkeypatch):
        self.times = 0
        plain = ArraySource.reduce

        def counted(source, summarise):
            self.times += 1
            return plain(source, summarise)

        monkeypatch.setattr(ArraySource, "reduce", counted)


@pytest.fixture
def reads(monkeypatch):
    return Reads(monkeypatch)


def refitted(model, X, y, found, weight=None):
    """The predictions of models that were fitted to the rows of each fold."""
    said = []
    for fold in found.folds:
        own = {} if weight is None else {"sample_weight": weight[fold.train]}
        said.append(model.fit(X[fold.train], y[fold.train], **own).predict(X[fold.test]))
    return said


def test_sums_of_all_parts_but_one():
    assert list(left_out_sums(["a", "b", "c", "d"])) == ["bcd", "acd", "abd", "abc"]
    assert list(left_out_sums([1, 2])) == [2, 1]


@pytest.mark.parametrize("splits", [5, Folds(3, repeats=2), "leave_one_out",
                                    PredefinedSplit(np.arange(120) % 4)])  # fmt: skip
@pytest.mark.parametrize(("model", "y"), [(sf.Ridge(2.0), NUMBERS), (sf.GaussianNB(), CLASSES),
                                          (sf.LinearDiscriminantAnalysis(), CLASSES)])  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_evaluate_gives_what_refitting_gives(model, y, splits, weighted):
    weight = RNG.integers(1, 4, 120).astype(float) if weighted else None
    found = sf.evaluate(model, X, y, splits=splits, sample_weight=weight)
    assert all(fold.shared for fold in found.folds)
    for fold, wanted in zip(found.folds, refitted(model, X, y, found, weight), strict=True):
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(fold.predicted, wanted, rtol=1e-9, atol=1e-9)
        else:
            np.testing.assert_array_equal(fold.predicted, wanted)


def test_one_pass_for_all_folds_and_all_penalties(reads):
    sf.evaluate(sf.Ridge(), X, NUMBERS, splits=10, measures="rmse")
    assert reads.times == 1
    reads.times = 0
    of = problem([sf.Ridge()], X, NUMBERS)
    search = Search.over({"alpha": [0.1, 1.0, 10.0]}, sf.Ridge(), MEASURES["rmse"], splits=5)
    best = search.best(sf.Ridge(), of, seed=0)
    assert reads.times == 1
    found = {a: sf.evaluate(sf.Ridge(a), X, NUMBERS, splits=5, measures="rmse") for a in (0.1, 1.0, 10.0)}
    scores = {a: one.spread().mean for a, one in found.items()}
    assert best["alpha"] == min(scores, key=scores.get)


def test_methods_of_models_with_other_parameters_are_not_shared(reads):
    of = problem([sf.BernoulliNB()], X, CLASSES)
    search = Search.over({"binarize": [2.0, 3.0, 4.0]}, sf.BernoulliNB(), MEASURES["accuracy"], splits=5)
    best = search.best(sf.BernoulliNB(), of, seed=0)
    assert reads.times == 3
    found = {
        b: sf.evaluate(sf.BernoulliNB(binarize=b), X, CLASSES, splits=5, measures="accuracy") for b in (2.0, 3.0, 4.0)
    }
    scores = {b: one.spread().mean for b, one in found.items()}
    assert best["binarize"] == max(scores, key=scores.get)


@pytest.mark.parametrize("splits", [MonteCarlo(3), "holdout", [(np.arange(60), np.arange(60, 120))],
                                    [(np.arange(60), np.arange(60, 90)), (np.arange(60, 120), np.arange(60))],
                                    ])  # fmt: skip
def test_splits_that_are_no_folds_are_fitted_by_themselves(splits):
    found = sf.evaluate(sf.Ridge(), X, NUMBERS, splits=splits)
    assert not any(fold.shared for fold in found.folds)


def test_folds_of_splits():
    rows = np.arange(6)
    halves = [(rows[3:], rows[:3]), (rows[:3], rows[3:])]
    found = folds_of([*halves, *halves], 6)
    assert [fold.tolist() for fold in found.folds] == [[0, 0, 0, 1, 1, 1]] * 2
    assert found.places == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert [(train.tolist(), test.tolist()) for train, test in found[1:3]] == [
        ([0, 1, 2], [3, 4, 5]),
        ([3, 4, 5], [0, 1, 2]),
    ]
    assert folds_of(found, 6) is found
    assert folds_of(halves[:1], 6) is None
    assert folds_of([halves[0], halves[0]], 6) is None
    assert folds_of([(np.array([3, 3, 4]), rows[:3]), halves[1]], 6) is None  # a row learned from twice
    assert folds_of([(rows[4:], rows[:3]), halves[1]], 6) is None


def test_text_columns_and_models_that_draw_are_fitted_by_themselves():
    import pandas as pd

    frame = pd.DataFrame({"town": RNG.choice(["Bath", "York"], 120), "age": X[:, 0]})
    of = problem([sf.NaiveBayes()], frame, CLASSES).split(5, 0)
    assert shared_fits(sf.NaiveBayes(), of) is None
    numbers = problem([sf.KMeans(2)], X, None).split(5, 0)
    assert shared_fits(sf.KMeans(2), numbers) is None
    assert sf.evaluate(sf.NaiveBayes(), frame, CLASSES, splits=5).folds[0].shared is False


def test_wide_and_sparse_rows_are_kept_by_their_summary_and_fitted_by_themselves():
    wide = RNG.normal(size=(30, 60))
    found = sf.evaluate(sf.Ridge(), wide, NUMBERS[:30], splits=5, measures="rmse")
    assert not any(fold.shared for fold in found.folds)
    for fold, wanted in zip(found.folds, refitted(sf.Ridge(), wide, NUMBERS[:30], found), strict=True):
        np.testing.assert_allclose(fold.predicted, wanted, rtol=1e-9)
    rows = sparse.random(120, 700, density=0.1, format="csr", random_state=1)
    found = sf.evaluate(sf.Ridge(), rows, NUMBERS, splits=5, measures="rmse")
    assert not any(fold.shared for fold in found.folds)
    counts = sf.evaluate(sf.MultinomialNB(), abs(rows), CLASSES, splits=5)
    assert all(fold.shared for fold in counts.folds)
    for fold, wanted in zip(counts.folds, refitted(sf.MultinomialNB(), abs(rows), CLASSES, counts), strict=True):
        np.testing.assert_array_equal(fold.predicted, wanted)


def test_columns_that_need_the_qr_summary_get_it_in_one_more_pass(reads):
    near = np.column_stack([X, X[:, 0] + 1e-5 * RNG.normal(size=120)])
    found = sf.evaluate(sf.LinearRegression(), near, NUMBERS, splits=6, measures="rmse")
    assert reads.times == 2
    assert all(fold.shared for fold in found.folds)
    for fold, wanted in zip(found.folds, refitted(sf.LinearRegression(), near, NUMBERS, found), strict=True):
        np.testing.assert_allclose(fold.predicted, wanted, rtol=1e-9)


def test_a_fold_that_holds_all_of_a_direction():
    """Taking its part away from the total would leave rounding; the sum of the others has none of it."""
    alone = np.column_stack([X, np.where(np.arange(120) < 24, 1e8 * RNG.normal(size=120), 1e-3 * RNG.normal(size=120))])
    fold = np.arange(120) // 24
    splits = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(5)]
    found = sf.evaluate(sf.LinearRegression(), alone, NUMBERS, splits=splits, measures="rmse")
    assert all(fold.shared for fold in found.folds)
    for fold, wanted in zip(found.folds, refitted(sf.LinearRegression(), alone, NUMBERS, found), strict=True):
        np.testing.assert_allclose(fold.predicted, wanted, rtol=1e-9)


def test_a_column_that_is_constant_without_a_fold_warns_as_a_fit_does():
    rows = X.copy()
    rows[24:, 3] = 1.0
    splits = [(np.arange(24, 120), np.arange(24)), (np.arange(24), np.arange(24, 120))]
    with pytest.warns(IllConditioned):
        found = sf.evaluate(sf.LinearRegression(), rows, NUMBERS, splits=splits, measures="rmse")
    with pytest.warns(IllConditioned):
        wanted = refitted(sf.LinearRegression(), rows, NUMBERS, found)
    for fold, own in zip(found.folds, wanted, strict=True):
        np.testing.assert_allclose(fold.predicted, own, rtol=1e-8)


def test_errors_and_missing_classes_are_those_of_a_fit():
    bad = X.copy()
    bad[7, 2] = np.inf
    with pytest.raises(InvalidData, match=r"evaluate: Ridge failed in fold 1 .*column 2, row 7"):
        sf.evaluate(
            sf.Ridge(), bad, NUMBERS, splits=[(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]
        )
    weight = np.where(np.arange(120) < 60, 1.0, 0.0)
    halves = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]
    kept = sf.evaluate(sf.Ridge(), X, NUMBERS, splits=halves, sample_weight=weight, on_error="keep", measures="rmse")
    assert "zero in every row" in kept.failed[2]
    order = np.argsort(CLASSES, kind="stable")
    thirds = np.array_split(np.arange(120), 3)
    by_class = [(np.setdiff1d(np.arange(120), part), part) for part in thirds]
    found = sf.evaluate(sf.GaussianNB(), X[order], CLASSES[order], splits=by_class, measures="accuracy")
    for fold, wanted in zip(found.folds, refitted(sf.GaussianNB(), X[order], CLASSES[order], found), strict=True):
        np.testing.assert_array_equal(fold.predicted, wanted)


def test_names_of_columns_and_single_precision():
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcd"))
    found = sf.evaluate(sf.Ridge(), frame, NUMBERS, splits=5)
    assert list(found.models[0].feature_names_in_) == list("abcd")
    assert found.folds[0].shared
    single = sf.evaluate(sf.Ridge(), X.astype(np.float32), NUMBERS, splits=5, measures="rmse")
    assert single.folds[0].predicted.dtype == np.float32


def test_sums_for_whoever_asks(reads):
    """What a path over penalties needs: the summary without each fold, from one pass."""
    fold = np.arange(120) % 3
    rows = FoldedRows(as_source(X), fold, 3)
    for out, found in enumerate(rows.sums_without(moments)):
        wanted = Moments.of(X[fold != out])
        np.testing.assert_allclose(found.scatter, wanted.scatter, rtol=1e-12)
        np.testing.assert_allclose(found.mean, wanted.mean, rtol=1e-12)
    assert rows.sums_without(moments) is rows.sums_without(moments)
    assert reads.times == 1
    left = rows.without(1)
    assert (left.n_rows, left.count(), len(left.gather().X)) == (80, 80, 80)
    np.testing.assert_array_equal(left.map(lambda chunk: chunk.X), X[fold != 1])


def test_functions_that_give_the_same():
    def of(shift):
        return lambda chunk: shift + len(chunk.X)

    assert key_of(of(1)) is None
    assert key_of(moments) == key_of(moments)
    assert key_of(sf.GaussianNB().summarise) == key_of(sf.GaussianNB().summarise)
    assert key_of(sf.BernoulliNB().summarise) != key_of(sf.BernoulliNB(binarize=1.0).summarise)
    assert key_of(sf.GaussianNB(priors=[0.5, 0.5]).summarise) == key_of(sf.GaussianNB(priors=[0.5, 0.5]).summarise)


def test_rows_without_numbers_have_no_folds():
    class Nameless(type(as_source(X).filtered(lambda chunk: chunk.X[:, 0] > 0))):
        def chunks(self):
            yield Chunk(X[:50])
            yield Chunk(X[50:])

        def reduce(self, summarise):
            first, second = map(summarise, self.chunks())
            return first + second

    source = as_source(X)
    nameless = Nameless(source.chunk, source.schema, source.needs)
    with pytest.raises(InvalidData, match="do not say which rows they hold"):
        FoldedRows(nameless, np.arange(120) % 3, 3).sums_without(moments)


def test_run_folds_shares_its_fits():
    of = problem([sf.Ridge()], X, NUMBERS).split(LeaveOneOut(), 0)
    folds = list(run_folds(sf.Ridge(), of, frozenset({"predicted"})))
    assert len(folds) == 120
    assert all(fold.shared for fold in folds)


def test_a_subclass_with_a_fit_of_its_own_is_fitted_by_that():
    class Cautious(sf.Ridge):
        def fit(self, X, y=None, sample_weight=None):
            return super().fit(np.clip(X, 0, 1), y, sample_weight)

    found = sf.evaluate(Cautious(), X, NUMBERS, splits=5, measures="rmse")
    assert not any(fold.shared for fold in found.folds)
