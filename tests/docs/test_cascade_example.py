"""The cascade of the page on ensembles finds its patterns, and looks at few features of what is none."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.native
PATH = Path(__file__).parents[2] / "docs" / "examples" / "cascade.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("suffice_example_cascade", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_features_are_differences_of_means_of_boxes(example):
    picture = np.random.default_rng(0).normal(size=(1, example.SIDE, example.SIDE))
    which = np.array([[2, 4, 2, 4, 0], [0, 6, 4, 2, 1]])
    found = example.features(picture, which)[0] * picture.std()
    one = picture[0]
    assert found[0] == pytest.approx(one[2:4, 4:8].mean() - one[2:4, 8:12].mean())
    assert found[1] == pytest.approx(one[0:4, 6:8].mean() - one[4:8, 6:8].mean())
    top, left, high, wide, way = example.boxes().T
    assert np.all(top + high * (1 + way) <= example.SIDE)
    assert np.all(left + wide * (2 - way) <= example.SIDE)


def test_patterns_are_found_and_backgrounds_rejected_early(example):
    rng, which = np.random.default_rng(0), example.boxes()
    stages, let_through = example.learned(rng, 300)
    assert len(stages) > 1
    assert let_through[0] < 0.4
    assert len(example.passed(stages, example.patterns(400, rng), which)[1]) > 0.93 * 400
    _, wrong, looked_at = example.passed(stages, example.backgrounds(3000, rng), which)
    assert len(wrong) < 0.01 * 3000
    assert looked_at < 10 < len(which)
