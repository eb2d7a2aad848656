"""The bundled tables: their values, their descriptions and the errors of `suffice.data.datasets`."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from suffice.data import datasets
from suffice.errors import InvalidData, MissingExtra

SHAPES = {
    "iris": (150, 5),
    "play_tennis": (14, 5),
    "crabs": (200, 8),
    "usarrests": (50, 5),
    "faithful": (272, 2),
    "us_city_distances": (10, 11),
    "xclara": (3000, 2),
}

# The first rows of the crabs, as printed in textbooks: FL, RW, CL, CW, BD.
FIRST_CRABS = [
    [8.1, 6.7, 16.1, 19.0, 7.0],
    [8.8, 7.7, 18.1, 20.8, 7.4],
    [9.2, 7.8, 19.0, 22.4, 7.7],
    [9.6, 7.9, 20.1, 23.1, 8.2],
    [9.8, 8.0, 20.3, 23.0, 8.2],
    [10.8, 9.0, 23.0, 26.5, 9.8],
    [11.1, 9.9, 23.8, 27.1, 9.8],
    [11.6, 9.1, 24.5, 28.4, 10.4],
    [11.8, 9.6, 24.2, 27.8, 9.7],
    [11.8, 10.5, 25.2, 29.3, 10.3],
    [12.2, 10.8, 27.3, 31.6, 10.9],
    [12.3, 11.0, 26.8, 31.5, 11.4],
    [12.6, 10.0, 27.7, 31.7, 11.4],
    [12.8, 10.2, 27.2, 31.8, 10.9],
    [12.8, 10.9, 27.4, 31.5, 11.0],
    [12.9, 11.0, 26.8, 30.9, 11.4],
    [13.1, 10.6, 28.2, 32.3, 11.0],
    [13.1, 10.9, 28.3, 32.4, 11.2],
    [13.3, 11.1, 27.8, 32.3, 11.3],
    [13.9, 11.1, 29.2, 33.3, 12.1],
]

# Means of the logarithms per colour form and sex, as printed by MASS::lda.
LOG_CRAB_MEANS = {
    ("B", "F"): [2.564985, 2.475174, 3.312685, 3.462327, 2.441351],
    ("O", "F"): [2.852455, 2.683831, 3.529370, 3.649555, 2.733273],
    ("B", "M"): [2.672724, 2.443774, 3.437968, 3.578077, 2.560806],
    ("O", "M"): [2.787885, 2.489921, 3.490431, 3.589426, 2.701580],
}


def test_names_lists_every_table() -> None:
    assert datasets.names() == tuple(sorted(SHAPES))


@pytest.mark.parametrize("name", SHAPES)
def test_shape(name: str) -> None:
    table = datasets.load(name)
    assert (table.n_rows, len(table.names)) == SHAPES[name]
    assert all(column.shape == (table.n_rows,) for column in table.columns.values())


@pytest.mark.parametrize("name", SHAPES)
def test_every_column_is_described(name: str) -> None:
    table = datasets.load(name)
    assert all([table.title, table.description, table.origin, table.licence])
    assert tuple(table.units) == tuple(table.meanings) == table.names
    assert all(table.meanings.values())
    assert all(role is None or role in table.names for role in (table.target, table.label))


@pytest.mark.parametrize("name", SHAPES)
def test_numbers_are_finite_and_categories_are_not_empty(name: str) -> None:
    for column in datasets.load(name).columns.values():
        assert column.dtype == np.float64 or column.dtype.kind == "U"
        assert np.isfinite(column).all() if column.dtype == np.float64 else (column != "").all()


@pytest.mark.parametrize("name", SHAPES)
def test_nothing_can_be_changed_by_accident(name: str) -> None:
    table = datasets.load(name)
    column = table[table.names[0]]
    with pytest.raises(ValueError, match="read-only"):
        column[0] = column[1]
    with pytest.raises(TypeError, match="item assignment"):
        table.columns["new"] = column  # type: ignore[index]
    with pytest.raises(AttributeError):
        table.title = "other"  # type: ignore[misc]


def test_roles() -> None:
    assert datasets.load("iris").target == "species"
    assert datasets.load("crabs").target == "sp"
    assert datasets.load("usarrests").label == "state"
    assert datasets.load("us_city_distances").label == "city"
    assert datasets.load("xclara").target is None


def test_features_leave_out_target_label_and_index() -> None:
    assert datasets.load("crabs").features == ("FL", "RW", "CL", "CW", "BD")
    assert datasets.load("usarrests").features == ("Murder", "Assault", "UrbanPop", "Rape")
    assert datasets.load("iris").features == ("sepal_length", "sepal_width", "petal_length", "petal_width")


def test_iris_is_the_table_of_scikit_learn() -> None:
    from sklearn.datasets import load_iris

    theirs, ours = load_iris(), datasets.load("iris")
    np.testing.assert_array_equal(ours.matrix(), theirs.data)
    np.testing.assert_array_equal(ours["species"], theirs.target_names[theirs.target])


def test_first_crabs() -> None:
    crabs = datasets.load("crabs")
    np.testing.assert_array_equal(crabs.matrix()[:20], FIRST_CRABS)
    np.testing.assert_array_equal(crabs["index"], np.tile(np.arange(1, 51), 4))
    assert set(crabs["sp"][:20]) == {"B"}
    assert set(crabs["sex"][:20]) == {"M"}


@pytest.mark.parametrize("group", LOG_CRAB_MEANS)
def test_group_means_of_the_log_crabs(group: tuple[str, str]) -> None:
    crabs = datasets.load("crabs")
    rows = (crabs["sp"] == group[0]) & (crabs["sex"] == group[1])
    assert rows.sum() == 50
    means = np.log(crabs.matrix()[rows]).mean(axis=0)
    np.testing.assert_allclose(means, LOG_CRAB_MEANS[group], rtol=0, atol=5.1e-7)


def test_city_distances_are_symmetric() -> None:
    table = datasets.load("us_city_distances")
    distances = table.matrix()
    assert table.features == tuple(table["city"])
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_array_equal(np.diag(distances), 0.0)
    assert table["Los Angeles"][list(table["city"]).index("New York")] == 2451.0


def test_known_values_of_the_other_tables() -> None:
    arrests = datasets.load("usarrests")
    np.testing.assert_allclose(arrests.matrix().mean(axis=0), [7.788, 170.76, 65.54, 21.232], rtol=1e-13)
    assert list(arrests["state"][[0, -1]]) == ["Alabama", "Wyoming"]
    np.testing.assert_array_equal(datasets.load("faithful").matrix()[0], [3.6, 79.0])
    np.testing.assert_array_equal(datasets.load("xclara").matrix()[0], [2.072345, -3.241693])


def test_matrix_is_a_fresh_c_contiguous_copy_in_the_order_asked() -> None:
    crabs = datasets.load("crabs")
    chosen = crabs.matrix(["BD", "FL"])
    assert chosen.flags.c_contiguous
    assert chosen.flags.writeable
    chosen[0, 0] = -1.0
    assert crabs["BD"][0] == 7.0
    np.testing.assert_array_equal(chosen[:, 1], crabs["FL"])
    np.testing.assert_array_equal(crabs.matrix("FL"), crabs.matrix(["FL"]))
    assert crabs.matrix([]).shape == (200, 0)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_to_frame(library: str) -> None:
    pytest.importorskip(library)
    crabs = datasets.load("crabs")
    frame = crabs.to_frame(library)
    assert tuple(frame.column_names if library == "pyarrow" else frame.columns) == crabs.names
    np.testing.assert_array_equal(np.asarray(frame["CW"]), crabs["CW"])
    assert [str(value) for value in frame["sex"]] == list(crabs["sex"])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_to_frame_without_the_package(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=f"{library} is not installed"):
        datasets.load("faithful").to_frame(library)


def test_unknown_names_get_a_hint() -> None:
    with pytest.raises(InvalidData, match="Did you mean 'usarrests'"):
        datasets.load("USArrest".lower())
    with pytest.raises(InvalidData, match="Known: crabs, faithful, iris"):
        datasets.load("no such table")
    iris = datasets.load("iris")
    with pytest.raises(InvalidData, match="Did you mean 'petal_width'"):
        iris.matrix(["petal_with"])
    with pytest.raises(InvalidData, match="Did you mean 'species'"):
        iris["specie"]
    with pytest.raises(InvalidData, match="Did you mean 'pandas'"):
        iris.to_frame("panda")


def test_names_are_no_numbers() -> None:
    with pytest.raises(InvalidData, match="'species' of 'iris' holds names, not numbers"):
        datasets.load("iris").matrix(["sepal_length", "species"])


def test_repr_shows_size_columns_units_and_origin() -> None:
    text = repr(datasets.load("crabs"))
    for part in ("200 rows x 8 columns", "FL [mm]", "target: sp", "Campbell"):
        assert part in text
    assert len(text.splitlines()) <= 5
