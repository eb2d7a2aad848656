"""What the page says about how many clusters there are."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.report.collapse import collapsed
from suffice.report.rows import read_rows
from suffice.report.structure import filled_cells
from suffice.report.votes import votes
from suffice.selection.choose_k import Scores, Selection


def selection(last=8, **best):
    """A selection among 1 to `last` with these choices."""
    ks = tuple(range(1, last + 1))
    scores = {name: Scores(np.zeros(last), k) for name, k in best.items()}
    return Selection(ks, np.zeros(last), scores, "cost")


def test_a_majority_is_counted():
    said = votes(selection(elbow=3, penalty=3, silhouette=2, gap=3))
    assert said == "3 of 4 criteria choose k = 3 (elbow 3, penalty 3, silhouette 2, gap 3)."


def test_a_tie_is_no_choice():
    said = votes(selection(elbow=3, penalty=5, silhouette=2, gap=4))
    assert said.startswith(
        "The criteria disagree (elbow 3, penalty 5, silhouette 2, gap 4): k = 3, with 1 vote of 4, is only an example."
    )
    assert "2 votes of 4" in votes(selection(elbow=4, penalty=4, silhouette=2, gap=6))


@pytest.mark.parametrize(
    ("best", "is_said"),
    [
        ({"elbow": 4, "penalty": 4, "gap": 1}, "perhaps there are no clusters"),
        ({"penalty": 1, "gap": 1, "elbow": 3}, "One cluster is no clustering"),
        ({"elbow": 8, "penalty": 8, "gap": 3}, "so elbow and penalty may ask for more"),
    ],
)
def test_doubts_are_said_where_they_hold_and_only_there(best, is_said):
    assert is_said in votes(selection(**best))
    assert is_said not in votes(selection(elbow=4, penalty=4, gap=4))


def test_flat_components_are_named():
    round_one, flat = np.eye(2), np.diag([1.0, 1e-5])
    assert collapsed(np.array([round_one, 0.01 * round_one])) == []
    assert collapsed(np.array([flat, round_one]))[0].startswith("Component 0 is almost flat")
    assert collapsed(np.array([flat, round_one, flat]))[0].startswith("Components 0, 2 are almost flat")


@pytest.mark.parametrize("table", ["crabs", "usarrests"])
def test_one_fit_has_one_cost_and_one_bic(table):
    found = sf.report(table).results
    k, j = found["kmeans"].n_clusters, found["mixture"].n_components
    assert found["choice"].costs[k - 1] == pytest.approx(found["kmeans"].inertia_, rel=1e-12)
    assert found["components"].table["bic"][j - 1] == pytest.approx(found["mixture"].bic(found["X"]), rel=1e-12)


def test_flat_components_are_not_drawn_as_a_fact(rng):
    rows = pd.DataFrame(rng.normal(size=(30, 10)))
    page = sf.report(rows)
    words = " ".join(" ".join(part.words) for section in page.sections for part in section.parts)
    chosen, drawn = page.results["components"].recommended, page.results["mixture"].n_components
    assert ("some are flat" in words) == (drawn < chosen)
    round_ones = sf.report("faithful")
    assert round_ones.results["mixture"].n_components == max(2, round_ones.results["components"].recommended)


def test_columns_that_are_filled_much_are_named():
    table = pd.DataFrame({"full": np.arange(20.0), "half": [np.nan, 1.0] * 10, "hardly": [np.nan, *np.arange(19.0)]})
    said = filled_cells(read_rows(table), ["full", "half", "hardly"])
    assert said.startswith(" Much is filled in 'half' (50 %): rows may be alike")
    assert filled_cells(read_rows(table), ["full", "hardly"]) == ""
