"""`compare`: differences of models in pairs."""

import matplotlib.pyplot
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.datasets import make_moons
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import SVC

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import Comparison, compare, evaluate
from suffice.resampling.intervals import corrected_t, paired_rates

CRABS, GEYSER = sf.datasets.load("crabs"), sf.datasets.load("faithful")
X, Y = CRABS.matrix(), CRABS["sp"]
MODELS = {"linear": sf.LinearDiscriminantAnalysis(), "naive": sf.GaussianNB()}


@pytest.fixture(scope="module")
def found():
    return compare(MODELS, X, Y, splits=10, measures=("accuracy", "log_loss"))


def test_published_figures():
    """The example "Statistical comparison of models using grid search" of scikit-learn prints a corrected t value of
    0.750 and a p value of 0.227 for these two."""
    moons, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    models = {"rbf": SVC(random_state=0), "linear": SVC(kernel="linear", random_state=0)}
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    known = compare(models, moons, y, measures="roc_auc", splits=splits).difference("rbf", "linear").known
    t = known.mean / known.scale
    assert round(t, 3) == 0.750
    assert round(float(stats.t.sf(t, known.freedom)), 3) == 0.227
    assert round(1 - known.below(0), 3) == 0.773


def test_differences_are_paired(found):
    assert found.best == "linear"
    assert set(found.to_best) == {"naive", "dummy"}
    assert set(found.to_dummy) == {"linear", "naive"}
    one, other = (evaluate(MODELS[name], X, Y, splits=10) for name in ("naive", "linear"))
    values = one.scores["accuracy"] - other.scores["accuracy"]
    difference = found.to_best["naive"]
    assert_allclose(difference.values, values)
    ours, theirs = difference.interval, corrected_t(values, 180, 20)
    assert ours.method == theirs.method
    assert_allclose((ours.value, ours.low, ours.high), (theirs.value, theirs.low, theirs.high), rtol=1e-12)
    assert difference.verdict == "worse"
    assert found.difference("linear", "naive").interval.value == -difference.interval.value


def test_probabilities_add_up(found):
    for name in ("accuracy", "log_loss"):
        p = found.difference("naive", "linear", name).probabilities
        assert sum(p.values()) == pytest.approx(1)
        assert p["worse"] > 0.9


def test_the_verdict_knows_which_way_is_better(found):
    losses = found.difference("naive", "linear", "log_loss")
    assert losses.interval.value > 0
    assert losses.verdict == "worse"
    assert "naive − linear, log_loss: " in str(losses)
    assert found.difference("linear", "dummy", "log_loss").verdict == "better"


@pytest.mark.parametrize(("zone", "verdict"), [(0.0, "worse"), (0.9, "equivalent"), (None, "worse")])
def test_the_zone_decides(zone, verdict):
    assert compare(MODELS, X, Y, splits=10, measures="accuracy", zone=zone).to_best["naive"].verdict == verdict


def test_without_a_zone_a_hundredth_of_the_dummy_does_not_matter():
    x, y = GEYSER.matrix(["eruptions"]), GEYSER["waiting"]
    found = compare({"ridge": sf.Ridge(), "least": sf.LinearRegression()}, x, y, measures="rmse")
    dummy = found.evaluations["dummy"].intervals["rmse"].value
    assert found.zone == pytest.approx(0.01 * dummy)
    assert found.to_best[found.ranking[1]].verdict == "equivalent"
    assert found.ranking[2] == "dummy"


def test_the_dummy_may_win(rng):
    noise, y = rng.normal(size=(120, 3)), np.array(["no", "yes"])[(rng.random(120) < 0.1).astype(int)]
    found = compare({"naive": sf.GaussianNB()}, noise, y, measures="log_loss", splits=5)
    assert found.best == "dummy"
    header = str(found).splitlines()[0]
    assert header.count("less dummy") == 1
    assert header.count("95 %") == 2


def test_models_that_answer_alike_still_have_a_width():
    same = compare({"a": sf.GaussianNB(), "b": sf.GaussianNB()}, X, Y, measures="accuracy", splits=5)
    assert same.difference("a", "b").interval == paired_rates(0, 0, 200)
    assert np.isnan(list(same.difference("a", "b").probabilities.values())).all()


@pytest.mark.parametrize(("splits", "method"), [("holdout", "jackknife t"), ("leave_one_out", "corrected t")])
def test_rows_are_paired_where_folds_are_not(splits, method):
    rows = np.r_[0:30, 100:130]
    found = compare(MODELS, X[rows], Y[rows], splits=splits, measures=("accuracy", "log_loss"), resamples=300)
    difference = found.difference("naive", "linear", "log_loss")
    assert difference.interval.method == method
    one, other = found.evaluations["naive"].answers, found.evaluations["linear"].answers
    pick = np.arange(len(one.rows))
    losses = np.log(other.probability[pick, other.truth]) - np.log(one.probability[pick, one.truth])
    assert difference.interval.value == pytest.approx(losses.mean())
    assert difference.interval.low < losses.mean() < difference.interval.high


def test_a_search_for_one_of_them():
    found = compare(MODELS, X, Y, splits=3, search={"naive": {"var_smoothing": [1e-9, 1e-2]}}, measures="accuracy")
    assert [fold.params is not None for fold in found.evaluations["naive"].folds] == [True] * 3
    assert found.evaluations["linear"].folds[0].params is None


