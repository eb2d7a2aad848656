"""Clusters against classes, compared with scikit-learn and with all permutations."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn import metrics

from suffice.errors import InvalidData
from suffice.evaluation import align


@pytest.mark.parametrize(("k", "m"), [(1, 1), (1, 4), (4, 1), (3, 3), (2, 5), (6, 3)])
@pytest.mark.parametrize("n", [1, 7, 200])
def test_pairs_and_rand_indices_of_scikit_learn(rng, k, m, n):
    labels, classes = rng.integers(0, k, n), rng.integers(0, m, n)
    found = align(labels, classes)
    theirs = metrics.pair_confusion_matrix(classes, labels) // 2
    pairs = found.pairs
    assert [[pairs.d, pairs.b], [pairs.c, pairs.a]] == theirs.tolist()
    assert found.rand == pytest.approx(metrics.rand_score(classes, labels))
    assert found.adjusted_rand == pytest.approx(metrics.adjusted_rand_score(classes, labels))


@pytest.mark.parametrize(("k", "m"), [(1, 4), (4, 1), (3, 3), (6, 3)])
def test_pairs_are_judged_as_any_decision(rng, k, m):
    labels, classes = rng.integers(0, k, 30), rng.integers(0, m, 30)
    first, second = np.triu_indices(30, 1)
    together, same = labels[first] == labels[second], classes[first] == classes[second]
    pairs = align(labels, classes).pairs
    assert pairs.accuracy == pytest.approx(metrics.accuracy_score(same, together))
    assert pairs.precision == pytest.approx(metrics.precision_score(same, together))
    assert pairs.recall == pytest.approx(metrics.recall_score(same, together))
    assert pairs.f1 == pytest.approx(metrics.f1_score(same, together))


def test_pairs_that_are_not_there_have_no_rate():
    apart = align([0, 1, 2], ["a", "b", "c"])
    assert np.isnan([apart.pairs.precision, apart.pairs.recall, apart.pairs.f1]).all()
    assert "precision" not in str(apart)
    assert "pairs, precision" in str(align([0, 0, 1], ["a", "a", "b"]))


@pytest.mark.parametrize(("k", "m"), [(3, 3), (2, 4), (4, 2)])
def test_one_to_one_is_the_best_of_all_maps(rng, k, m):
    labels, classes = rng.integers(0, k, 60), rng.integers(0, m, 60)
    found = align(labels, classes)
    size = max(k, m)
    best = max(np.mean(np.array(map_)[labels] == classes) for map_ in permutations(range(size)))
    assert found.accuracy == pytest.approx(best)
    translated = [found.one_to_one.get(label) for label in labels.tolist()]
    assert np.mean([a == b for a, b in zip(translated, classes.tolist(), strict=True)]) == pytest.approx(best)
    assert len(set(found.one_to_one.values())) == len(found.one_to_one) == min(k, m)
    contingency = metrics.cluster.contingency_matrix(classes, labels)
    assert found.purity == found.greedy_accuracy == pytest.approx(contingency.max(axis=0).sum() / 60)


def test_the_table_is_aligned():
    labels = [2, 2, 2, 0, 0, 0, 1, 1, 1, 3]
    classes = [*["ant"] * 3, *["bee"] * 3, *["cat"] * 3, "ant"]
    found = align(labels, classes)
    assert found.clusters == (2, 0, 1, 3)
    assert found.classes == ("ant", "bee", "cat")
    assert_array_equal(found.table, [[3, 0, 0], [0, 3, 0], [0, 0, 3], [1, 0, 0]])
    assert found.one_to_one == {2: "ant", 0: "bee", 1: "cat"}
    assert found.many_to_one == {2: "ant", 0: "bee", 1: "cat", 3: "ant"}
    assert (found.accuracy, found.greedy_accuracy) == (0.9, 1.0)
    fewer = align(["x", "x", "y"], [3, 3, 1])
    assert (fewer.clusters, fewer.classes) == (("y", "x"), (1, 3))
    first = align([0, 0, 0], [1, 2, 2])  # the class without a cluster stands last
    assert first.classes == (2, 1)
    assert_array_equal(first.table, [[2, 1]])


def test_noise_belongs_to_no_cluster(rng):
    labels, classes = rng.integers(-1, 3, 80), rng.integers(0, 3, 80)
    found = align(labels, classes)
    alone = np.where(labels == -1, 100 + np.arange(80), labels)
    assert found.adjusted_rand == pytest.approx(metrics.adjusted_rand_score(classes, alone))
    assert found.rand == pytest.approx(metrics.rand_score(classes, alone))
    inside = labels >= 0
    assert found.noise.sum() == np.sum(~inside)
    assert found.purity == pytest.approx(align(labels[inside], classes[inside]).purity)
    assert found.greedy_accuracy == pytest.approx(found.purity * inside.mean())
    assert "\nnoise " in str(found)
    nothing = align([-1, -1], ["a", "b"])
    assert nothing.accuracy == nothing.greedy_accuracy == 0
    assert np.isnan(nothing.purity)
    assert nothing.clusters == ()
    assert "purity" not in str(nothing)


def test_weights_are_repeated_rows(rng):
    labels, classes, weight = rng.integers(-1, 3, 60), rng.integers(0, 4, 60), rng.integers(0, 4, 60)
    weighted, repeated = align(labels, classes, weight), align(labels.repeat(weight), classes.repeat(weight))
    assert str(weighted) == str(repeated)
    assert weighted.pairs == repeated.pairs
    part = align(labels, classes, weight / 7)
    assert part.accuracy == pytest.approx(repeated.accuracy)
    assert part.purity == pytest.approx(repeated.purity)
    assert part.pairs is None
    assert np.isnan(part.rand)
    assert "Rand" not in str(part)


def test_large_counts_do_not_overflow():
    found = align([0, 1], ["a", "b"], [3e9, 5e9])
    assert found.pairs.d == 15 * 10**18
    assert found.adjusted_rand == 1


@pytest.mark.parametrize(
    ("labels", "classes", "weight", "words"),
    [
        ([], [], None, "no rows"),
        ([1, 2], [1], None, "2 labels but 1 classes"),
        ([1, None], ["a", "b"], None, "labels, row 1 has no label"),
        ([1.5, 2], [1, 2], None, "labels, row 0 holds 1.5"),
        ([1, 2], [1, np.nan], None, "classes, row 1"),
        ([[1, 2], [3, 4]], [1, 2], None, "one label a row"),
        (np.array([1, "a"], object), [1, 2], None, "labels, row 1 holds 'a', which cannot be sorted beside 1"),
        ([1, 2], [1, 2], [1, -1], "not negative"),
        ([1, 2], [1, 2], [0, 0], "zero in every row"),
        ([1, 2], [1, 2], [1], "sample_weight"),
    ],
)
def test_bad_input_is_one_sentence(labels, classes, weight, words):
    with pytest.raises(InvalidData, match=words) as caught:
        align(labels, classes, weight)
    assert str(caught.value).startswith("align: ")
