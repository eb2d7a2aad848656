"""Arguments of public functions that cannot be used: one sentence of ours, never an error of NumPy's."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.decomposition import FastICA
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import suffice as sf
from suffice import contracts, evaluation, indices, params, plots, resampling, selection, statistics
from suffice.distances import Gower
from suffice.errors import InvalidParameter, SufficeError

RAGGED = [[1.0], [2.0, 3.0]]
X = np.random.default_rng(0).normal(size=(8, 3))
TRUTH = np.arange(8) % 2
DATED = pa.table({"when": np.arange(8).astype("datetime64[D]"), "x": X[:, 0]})  # columns without a common type

LABELS = np.arange(8) % 2
PICTURE = np.arange(48.0).reshape(6, 8)

CALLS = {
    "border_is_text": (lambda: sf.sample_pairs(X, LABELS, border="a"), "border must be a number"),
    "border_is_nothing": (lambda: sf.sample_pairs(X, LABELS, border=None), "border must be a number"),
    "pairs_are_answers": (lambda: sf.judged_pairs(["yes"], ["yes"]), "what sample_pairs gave"),
    "pairs_are_one_object": (lambda: sf.judged_pairs(np.array(None), ["yes"]), "what sample_pairs gave"),
    "answers_too_few": (lambda: sf.judged_pairs(sf.sample_pairs(X, LABELS, 4), ["yes"]), "there are 4 pairs"),
    "alpha_is_text": (lambda: plots.BiplotDisplay.from_estimator(sf.PCA().fit(X), X, alpha="a", ax=False), "alpha='a'"),
    "alpha_is_nothing": (lambda: plots.BiplotDisplay.from_estimator(sf.PCA().fit(X), X, alpha=None, ax=False), "alpha"),
    "segments_none": (lambda: sf.segment_image(PICTURE, 0), "segment_image: n_segments must be an integer"),
    "segments_more_than_pixels": (lambda: sf.segment_image(PICTURE, 49), "only 48 pixels"),
    "segments_connected_text": (lambda: sf.segment_image(PICTURE, 2, connected="yes"), "connected must be True"),
    "segments_by_a_class": (lambda: sf.segment_image(PICTURE, clusterer=sf.KMeans), "clusterer must be a model"),
    "pixels_too_large": (lambda: sf.segment_image(PICTURE * 1e300, 2), "the picture holds numbers up to"),
    "bins_beyond_counting": (lambda: sf.KBinsDiscretizer(2**63).fit(X), "at most 100000"),
    "bins_of_a_column_beyond_counting": (lambda: sf.KBinsDiscretizer([2, 2**62, 2]).fit(X), "from 2 to 100,000"),
    "weights_of_gower_too_many": (lambda: Gower().fitted(X, weight=np.ones(9)), "shape (8,)"),
    "weights_of_gower_text": (lambda: Gower().fitted(X, weight=["a"] * 8), "numbers"),
    "rows_to_remove_ragged": (lambda: indices.Brute().built(X).remove(RAGGED), "integers from 0 to 7"),
    "weights_of_a_curve_complex": (lambda: evaluation.roc(TRUTH, X[:, 0], [1j] * 8), "must be numbers"),
    "weights_of_a_curve_negative": (lambda: evaluation.precision_recall(TRUTH, X[:, 0], -np.ones(8)), "negative"),
    "statistic_is_no_function": (lambda: resampling.bootstrap(0.5, X), "function"),
    "rows_are_a_truth_value": (lambda: resampling.bootstrap(np.mean, True), "bootstrap"),
    "counts_beyond_drawing": (lambda: sf.MultinomialNB().fit(abs(X) * 1e200, TRUTH).sample(9, 0), "too many to draw"),
    "prior_without_end": (lambda: sf.MixtureModel(weight_concentration_prior=np.inf).fit(X), "at most"),
    "components_beyond_memory": (lambda: sf.MixtureModel(2**40, tied=True).fit(X), "at most"),
    "classifier_is_a_number": (lambda: sf.DensityAndClassifier(classifier=7).fit(X, TRUTH), "classifier must be"),
    "units_ragged": (lambda: resampling.bootstrap(np.mean, X, units=RAGGED), "one dimension"),
    "weights_of_too_many_rows": (lambda: resampling.bootstrap(np.mean, X, weight=np.full(8, 1e200)), "too many"),
    "rows_beyond_memory": (lambda: resampling.bootstrap(np.mean, 1 << 40), "bytes"),
    "value_is_no_number": (lambda: resampling.bca(None, [1, 2], [1, 2]), "number"),
    "density_without_density": (lambda: selection.select_components(FastICA(1), X), "no score_samples"),
    "references_beyond_memory": (lambda: selection.select_k(sf.KMeans(2), X, references=2**63), "at most 1,000,000"),
    "cells_too_large": (lambda: sf.describe(np.array([[10**400, 1], [2, 3]], dtype=object)), "one type"),
    "cost_too_large": (lambda: resampling.detection_cost(miss=10**400), "finite"),
    "share_too_large": (lambda: evaluation.stability(sf.KMeans(2), X, share=10**400), "between 0 and 1"),
    "one_row": (lambda: evaluation.stability(sf.KMeans(1), X[:1]), "1 row"),
    "target_too_large": (lambda: sf.Ridge().fit(X, X[:, 0]).score(X, [10**400] * 8), "numbers"),
    "depth_of_a_picture_is_text": (lambda: sf.ID3Classifier().fit(X > 0, TRUTH).plot("a"), "max_depth must be"),
    "depth_of_a_tree_is_text": (lambda: sf.DecisionTreeClassifier().fit(X, TRUTH).plot(max_depth="a"), "max_depth"),
    "axes_of_a_panel_are_text": (lambda: plots.style.grid(1, 2, "a"), "ax must be axes"),
    "pairs_none": (lambda: sf.ClassicalMDS().fit(X).shepard(most=-1), "most must be an integer"),
    "columns_to_show_are_a_list": (lambda: sf.StabilitySelection().plot(most=[1.0]), "most must be an integer"),
    "slopes_to_show_are_text": (lambda: plots.PathDisplay.from_path(None, most="a"), "most must be an integer"),
    "words_beyond_drawing": (
        lambda: sf.LatentDirichletAllocation(2, max_iter=0).fit(abs(X)).perplexity(np.full((1, 3), 1e19)),
        "too many to draw",
    ),
    "rows_of_a_diagnosis_too_large": (lambda: sf.GAN(max_iter=1).fit(X).diagnose(10**400), "X must be a table"),
    "rows_to_draw_too_many": (lambda: sf.GAN(max_iter=1).diagnose(X, n_samples=2**40), "n_samples must be an integer"),
    "truths_of_intervals_are_a_mapping": (
        lambda: sf.ConformalRegressor(level=0.5).fit(X, X[:, 0]).coverage(X, {}), "must be numbers",
    ),
    "splits_in_bytes": (lambda: sf.evaluate(sf.GaussianNB(), X, TRUTH, splits=b"ab"), "pair of row numbers"),
    "values_ragged": (lambda: statistics.Counts.of(RAGGED), "one dimension"),
    "classes_ragged": (lambda: evaluation.confusion(RAGGED, [0, 1]), "one dimension"),
    "categories_beyond_memory": (lambda: sf.CategoricalNB(min_categories=2**62).fit(abs(X) // 1, TRUTH), "at most"),
    "rows_ragged": (lambda: statistics.NearestRows.of(X, RAGGED), "whole numbers"),
    "names_twice": (lambda: resampling.bootstrap(np.mean, pd.DataFrame(X, columns=["a", "a", "b"])), "same name"),
    "rows_to_remove_by_dates": (lambda: indices.Brute().built(X).remove(DATED), "integers from 0 to 7"),
    "truth_ragged": (lambda: evaluation.roc_area(RAGGED, X[:2, 0]), "array"),
    "no_truth": (lambda: evaluation.roc([], []), "needs rows"),
    "table_ragged": (lambda: resampling.bootstrap(np.mean, RAGGED), "must be a table"),
    "target_of_dates": (lambda: sf.Ridge().fit(X, DATED), "one entry a row"),
    "target_of_moments_ragged": (lambda: statistics.JointMoments.of(X, None, RAGGED), "array"),
    "weights_of_a_score_all_zero": (
        lambda: sf.GaussianNB().fit(X, TRUTH).score(X, TRUTH, sample_weight=np.zeros(8)), "no score"
    ),
    "successes_too_large": (lambda: sf.evaluation.wilson(10**400, 60), "more than 1e300"),
    "classes_of_two_kinds": (
        lambda: evaluation.confusion(["a", "b"], np.array(["2020-01-01"] * 2, dtype="datetime64[D]")),
        "different kinds",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_what_cannot_be_used_is_refused(name):
    call, words = CALLS[name]
    with pytest.raises(SufficeError, match=words.replace("(", r"\(").replace(")", r"\)")):
        call()


def test_integers_that_doubles_do_not_hold_are_rounded_in_every_frame():
    cells = [-(2**63), 2**53 + 1, 5]
    table = pa.table({"a": cells, "b": [1, 2, None]})
    for frame in (table, table.to_pandas()):
        found = sf.as_source(frame, needs=sf.data.Needs(missing=True)).gather().X
        np.testing.assert_array_equal(found, np.array([cells, [1, 2, np.nan]], dtype=float).T)


def test_waits_of_almost_nothing_have_a_scale():
    member = sf.distributions.Lomax().fit([[1e-320], [2e-320]])
    assert member.shape[0] > 0
    assert member.scale[0] > 0
    assert np.isfinite(member.sample(3, 0)).all()


def test_parameters_may_be_small_integers():
    """10 · k + 100 draws, or 6 · k · d³ operations, are more than 127."""
    assert sf.KMeans(np.int8(3), init="random", random_state=0).fit(X).cluster_centers_.shape == (3, 3)
    model = sf.GaussianMixture(np.int8(2), tol=np.float32(0.125), random_state=0).fit(np.tile(X, 3) + np.eye(8, 9))
    assert type(model.n_components) is int
    assert model.tol == 0.125


def test_a_model_that_is_none_is_not_asked_for_its_tags():
    with pytest.raises(NotFittedError):
        sf.DensityAndClassifier(classifier=7).predict(X)


@pytest.mark.parametrize("cls", contracts.estimators(), ids=lambda cls: cls.__name__)
def test_tags_of_parameters_that_are_wrong_are_tags_or_one_sentence(cls):
    """scikit-learn asks for them before any fit has checked parameters, as when it says that a model is not fitted."""
    for name in params.declared(cls):
        for value in (3, "a", b"ab", {}):
            model = cls()
            setattr(model, name, value)
            try:
                get_tags(model)
            except InvalidParameter as error:
                assert str(error).startswith(f"{cls.__name__}: ")  # noqa: PT017


def test_weights_whose_squares_vanish_leave_a_map():
    assert np.isfinite(sf.MDS(random_state=0).fit(X, sample_weight=np.full(8, 1e-200)).embedding_).all()


def test_clusters_of_hardly_any_weight_are_parted():
    model = sf.BisectingKMeans(2, random_state=0).fit(X, sample_weight=np.full(8, 5e-324))
    assert len(model.cluster_centers_) >= 1


def test_a_class_of_no_weight_is_never_drawn():
    model = sf.MultinomialNB().fit(np.ones((4, 2)), [0, 0, 1, 1], sample_weight=[1, 1, 0, 0])
    assert set(model.sample(20, 0)[1]) == {0}


def test_factors_of_rows_with_missing_values_are_found_soon():
    """Within EM the best factors for sums that are about to change are not sought."""
    rows = np.array([[0.25, 2.4, 0.0], [np.nan, 2.7, 3.2], [1.4, 0.9, 0.5]])
    outcome = sf.distributions.FactorGaussian.example(np.random.default_rng(0)).learn(rows, max_iter=50)
    assert np.all(np.diff(outcome.history.objective) >= -1e-9)


def test_factors_of_complete_rows_are_the_best_by_either_way():
    rows = np.random.default_rng(2).normal(size=(60, 4)) @ np.diag([1.0, 2.0, 3.0, 4.0])
    family = sf.distributions.FactorGaussian(rank=1)
    np.testing.assert_allclose(family.learn(rows).state.noise, family.fit(rows).noise, rtol=1e-9)


def _refusal(model):
    try:
        params.check(model)
    except InvalidParameter as error:
        return str(error)
    return ""


@pytest.mark.parametrize("cls", contracts.estimators(), ids=lambda cls: cls.__name__)
def test_what_was_got_is_shown_on_one_line_and_cut_where_it_is_long(cls):
    for name in params.declared(cls):
        for value in ([None] * 100_000, np.full((200, 300, 2), "a"), 10**5000, object()):
            model = cls()
            setattr(model, name, value)
            said = _refusal(model)
            assert not said or said.startswith(f"{cls.__name__}: {name} must be ")
            assert len(said) < 1500
            assert "\n" not in said
