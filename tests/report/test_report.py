"""The report: one page that keeps its promises whatever the table is like."""

import contextlib
import io
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data import Needs
from suffice.errors import InvalidData, InvalidParameter
from suffice.estimator import Classifier, estimator
from suffice.report import candidates
from suffice.report.prediction import unfinished

# Classes that can be told apart have no largest likelihood: the process says so, and is as good.
pytestmark = pytest.mark.filterwarnings("ignore:GaussianProcessClassifier. the likelihood is largest")

VOID = {"meta", "input", "br", "img", "link", "hr"}
SELF_CLOSED = {"path", "rect", "circle"}


class Page(HTMLParser):
    """Checks that elements are closed in order, and keeps what tests look at."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.elements, self.words = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        assert tag in SELF_CLOSED

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


@pytest.fixture(scope="module")
def crabs():
    return sf.report("crabs", target="sp")


@pytest.fixture(scope="module")
def page(crabs):
    return Page(crabs.html)


def test_the_page_needs_nothing_else(crabs, page):
    assert len(crabs.html.encode()) < 3_000_000
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", crabs.html))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert not re.search(r"@import|url\(|<link|<iframe|<img", crabs.html)
    assert all("src" not in attrs for _, attrs in page.elements)
    assert all(attrs["href"].startswith("#") for attrs in page.all("a"))


def test_the_page_can_be_used_by_everyone(crabs, page):
    assert len(page.ids) == len(set(page.ids))
    assert page.all("html")[0]["lang"] == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(page.all(landmark)) == 1
    assert {attrs["href"][1:] for attrs in page.all("a")} <= set(page.ids)
    assert page.all("svg")
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in page.all("svg"))
    assert all("aria-label" in attrs for attrs in page.all("input"))
    for rule in (
        "prefers-color-scheme: dark",
        "prefers-reduced-motion",
        "@media print",
        ":focus-visible",
        "max-width: 40rem",
    ):
        assert rule in crabs.html


def test_every_section_is_there(page):
    titles = (
        "In short, Warnings, Columns, Associations, Pairs, Principal components, How many clusters, Hierarchy, "
        "Predicting sp, Models compared, Errors of the best, What it gets wrong, A tree to read, Code"
    )
    assert [title for title in titles.split(", ") if title not in page.text] == []


def test_the_code_gives_every_number_again(crabs):
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(crabs.code, "report", "exec"), names)
    again = crabs.results
    np.testing.assert_array_equal(names["pca"].explained_variance_ratio_, again["pca"].explained_variance_ratio_)
    np.testing.assert_array_equal(names["choice"].costs, again["choice"].costs)
    assert names["choice"].best == again["choice"].best
    assert names["components"].best == again["components"].best
    assert names["kmeans"].inertia_ == again["kmeans"].inertia_
    np.testing.assert_array_equal(names["mixture"].means_, again["mixture"].means_)
    np.testing.assert_array_equal(names["tree"].distances_, again["tree"].distances_)
    assert str(names["decision_tree"].rules()) == str(again["decision_tree"].rules())
    np.testing.assert_array_equal(names["found"].strength, again["associations"].strength)
    for mine, theirs in zip(names["comparison"].table(), again["comparison"].table(), strict=True):
        assert mine == pytest.approx(theirs, nan_ok=True)
    assert str(again["choice"]) in printed.getvalue()


@pytest.mark.parametrize(("table", "target"), [("iris", "species"), ("crabs", "CW")])
def test_the_code_finds_the_worst_rows_again(table, target):
    made, names = sf.report(table, target), {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(made.code, "report", "exec"), names)
    part = next(part for section in made.sections for part in section.parts if part.title == "What it gets wrong")
    listed = [(row[0], row[3]) for row in part.tables[0].rows]
    again = [
        (f"{names['labelled'].places[i]:,}", f"{names['loss'][i]:.3g}") for i in names["worst"] if names["loss"][i] > 0
    ]
    assert listed == again


def test_wide_tables_are_cut(rng):
    frame = pd.DataFrame(rng.normal(size=(40, 450))).rename(columns="c{}".format).assign(t=["p", "q"] * 20)
    made = sf.report(frame, "t", models={"naive": sf.GaussianNB()})
    text = Page(made.html).text
    assert "60 of 451 columns shown." in text
    assert "24 of 451 columns shown." in text
    assert "Of 450 columns of numbers 200 are used." in text
    assert "No more than the first 300 features are used" in text
    assert made.results["X"].shape == (40, 200)


def test_the_page_shows_the_numbers_of_the_library(crabs, page):
    found = crabs.results
    best = found["comparison"].table()[0]
    assert found["comparison"].best in page.text
    assert f"[{best['low']:.4g}, {best['high']:.4g}]" in page.text
    assert f"{100 * found['pca'].explained_variance_ratio_[:2].sum():.3g} % of the variance" in page.text
    assert f"{found['alignment'].adjusted_rand:.3f}" in page.text
    assert f"{found['description']['FL'].mean:.4g}" in page.text
    assert "dummy" in page.text


def test_training_error_stands_beside_future_error_in_words(crabs, page):
    found = crabs.results["comparison"]
    gap = found.gaps[found.best]
    assert f"{found.best} beside its training rows: {gap}." in page.text
    assert f"{gap.training:.4g}" in page.text
    for fit in ("overfit", "underfit"):
        told = [name for name, own in found.fits.items() if own == f"{fit}s" and name != "dummy"]
        assert not told or f"Beside {found.best}, {', '.join(told)} {fit}" in page.text
    assert set(found.fits.values()) > {""}


def test_the_summary_is_in_the_page(crabs, page):
    assert len(crabs.short) >= 4
    for line in crabs.short:
        assert line in page.text
        assert line in str(crabs)


def test_a_target_of_numbers():
    made = sf.report("crabs", target="CW")
    assert made.results["kind"] == "numbers"
    assert made.results["comparison"].measure.name == "r2"
    assert "Predicted against true CW" in made.html
    assert "off by" in Page(made.html).text


def test_the_worst_rows_are_the_worst():
    made = sf.report("iris", target="species")
    found = made.results["comparison"]
    best = found.evaluations[next(name for name in found.ranking if name != "dummy")]
    part = next(part for section in made.sections for part in section.parts if part.title == "What it gets wrong")
    wrong = np.flatnonzero(best.predicted != made.results["y"])
    assert {int(row[0]) for row in part.tables[0].rows} == set(wrong[:10].tolist()) or len(wrong) > 10
    assert all(row[1] != row[2] for row in part.tables[0].rows)


def test_large_tables_are_sampled(rng):
    frame = pd.DataFrame(rng.normal(size=(3_000, 3)), columns=list("abc")).assign(t=rng.choice(list("pq"), 3_000))
    made = sf.report(frame, "t", rows=500, models={"naive": sf.GaussianNB()})
    text = Page(made.html).text
    assert "500 of 3,000 rows shown" in text
    assert "250 of 3,000 rows shown" in text
    assert made.results["description"].rows == 3_000
    assert len(made.results["y"]) == 500
    assert "3,000 rows, 4 columns" in text


def test_the_same_seed_gives_the_same_page():
    one, two = (sf.report("faithful", random_state=3).html for _ in range(2))
    assert one == two


N = 40
RANDOM = np.random.default_rng(0)
MESSY = {
    "one row": (pd.DataFrame({"a": [1.0], "b": ["x"]}), "b"),
    "no rows": (pd.DataFrame({"a": np.empty(0), "b": np.empty(0)}), "b"),
    "no numbers": (pd.DataFrame({"a": RANDOM.choice(list("xyz"), N), "b": RANDOM.choice(list("pq"), N)}), "b"),
    "dates": (pd.DataFrame({"d": pd.date_range("2020-01-01", periods=N), "b": RANDOM.choice(list("pq"), N)}), "b"),
    "a target of dates": (pd.DataFrame({"d": pd.date_range("2020-01-01", periods=N), "v": RANDOM.normal(size=N)}), "d"),
    "constant columns": (pd.DataFrame({"c": np.ones(N), "t": ["same"] * N, "v": RANDOM.normal(size=N)}), "v"),
    "one class": (pd.DataFrame({"c": RANDOM.normal(size=N), "t": ["same"] * N}), "t"),
    "a target like an id": (pd.DataFrame({"c": RANDOM.normal(size=N), "t": [f"id{i}" for i in range(N)]}), "t"),
    "an empty column": (
        pd.DataFrame({"c": [np.nan] * N, "v": RANDOM.normal(size=N), "t": RANDOM.choice([0, 1], N)}),
        "t",
    ),
    "many missing values": (
        pd.DataFrame(np.where(RANDOM.random((N, 4)) < 0.6, np.nan, 1.5 + np.arange(N)[:, None]), columns=list("abct")),
        "t",
    ),
    "no target known": (pd.DataFrame({"v": RANDOM.normal(size=N), "t": [np.nan] * N}), "t"),
    "infinite": (pd.DataFrame({"v": np.where(RANDOM.random(N) < 0.2, np.inf, 1.0), "t": RANDOM.normal(size=N)}), "t"),
    "a rare class": (pd.DataFrame({"v": RANDOM.normal(size=N), "t": ["a"] * 20 + ["b"] * 18 + ["c"] * 2}), "t"),
    "yes and no": (pd.DataFrame({"v": RANDOM.random(N) < 0.5, "t": RANDOM.random(N) < 0.5}), "t"),
    "an array": (RANDOM.normal(size=(N, 3)), "x0"),
    "more columns than rows": (pd.DataFrame(RANDOM.normal(size=(12, 90))).rename(columns="c{}".format), "c0"),
}


@pytest.mark.parametrize("name", MESSY)
def test_messy_tables_get_a_report(name):
    data, target = MESSY[name]
    made = sf.report(data, target, seconds=2)
    text = Page(made.html).text
    assert "Traceback" not in text
    assert made.short[0] in text


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("one class", "No models were compared: the target 't' has only one class, 'same'."),
        (
            "a target like an id",
            "No models were compared: the target 't' has 40 different values in 40 rows, like an id.",
        ),
        ("a target of dates", "No models were compared: The target 'd' holds dates; classes or numbers are needed."),
        ("constant columns", "Column 'c' is constant."),
        ("an empty column", "Column 'c' has no values: all 40 are missing."),
        ("a rare class", "Classes with fewer than 5 rows are left out: c."),
        ("no numbers", "Nothing is said about structure"),
    ],
)
def test_what_cannot_be_done_is_said(name, sentence):
    data, target = MESSY[name]
    assert sentence in Page(sf.report(data, target, seconds=2).html).text


def test_names_and_cells_cannot_become_markup(rng):
    names = ["<script>alert(1)</script>", "a\"b'c\n</script><b>", "{{ 7 * 7 }}"]
    cells = rng.choice(["<img src=x onerror=alert(1)>", "</style><script>x</script>"], 60)
    frame = pd.DataFrame({names[0]: rng.normal(size=60), names[1]: cells, names[2]: rng.normal(size=60)})
    frame["t"] = rng.choice(["<b>p</b>", "q&amp;"], 60)
    page = Page(sf.report(frame, "t", seconds=2, title="</title><script>alert(2)</script>").html)
    assert [attrs.get("type") for attrs in page.all("script")].count("module") == 1
    assert all(attrs.get("type") in ("module", "application/json") for attrs in page.all("script"))
    assert page.all("img") == [] == page.all("b")
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert "{{ 7 * 7 }}" in page.text


def test_an_unknown_target_gets_a_hint():
    with pytest.raises(InvalidData, match="Did you mean 'species'"):
        sf.report("iris", target="specie")
    with pytest.raises(InvalidParameter, match="task must be one of auto, classes, numbers"):
        sf.report("iris", target="species", task="text")


def test_leaking_equal_and_copied_are_found(rng):
    x = rng.normal(size=80)
    frame = pd.DataFrame({"x": x, "again": x, "t": np.where(x > 0, "p", "q"), "noise": rng.normal(size=80)})
    said = sf.report(pd.concat([frame, frame[:1]]), "t", seconds=2).results["findings"]
    assert any("Column 'again' is the same as 'x'" in line for line in said)
    assert any("Column 'x' alone tells the target 't' almost perfectly" in line for line in said)
    assert any(line.startswith("1 row is a copy") for line in said)
    assert not any("'noise'" in line for line in said)


def test_a_model_that_is_added_is_compared(monkeypatch):
    @estimator
    class Fresh(Classifier):
        """A new classifier that knows one class."""

        needs = Needs(missing=True)  # nothing stands before it

        def fit(self, X, y=None, sample_weight=None):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.classes_[0], dtype=object)

    monkeypatch.setattr(Fresh, "__module__", "suffice.models.fresh")  # as if its file stood there
    assert "Fresh" in sf.report("iris", target="species").results["comparison"].evaluations


def _table(rng, **more):
    return pa.table({"a": rng.normal(size=60), "b": rng.normal(size=60), **more})


def test_the_order_of_models_is_that_of_their_kind_and_not_of_a_clock(rng):
    names = list(candidates(_table(rng), "classes").models)
    assert names[0] == "small tree"
    assert names.index("LinearDiscriminantAnalysis") < names.index("LogisticRegression")
    assert names.index("RandomForestClassifier") < names.index("MixtureBayes")
    forests = {"RandomForestClassifier", "ExtraTreesClassifier", "HistGradientBoostingClassifier"}
    assert {"DecisionTreeClassifier"} | forests <= set(names)
    assert not {"ID3Classifier", "C45Classifier"} & set(names)


def test_one_model_is_proposed_under_one_name(rng):
    names = set(candidates(_table(rng), "classes").models)
    assert {"NaiveBayes", "QuadraticDiscriminantAnalysis"} <= names
    assert not {"GaussianNB", "GaussianBayes", "DensityBayes"} & names


def test_flags_are_for_bernoulli(rng):
    flags = pa.table({"a": rng.integers(0, 2, 60).astype(float), "t": rng.choice(["x", "y"], 60).tolist()})
    assert "BernoulliNB" in candidates(flags, "classes").models
    assert candidates(_table(rng), "classes").left_out["BernoulliNB"].startswith("It is for columns of text")


def test_slow_models_are_left_out_and_named(rng):
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).assign(t=rng.choice(["p", "q"], 60))
    part = sf.report(frame, "t", seconds=1e-9).sections[-1].parts[0]
    assert "The best of 1 model is small tree" in part.words[0] or "No model tells" in part.words[0]
    assert any("not ready in time" in note for note in part.notes)
    assert unfinished({"a": "not finished: 3 of 5 folds within 1 s; give more seconds.", "b": "no luck"}) == [
        "a was not ready in time; with more seconds another model may be the best."
    ]
    assert unfinished({"b": "no luck"}) == []


@pytest.mark.parametrize("target", ["sex", "CW"])
def test_a_tree_can_be_read(target):
    made = sf.report("crabs", target, models={"forest": _forest(target), "dull": _dull(target)})
    importance, tree = made.sections[-1].parts[-4:-2]
    assert (importance.title, tree.title) == ("What the trees look at", "A tree to read")
    assert "Of the models with trees, forest is the best." in importance.words[0]
    assert importance.pictures
    ((title, rules),) = tree.texts
    assert title == "The tree as rules"
    assert rules == str(made.results["decision_tree"].rules())
    assert "other models may predict better" in tree.words[0]


def _forest(target):
    return (sf.RandomForestRegressor if target == "CW" else sf.RandomForestClassifier)(10, random_state=0)


def _dull(target):
    return (sf.DecisionTreeRegressor if target == "CW" else sf.DecisionTreeClassifier)(max_depth=0)


def test_the_preparation_that_is_told_is_the_one_that_is_done():
    numbers = sf.report("iris", "species", models={"forest": sf.RandomForestClassifier(5)})
    assert "No model needs the table prepared." in numbers.sections[-1].parts[0].words[1]
    models = {"forest": sf.RandomForestClassifier(5), "linear": sf.LogisticRegression()}
    mixed = sf.report("crabs", "sp", models=models).sections[-1].parts[0].words[1]
    assert (
        "categories become columns of 0 and 1 and columns are scaled; 1 of 2 models takes the table as it is" in mixed
    )
    assert "medians" not in mixed


def test_a_tree_of_noise_is_said_to_be_one(rng):
    frame = pd.DataFrame(rng.normal(size=(120, 2)), columns=["a", "b"]).assign(t=rng.permutation(["p", "q"] * 60))
    *_, importance, tree, _, _ = sf.report(frame, "t").sections[-1].parts
    assert "The tree is not clearly better than the dummy: its splits may be noise." in tree.words[0]
    assert importance.title == "What the trees look at"


def test_the_function_and_its_package_have_one_name():
    import importlib

    package = importlib.import_module("suffice.report")
    assert package("faithful").title == "faithful"
    assert package.report is not package
    assert callable(sf.report)
    with pytest.raises(AttributeError, match="no attribute 'reports'"):
        _ = package.reports


def test_a_report_is_saved_and_shown(crabs, tmp_path):
    path = crabs.save(tmp_path / "crabs.html")
    assert path.read_text(encoding="utf-8") == crabs.html
    shown = crabs._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" srcdoc=')
    assert "<script" not in shown


def test_two_columns_are_not_said_to_be_explained_by_two_components():
    two, five = sf.report("faithful", rows=60), sf.report("crabs", rows=60)
    assert not any("principal components explain" in line for line in two.short)
    assert any("Two principal components explain" in line and "of 5 columns" in line for line in five.short)


def test_named_models_that_cannot_learn_from_the_table_are_left_out_and_named(rng):
    frame = pd.DataFrame({"a": rng.choice(["x", "y"], 60), "t": rng.choice(["p", "q"], 60)})
    models = {"gaussian": sf.GaussianNB(), "tree": sf.DecisionTreeClassifier(max_depth=2)}
    made = sf.report(frame, "t", models=models)
    assert "tree" in made.results["comparison"].evaluations
    (left,) = made.sections[-1].parts[0].hidden
    assert left.rows == [("gaussian", "GaussianNB learns from numbers, and the table has no column of numbers.")]
    alone = sf.report(frame, "t", models={"gaussian": sf.GaussianNB()}).sections[-1].parts[0]
    assert alone.failed
    assert "learns from numbers" in alone.words[0]
