"""scikit-learn's own tests of k-means, read from the installed package and run with our classes in place of theirs."""

import numpy as np

import suffice as sf
from sklearn_suite import NotOurs, Suite

OURS = {"KMeans": sf.KMeans, "MiniBatchKMeans": sf.MiniBatchKMeans}

PRIVATE = NotOurs("calls a private function or attribute of scikit-learn")
VERBOSE = "verbose is no parameter: sf.progress and sf.recording show every fit"
SIZE = "init_size is no parameter: a start looks at as many rows as its own sample says"
THEIRS = NotOurs("is about a function of scikit-learn that Suffice does not have")
STEPS = "an iteration of MiniBatchKMeans is a batch, and max_iter and n_iter_ count in other units"
# Every test that has to fail, or is not ours, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_relocate_empty_clusters*": PRIVATE,
    "test_euclidean_distance*": PRIVATE,
    "test_inertia*": PRIVATE,
    "test_is_same_clustering": PRIVATE,
    "test_minibatch_update_consistency*": PRIVATE,
    "test_minibatch_reassign*": PRIVATE,
    "test_k_means_function": THEIRS,
    "test_kmeans_plusplus_*": THEIRS,
    "test_kmeans_init_auto_with_initial_centroids*": PRIVATE + ", _n_init; test_starts.py has the numbers",
    "test_n_init_auto*": PRIVATE + ", _n_init; test_starts.py has the numbers",
    "test_sample_weight_init*": PRIVATE + ", _init_centroids",
    "test_sample_weight_zero*": PRIVATE + ", _init_centroids; test_starts.py draws no row of weight 0",
    "test_kmeans_verbose*": VERBOSE,
    "test_minibatch_declared_convergence*": VERBOSE,
    "test_minibatch_kmeans_warning_init_size": SIZE,
    "test_minibatch_kmeans_init_size": SIZE,
    "test_minibatch_iter_steps": STEPS,
    "test_warning_elkan_1_cluster": "elkan is taken as bounds, which make sense for one cluster too",
    "test_warning_n_init_precomputed_centers*": "n_init with given centres is not warned about",
    "test_kmeans_relocated_clusters*": "four iterations instead of three to the same end: a row that refills an empty "
    "cluster leaves its own in the next iteration, not in the same",
    "test_float_precision*": "centres are float64 also for float32 rows; all else in it holds, see below",
    "test_kmeans_warns_less_centers_than_unique_points": "the warning is a NotConverged with words of its own",
    "test_relocating_with_duplicates*": "the warning is a NotConverged with words of its own",
    "test_wrong_params*shape*": "the error is the same kind (ValueError) with words of its own",
}


SUITE = Suite("cluster/tests/test_k_means.py", OURS, DIFFERENT)
globals().update(SUITE.collected())


def test_single_precision(global_random_seed):
    """What their test_float_precision asks, but for the type of the centres."""
    theirs = SUITE.module
    found = [sf.KMeans(n_init=1, random_state=0).fit(theirs.X.astype(dtype)) for dtype in (np.float64, np.float32)]
    np.testing.assert_array_equal(found[0].labels_, found[1].labels_)
    np.testing.assert_allclose(found[0].cluster_centers_, found[1].cluster_centers_, atol=1e-4)
    np.testing.assert_allclose(found[0].inertia_, found[1].inertia_, rtol=1e-4)
