"""Every table of the corpus through describe, report, compare, fit and predict: what is said is true of the table."""

import io
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

import suffice as sf
from corpus.expectations import CASES
from corpus.sentences import check_sentence
from suffice.cli.main import run
from suffice.errors import InvalidData

TABLES = Path(__file__).parent / "tables"
MOST_BYTES, MOST_OF_ONE = 600_000, 30_000
NAMES = [case.table for case in CASES]
LEARNED = [case for case in CASES if case.score is not None]
CLASSES = {"tree": sf.DecisionTreeClassifier(max_depth=6, min_samples_leaf=3), "linear": sf.LogisticRegression(),
           "gaussian": sf.GaussianNB(), "nearest": sf.KNeighborsClassifier()}  # fmt: skip
NUMBERS = {"tree": sf.DecisionTreeRegressor(max_depth=6, min_samples_leaf=3), "linear": sf.Ridge(),
           "robust": sf.HuberRegressor()}  # fmt: skip


def path_of(case):
    return str(TABLES / f"{case.table}.csv")


@cache
def reported(case):
    """The report of a table, by few and quick models."""
    return sf.report(path_of(case), target=case.target, models=models_for(case))


def models_for(case):
    if case.target is None:
        return None
    column = next(c for c in sf.describe(path_of(case)).columns if c.name == case.target)
    return CLASSES if column.kind in ("categorical", "boolean") or few_whole(case) else NUMBERS


def few_whole(case):
    """Whether a target of numbers is taken as classes: up to ten whole numbers."""
    values = plain(case)[case.target].dropna()
    return values.dtype.kind in "iu" and values.nunique() <= 10


@cache
def plain(case):
    """The table as pandas reads it."""
    table = pd.read_csv(path_of(case), **{"encoding": "utf-8-sig", **READ_BY.get(case.table, {})})
    return table.rename(columns=CALLED.get(case.table, {}))


def money(cell):
    return float("".join(letter for letter in cell if letter in "0123456789.-"))


READ_BY = {
    "anes96": {"sep": "\t"},
    "modechoice": {"sep": ";"},
    "decimal_commas": {"sep": ";", "decimal": ","},
    "money": {"converters": dict.fromkeys(("revenue", "share", "units"), money)},
    "swiss_francs": {"sep": ";", "converters": dict.fromkeys(("price", "rent"), money)},
    "days_first": {"parse_dates": ["day"], "dayfirst": True},
    "comments": {"comment": "#"},
    "trailing_delimiters": {"sep": ";", "index_col": False},
    "short_header": {"sep": "\t", "header": 0, "names": ["column_1", "x", "y"]},
    "spreadsheet": {"sep": ";", "skiprows": 1},
    "hash_header": {"sep": "\t", "skiprows": 1},
}
CALLED = {
    "pandas_index": {"Unnamed: 0": "column_1"},
    "r_row_names": {"Unnamed: 0": "column_1"},
    "repeated_headers": {"value.1": "value.2"},
    "hash_header": {"#x": "x"},
}


class Words(HTMLParser):
    """What a reader sees of a page, without its scripts, styles and code."""

    def __init__(self, html):
        super().__init__()
        self.hidden, self.words = 0, []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style", "pre")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style", "pre")

    def handle_data(self, data):
        if not self.hidden:
            self.words.append(data)


def said(page):
    return " ".join(" ".join(Words(page.html).words).split())


def test_the_corpus_is_small_and_each_table_has_expectations():
    sizes = {path.stem: path.stat().st_size for path in TABLES.glob("*.csv")}
    assert len(NAMES) >= 40
    assert set(NAMES) <= set(sizes)
    assert sum(sizes.values()) <= MOST_BYTES
    assert max(sizes.values()) <= MOST_OF_ONE


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_description_is_of_the_table(case):
    if case.refused:
        with pytest.raises(InvalidData, match=case.refused):
            sf.describe(path_of(case))
        return
    about, table = sf.describe(path_of(case)), plain(case)
    assert (about.rows, len(about.columns)) == case.shape
    assert {c.name: c.kind for c in about.columns if c.name in case.kinds} == case.kinds
    for column in about.columns:
        own = table[column.name]
        assert column.missing == int(own.isna().sum())
        finite = pd.to_numeric(own, errors="coerce").replace([float("inf"), float("-inf")], float("nan")).dropna()
        if column.kind == "numeric" and len(finite):
            assert (column.minimum, column.maximum) == pytest.approx((finite.min(), finite.max()))
            assert column.mean == pytest.approx(finite.mean(), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_page_says_what_is_true_and_nothing_else(case):
    if case.refused:
        with pytest.raises(InvalidData, match=case.refused):
            sf.report(path_of(case), target=case.target)
        return
    page = reported(case)
    words = said(page)
    for pattern in case.says:
        assert re.search(pattern, words), f"the page does not say {pattern!r}"
    short = " ".join([*page.short, *page.results["findings"]])
    for pattern in case.silent:
        assert not re.search(pattern, short), f"the page says {pattern!r}: {short}"
    unmade = [part.title for section in page.sections for part in section.parts if part.failed]
    assert unmade == (["Models compared"] if case.untold else [])
    assert not case.untold or re.search(case.untold, words)


@pytest.mark.parametrize("case", [c for c in CASES if not c.refused], ids=[c.table for c in CASES if not c.refused])
def test_every_sentence_in_short_is_true(case):
    page = reported(case)
    for sentence in page.short:
        check_sentence(sentence, page, plain(case))


@pytest.mark.parametrize("case", LEARNED, ids=[case.table for case in LEARNED])
def test_the_best_score_is_what_the_law_of_the_table_allows(case):
    measure, low, high = case.score
    comparison = reported(case).results["comparison"]
    best = comparison.evaluations[comparison.best].intervals[measure]
    assert low <= best.value <= high
    assert best.low <= best.value <= best.high


@pytest.mark.parametrize("case", LEARNED, ids=[case.table for case in LEARNED])
def test_compare_fit_and_predict_in_the_shell(case, tmp_path, capsys):
    kind = "Classifier" if models_for(case) is CLASSES else "Regressor"
    tree = f"DecisionTree{kind}"
    options = ["--models", tree, "--folds", "2", "--json", "--no-progress"]
    assert run(["compare", path_of(case), "--target", case.target, *options]) == 0
    json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    model, out = str(tmp_path / "model.sff"), tmp_path / "out.csv"
    fitted = run(["fit", tree, path_of(case), "--target", case.target, "--max-depth", "4", "-o", model])
    if case.unfit:
        assert fitted == 2
        assert re.search(case.unfit, capsys.readouterr().err)
        return
    assert fitted == 0
    assert run(["predict", model, path_of(case), "-o", str(out)]) == 0
    assert len(pd.read_csv(io.StringIO(out.read_text(encoding="utf-8")))) == case.shape[0]
