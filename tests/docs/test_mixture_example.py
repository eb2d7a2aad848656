"""The numbers and pictures of the example on mixtures, which the page on densities speaks of."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import suffice as sf

PATH = Path(__file__).parents[2] / "docs" / "examples" / "mixtures.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("suffice_example_mixtures", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_crabs_are_four_groups(example):
    shape, groups, model = example.crabs()
    assert sf.align(model.predict(shape), groups).accuracy == pytest.approx(0.965)


def test_iris_is_three_species_but_for_five_flowers(example):
    rows, species, model = example.iris()
    assert sf.align(model.predict(rows), species).accuracy == pytest.approx(145 / 150)
    assert model.score(rows) * 150 == pytest.approx(-180.185, abs=0.01)


def test_old_faithful_has_two_kinds_of_eruptions(example):
    _, model = example.faithful()
    order = np.argsort(model.means_[:, 0])
    np.testing.assert_allclose(model.means_[order], [[2.036, 54.479], [4.29, 79.968]], atol=0.002)
    assert example.how_many().best == {"bic": 2, "cv": 2}


@pytest.mark.slow
def test_the_pictures_are_drawn(example, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    example.save(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"mixture_{name}.png" for name in ("faithful", "faithful_k", "crabs", "iris")}
    assert all((PATH.parents[1] / "images" / name).exists() for name in names)
