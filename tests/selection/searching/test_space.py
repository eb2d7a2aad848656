"""The space of a search: ranges, lists, distributions, defaults, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.ensemble import RandomForestClassifier

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.models.registry import estimators
from suffice.params import declared
from suffice.selection import search
from suffice.selection.searching.ranges import range_of
from suffice.selection.searching.space import Proposal, Space

IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]


@given(st.floats(1e-6, 1e3), st.floats(1e-3, 1e6), st.booleans(), st.floats(0, 1, exclude_max=True))
def test_ranges_hold_what_they_draw(low, more, log, share):
    own = sf.Between(low, low + more, log)
    value = own.at(share)
    assert low <= value <= low + more
    assert own.at(own.place(value)[0]) == pytest.approx(value)
    near = own.near(value, 0.3, np.random.default_rng(0))
    assert low <= near <= low + more


@given(st.integers(-20, 20), st.integers(1, 50), st.floats(0, 1, exclude_max=True))
def test_whole_ranges_hold_whole_numbers(low, more, share):
    own = sf.Between(low, low + more)
    assert isinstance(own.at(share), int)
    assert low <= own.at(share) <= low + more
    assert set(own.values(more + 1)) == set(range(low, low + more + 1))
    assert own.size == more + 1


def test_ends_are_drawn_as_often_as_others():
    drawn = np.array([sf.Between(1, 4).at(share) for share in np.linspace(0, 1, 4000, endpoint=False)])
    assert np.abs(np.bincount(drawn)[1:] - 1000).max() <= 2


def test_several_parts_and_distributions():
    space = Space.of(
        [{"kernel": ["rbf"], "C": stats.loguniform(0.1, 10), "gamma": sf.Between(0.01, 1.0, log=True)},
         {"kernel": ["linear"], "C": stats.loguniform(0.1, 10)}], sf.SVC(),
    )  # fmt: skip
    rng = np.random.default_rng(0)
    made = [space.drawn(rng.random(space.width)) for _ in range(50)]
    assert {one.params["kernel"] for one in made} == {"rbf", "linear"}
    assert all(("gamma" in one.params) == (one.params["kernel"] == "rbf") for one in made)
    assert all(0.1 <= one.params["C"] <= 10 for one in made)
    widths = {len(space.place(one)) for one in made}
    assert len(widths) == 1
    assert all(np.isfinite(space.place(one)).all() for one in made)
    assert all(isinstance(space.near(one, 0.2, rng), Proposal) for one in made)
    found = search(sf.SVC(), [{"kernel": ["linear"], "C": [1.0]}, {"kernel": ["rbf"], "gamma": [0.1]}], X, Y)
    assert len(found.candidates) == 2
    assert "gamma" in str(found)


def test_whole_draws_of_scipy():
    space = Space.of({"max_depth": stats.randint(2, 9)}, RandomForestClassifier())
    values = {space.drawn(np.array([0.0, share])).params["max_depth"] for share in np.linspace(0, 0.999, 50)}
    assert values == set(range(2, 9))
    assert all(isinstance(value, int) for value in values)


def test_arrays_and_ranges_lose_the_types_of_numpy():
    space = Space.of({"alpha": np.geomspace(0.1, 10, 3), "fit_intercept": [True, np.True_]}, sf.Ridge())
    values = [one.params for one in space.grid(2)]
    assert all(type(one["alpha"]) is float and type(one["fit_intercept"]) is bool for one in values)


def test_every_range_that_follows_from_a_declaration_is_allowed():
    """Whatever a declaration suggests, it allows; ends, middles and all words."""
    checked = 0
    for cls in estimators().values():
        model = cls()
        for name, rule in declared(cls).items():
            try:
                own = range_of(name, model)
            except InvalidParameter:
                continue
            for value in own.values(5):
                assert rule.allows(value), f"{cls.__name__}.{name}: {value!r}"
            checked += 1
    assert checked > 200


@pytest.mark.parametrize(
    ("model", "name", "expected"),
    [
        (sf.Ridge(), "alpha", sf.Between(0.001, 1000.0, log=True)),
        (sf.KNeighborsClassifier(), "n_neighbors", sf.Between(1, 40, log=True)),
        (sf.QuadraticDiscriminantAnalysis(), "reg_param", sf.Between(0.0, 1.0)),
        (sf.make_pipeline(sf.StandardScaler(), sf.Ridge()), "ridge__alpha", sf.Between(0.001, 1000.0, log=True)),
    ],
)
def test_ranges_of_declarations(model, name, expected):
    assert range_of(name, model) == expected


def test_words_are_all_tried():
    assert range_of("weights", sf.KNeighborsClassifier()).values(9) == ["uniform", "distance"]
    assert range_of("fit_intercept", sf.Ridge()).values(9) == [False, True]


class Distribution:
    def ppf(self, share):
        return "much"

    def cdf(self, value):
        return 0.5


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ({}, "space must map"),
        ([], "space must map"),
        (None, "space must map"),
        (3, "space must map"),
        ([{}], "space must map"),
        ({"c": [1]}, "no parameter of SVC. Did you mean 'C'?"),
        (["gama"], "Did you mean 'gamma'?"),
        ({"C": []}, "a list of 1 to"),
        ({"C": "rbf"}, "a list of 1 to"),
        ({"C": range(10**9)}, "a list of 1 to"),
        ({"C": [0]}, "C must be a number, above 0; got 0"),
        ({"C": [float("nan")]}, "C must be a number, above 0; got nan"),
        ({"C": sf.Between(-1.0, 3.0)}, "C must be a number, above 0; got -1"),
        ({"C": Distribution()}, "must give numbers by its ppf"),
        (["memory_"], "no parameter of SVC"),
    ],
)
def test_spaces_that_are_refused(space, words):
    with pytest.raises(InvalidParameter, match=None) as error:
        search(sf.SVC(), space, X, Y)
    assert words in str(error.value)
    assert str(error.value).startswith("search: ")


@pytest.mark.parametrize("ends", [(1, 1), (2, 1), (0, float("inf")), ("a", 2), (True, 3), (float("nan"), 1)])
def test_ranges_that_are_refused(ends):
    with pytest.raises(InvalidParameter, match="Between: low and high must be finite numbers"):
        sf.Between(*ends)
    with pytest.raises(InvalidParameter, match="begins above 0"):
        sf.Between(0, 1, log=True)


def test_a_grid_that_is_too_large_is_refused():
    space = {"C": sf.Between(1.0, 2.0), "gamma": sf.Between(1.0, 2.0), "tol": sf.Between(0.1, 0.2)}
    with pytest.raises(InvalidParameter, match="8,000,000 combinations"):
        search(sf.SVC(), space, X, Y, strategy=sf.GridSearch(200))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"strategy": "gird"}, "Did you mean 'grid'?"),
        ({"rule": "onese"}, "Did you mean 'one_se'?"),
        ({"rule": "one_se"}, "say which are simple"),
        ({"rule": "one_se", "simpler": "gamma"}, "which is not searched"),
        ({"seconds": 0}, "seconds must be a number, above 0"),
        ({"n_jobs": 0}, "n_jobs must be an integer"),
        ({"nested": 1}, "at least 2"),
        ({"measures": "acc"}, "no measure 'acc'"),
        ({"train": 3}, "train must be True or False"),
        ({"splits": "foulds"}, "Did you mean 'folds'?"),
        ({"random_state": -1}, "random_state must be at least 0"),
        ({"journal": "x", "random_state": None}, "a journal needs a random_state"),
    ],
)
def test_arguments_that_are_refused(given, words):
    with pytest.raises(InvalidParameter) as error:
        search(sf.SVC(), {"tol": [0.01]}, X, Y, **given)
    assert words in str(error.value)
    assert str(error.value).startswith("search: ")


@pytest.mark.parametrize("make", [
    lambda: sf.GridSearch(1), lambda: sf.RandomSearch(0), lambda: sf.RandomSearch(True), lambda: sf.HalvingSearch(1),
    lambda: sf.HalvingSearch(factor=1), lambda: sf.HalvingSearch(least=0), lambda: sf.BayesianSearch(first=1),
])  # fmt: skip
def test_strategies_that_are_refused(make):
    with pytest.raises(InvalidParameter):
        make()
