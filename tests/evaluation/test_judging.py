"""Pairs of rows that a person judges a clustering by."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation import wilson


@pytest.fixture(scope="module")
def iris():
    table = sf.datasets.load("iris")
    return table.matrix(), np.asarray(table["species"])


def test_pairs_are_balanced_different_and_drawn_again(iris):
    X, species = iris
    pairs = sf.sample_pairs(X, species, 41, random_state=3)
    assert (len(pairs), pairs.together.sum()) == (41, 21)
    np.testing.assert_array_equal(species[pairs.rows[:, 0]] == species[pairs.rows[:, 1]], pairs.together)
    assert len({frozenset(pair) for pair in pairs.rows.tolist()}) == 41
    np.testing.assert_array_equal(sf.sample_pairs(X, species, 41, random_state=3).rows, pairs.rows)


def test_all_pairs_of_a_kind_are_equally_likely():
    labels = np.repeat([5, 6, 7], [6, 3, 1])
    seen = np.zeros((10, 10))
    for seed in range(3000):
        first, second = sf.sample_pairs(np.zeros((10, 1)), labels, 2, random_state=seed).rows.T
        seen[np.minimum(first, second), np.maximum(first, second)] += 1
    together = np.triu(labels[:, None] == labels, 1)
    apart = labels[:, None] < labels
    for kind, count in ((together, 18), (apart, 27)):
        assert kind.sum() == count
        assert seen[kind].sum() == 3000
        np.testing.assert_allclose(seen[kind], 3000 / count, atol=5 * np.sqrt(3000 / count))


def test_few_pairs_noise_and_single_clusters():
    X = np.arange(6.0)[:, None]
    pairs = sf.sample_pairs(X, [0, 0, 1, -1, -1, -1], 20, random_state=0)
    assert sorted(map(sorted, pairs.rows.tolist())) == [[0, 1], [0, 2], [1, 2]]
    one = sf.sample_pairs(X, np.zeros(6, dtype=int), 4, random_state=0)
    assert one.together.tolist() == [True, True]
    assert np.isnan(sf.judged_pairs(one, [True, False]).between.value)
    with pytest.raises(InvalidData, match="no two rows in clusters"):
        sf.sample_pairs(X, [-1, -1, -1, -1, -1, 3])


def test_pairs_near_the_border():
    X = np.concatenate([np.linspace(0, 4.9, 50), np.linspace(5.1, 10, 50)])[:, None]
    labels = np.repeat(["low", "high"], 50)
    pairs = sf.sample_pairs(X, labels, 30, border=0.2, random_state=0)
    assert np.abs(X[pairs.rows] - 5).max() < 1.2
    assert pairs.together.sum() == 15


def test_answers_of_a_person(iris):
    X, species = iris
    clusters = sf.KMeans(3, n_init=5, random_state=0).fit(X).labels_
    pairs = sf.sample_pairs(X, clusters, 200, random_state=0)
    truth = species[pairs.rows[:, 0]] == species[pairs.rows[:, 1]]
    found = sf.judged_pairs(pairs, truth)
    agree = truth == pairs.together
    assert found.agreement == wilson(agree.sum(), 200)
    assert found.within == wilson(agree[pairs.together].sum(), 100)
    assert found.between == wilson(agree[~pairs.together].sum(), 100)
    np.testing.assert_array_equal(found.disagreed, pairs.rows[~agree])
    of_all = sf.align(clusters, species).pairs
    assert of_all.precision in found.within
    words = np.where(truth, "Yes ", "n").astype(object)
    words[:3] = [None, "", np.nan]
    assert sf.judged_pairs(pairs, words).judged == 197
    assert sf.judged_pairs(pairs, words, level=0.9).agreement == wilson(agree[3:].sum(), 197, 0.9)


def test_tables_that_are_shown(iris):
    frame = pd.DataFrame({"kilos": [4.0, 5.25, 20.0], "colour": ["red", "tan", "tan"]})
    shown = str(sf.sample_pairs(frame, [0, 0, 1], 2, random_state=0)).splitlines()
    assert shown[0].split() == ["pair", "row", "kilos", "colour"]
    assert "red" in "".join(shown)
    wide = str(sf.sample_pairs(np.zeros((4, 30)), [0, 0, 1, 1], 2, random_state=0))
    assert "x7" in wide
    assert "x8" not in wide
    assert len(sf.sample_pairs(sparse.eye_array(4).tocsr(), [0, 0, 1, 1], 2)) == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 1}, "n must be an integer, at least 2; got 1"),
        ({"border": 0}, "border must be a number, at most 1, above 0"),
        ({"labels": [0, 1]}, "labels"),
    ],
)
def test_refused(change, words):
    with pytest.raises((InvalidParameter, InvalidData), match=words):
        sf.sample_pairs(**{"X": np.eye(3), "labels": [0, 1, 1], "n": 2, **change})


def test_refused_answers():
    pairs = sf.sample_pairs(np.eye(3), [0, 1, 1], 2, random_state=0)
    with pytest.raises(InvalidData, match="answer 1 must be True, False, 'yes', 'no' or None; got 'maybe'"):
        sf.judged_pairs(pairs, ["yes", "maybe"])
    with pytest.raises(InvalidData, match=r"answers has shape .* but there are 2 pairs"):
        sf.judged_pairs(pairs, [True])
