"""The numbers of the example on crabs, which the page on clustering speaks of."""

import importlib.util
import runpy
from pathlib import Path

import pytest
from sklearn.cluster import KMeans

import suffice as sf

PATH = Path(__file__).parents[2] / "docs" / "examples" / "crabs_clusters.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("suffice_example_crabs_clusters", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table(example):
    return {(name, k): (size, *accuracy) for name, k, size, *accuracy in example.rows()}


def test_two_clusters_of_logarithms_are_large_and_small(table):
    size, species, sex, _ = table["logarithms", 2]
    assert size == pytest.approx(0.817, abs=0.002)
    assert species == pytest.approx(0.605)
    assert sex == pytest.approx(0.515)


def test_two_clusters_of_whitened_rows_are_the_species(example, table):
    size, species, sex, _ = table["whitened", 2]
    assert (species, sex) == (1.0, 0.5)
    assert size < 0.35
    X = sf.Whiten().fit_transform(example.crabs()[0])
    assert example.found(X, 2).inertia_ == pytest.approx(814.9916, abs=1e-3)
    assert KMeans(2, n_init=100, random_state=0).fit(X).inertia_ == pytest.approx(814.9916, abs=1e-3)


def test_the_next_best_ends_are_the_sexes(example):
    X, species, sex, _ = example.crabs()
    ends = example.local_optima(sf.Whiten().fit_transform(X), (species, sex), starts=60)
    assert ends[0][:2] == (pytest.approx(815.0), 1.0)
    assert ends[1][0] > 829
    assert all(accuracy > 0.93 for *_, accuracy in ends[1:3])


def test_four_clusters(table):
    assert table["logarithms", 4][3] == pytest.approx(0.355, abs=0.05)
    assert table["whitened", 4][3] == pytest.approx(0.86, abs=0.01)


def test_mahalanobis_is_the_same_as_whitening_first(example):
    X, species, *_ = example.crabs()
    model = sf.KMeans(2, metric="mahalanobis", n_init=100, random_state=0).fit(X)
    assert sf.align(model.labels_, species).accuracy == 1.0


def test_it_prints_a_table(capsys):
    runpy.run_path(str(PATH), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["rows", "k", "size", "species", "sex", "both"]
    assert lines[2].split() == ["whitened", "2", "0.341", "1.000", "0.500"]
    assert len(lines) == 12