def test_clusterings_have_no_dummy():
    found = compare({"two": sf.KMeans(2), "five": sf.KMeans(5)}, GEYSER.matrix(), measures="silhouette")
    assert found.best == "two"
    assert found.to_dummy == {}
    assert "less dummy" not in str(found)
    density = compare({"one": sf.GaussianMixture(1), "two": sf.GaussianMixture(2)}, GEYSER.matrix())
    assert density.best == "two"
    assert density.to_best["one"].verdict == "worse"


class Sometimes(DummyClassifier):
    """Fails where the first row of the table is missing from the fit."""

    def fit(self, X, y, sample_weight=None):
        if not (CRABS.matrix()[0] == X).all(axis=1).any():
            raise RuntimeError("gone")
        return super().fit(X, y, sample_weight)


def test_folds_that_failed_are_left_out_of_pairs():
    models = {"naive": sf.GaussianNB(), "sometimes": Sometimes()}
    found = compare(models, X, Y, splits=5, measures="accuracy", on_error="keep")
    difference = found.difference("sometimes", "naive")
    assert np.isnan(difference.values).sum() == 1
    assert difference.interval.value == pytest.approx(np.nanmean(difference.values))
    assert "sometimes: fold" in str(found)
    with pytest.raises(InvalidData, match="sometimes failed in fold"):
        compare(models, X, Y, splits=5, measures="accuracy")


def test_what_is_printed(found):
    lines = str(found).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["linear", "naive", "dummy"]
    assert lines[-1] == "larger is better; differences up to 0.01 do not matter"
    assert repr(found) == "Comparison(3 models by accuracy, best: linear)"
    first, second, _ = found.table()
    assert first["difference_to_best"] is None
    assert second["verdict_to_best"] == "worse"
    assert second["p_worse_to_best"] > 0.9
    assert isinstance(found, Comparison)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: compare({}, X, Y), "at least one"),
        (lambda: compare(sf.GaussianNB(), X, Y), "must map names to models"),
        (lambda: compare({"dummy": sf.GaussianNB()}, X, Y), "name yours otherwise"),
        (lambda: compare({1: sf.GaussianNB()}, X, Y), "must be text; got 1"),
        (lambda: compare({"a": sf.GaussianNB(), "b": sf.Ridge()}, X, Y), "classes, and Ridge gives numbers"),
        (lambda: compare(MODELS, X, Y, zone=-1), "zone must be a number, at least 0"),
        (lambda: compare(MODELS, X, Y, search={"naiv": {}}), "Did you mean 'naive'"),
        (lambda: compare(MODELS, X, Y, splits=2).difference("naiv", "linear"), "Did you mean 'naive'"),
    ],
)  # fmt: skip
def test_bad_input(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


def test_intervals_of_differences_cover():
    """Two rules that know one of two equal columns each: the true difference of their errors is 0."""
    rng, covered, runs = np.random.default_rng(3), 0, 60
    for _ in range(runs):
        y = np.arange(80) % 2
        x = rng.normal(size=(80, 2)) + y[:, None]
        first, second = (evaluate(sf.GaussianNB(), x[:, [j]], y, splits=5, measures="accuracy") for j in (0, 1))
        values = first.scores["accuracy"] - second.scores["accuracy"]
        covered += 0.0 in corrected_t(values, 64, 16)
    assert covered / runs > 0.9


def test_another_measure_may_decide(found):
    losses = found.by("log_loss")
    assert losses.measure.name == "log_loss"
    assert losses.zone == pytest.approx(0.01 * found.evaluations["dummy"].intervals["log_loss"].value)
    assert found.by("log_loss", zone=0.5).zone == 0.5
    assert losses.to_best["naive"].interval == found.difference("naive", "linear", "log_loss").interval


def test_comparisons_are_drawn(found):
    matplotlib.use("Agg")
    display = found.plot()
    assert list(display.names) == list(found.ranking)
    assert found.evaluations["naive"].confusion.plot().figure_ is not None
    matplotlib.pyplot.close("all")


def test_a_list_of_models_is_called_by_classes() -> None:
    import suffice as sf

    iris = sf.datasets.load("iris")
    models = [sf.GaussianNB(), sf.make_pipeline(sf.StandardScaler(), sf.GaussianNB()), sf.LinearDiscriminantAnalysis()]
    found = sf.compare(models, iris.matrix(), iris["species"], splits=3)
    assert list(found.evaluations) == ["GaussianNB 1", "GaussianNB 2", "LinearDiscriminantAnalysis", "dummy"]
    html = found._repr_html_()
    assert html.count("<tr>") == 1 + len(found.evaluations)
    assert "larger is better" in html
    assert found.evaluations["dummy"]._repr_html_().count("<tr>") == 1 + len(found.evaluations["dummy"].measures)


def test_differences_of_perfect_rankings_of_few_rows_have_width(rng):
    y = np.array(["fraud"] * 6 + ["fine"] * 120)
    X = rng.normal(size=(126, 2)) + 9 * (y == "fraud")[:, None]
    found = sf.compare({"one": sf.GaussianNB(), "other": sf.LogisticRegression()}, X, y, splits=3, measures="roc_auc")
    assert found.to_dummy["one"].interval.low < 0.3
    assert found.to_dummy["one"].verdict == "better"
    assert found.difference("one", "other").verdict == "undecided"
