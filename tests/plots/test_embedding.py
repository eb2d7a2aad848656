"""Maps: classes and columns as colours, one coordinate, many rows, bad input."""

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidData
from suffice.plots import EmbeddingDisplay

Z = np.random.default_rng(0).normal(size=(60, 3))


def test_a_column_is_shades_by_rank():
    values = np.r_[np.nan, 10.0 ** np.arange(59)]
    shown = EmbeddingDisplay.from_places(Z, values=values, column="size", ax=False)
    shade = shown.shades()
    assert np.isnan(shade[0])
    assert (shade[1], shade[-1]) == (0, 1)
    assert np.all(np.diff(shade[1:]) >= 0)
    assert shown.remark() == "dark: size, 1 to 1e+58"
    assert list(shown.table()) == ["x", "y", "size"]
    assert EmbeddingDisplay.from_places(Z, values=np.full(60, np.nan), ax=False).remark() == ""


def test_coordinates_and_classes():
    model = sf.ClassicalMDS(1).fit(Z)
    line = EmbeddingDisplay.from_estimator(model, groups=["a", "b"] * 30, ax=False)
    assert not line.places[:, 1].any()
    assert line.table()["group"][:2].tolist() == ["a", "b"]
    other = EmbeddingDisplay.from_places(Z, components=(2, 0), ax=False)
    np.testing.assert_array_equal(other.places, Z[:, [2, 0]])
    assert other.names == ("coordinate 3", "coordinate 1")
    assert EmbeddingDisplay.from_places(np.zeros((9000, 2)), ax=False).note == "5,000 of 9,000 rows"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": np.arange(60), "values": np.arange(60)}, "give groups or values, not both"),
        ({"components": (0, 3)}, "two of the 3 coordinates"),
        ({"values": ["red"] * 60}, "values must be numbers; give classes as groups"),
        ({"values": np.arange(5)}, r"values has the shape \(5,\)"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InvalidData, match=message):
        EmbeddingDisplay.from_places(Z, ax=False, **options)
    with pytest.raises(InvalidData, match="rows of finite numbers"):
        EmbeddingDisplay.from_places([[np.nan, 1.0]], ax=False)
