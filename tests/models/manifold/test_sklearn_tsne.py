"""scikit-learn's own tests of t-SNE, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

VERBOSE = "progress is shown by sf.progress, and verbose is without effect"
SQUARED = "equal distances by rounding come in another order, and a map of momentum ends elsewhere"
DIFFERENT = {
    "test_trustworthiness_n_neighbors_error": "our words: less than half of the rows",
    "test_high_perplexity_precomputed_sparse_distances*": "our words: some row lists only so many others",
    "test_exact_no_precomputed_sparse*": "all pairs of points are compared, not all pairs of rows",
    "test_bad_precomputed_distances*": "our words: needs a square matrix; must be finite and not negative",
    "test_non_positive_computed_distances": "our words: a distance must be a number, at least 0",
    "test_pca_initialization_not_compatible_with_precomputed_kernel": "classical scaling of the distances is the start",
    "test_n_components_range": "our words name the methods that can",
    "test_max_iter_used": "n_iter_ counts the iterations, theirs is the number of the last one from 0 on",
    "test_verbose": VERBOSE,
    "test_n_iter_without_progress": VERBOSE,
    "test_min_grad_norm": LeftOut("it reads what verbose prints, of which there is nothing"),
    "test_accessible_kl_divergence": VERBOSE,
    "test_64bit[[]float64-*": "doubles in, doubles out",
    "test_uniform_grid*": LeftOut("chance decides whether a grid that begins at random stays folded"),
    "test_preserve_trustworthiness_approximately[[]*": LeftOut("says what our own tests say"),
    "test_tsne_n_jobs*": LeftOut("n_jobs is without effect; threads are tested with the kernels"),
    "test_optimization_minimizes_kl_divergence": LeftOut("says what our own tests say"),
    "test_tsne_with_different_distance_metrics[[]barnes_hut-cosine*": SQUARED,
    "test_tsne_with_different_distance_metrics[[]exact-*": SQUARED,
    "test_tsne_with_mahalanobis_distance": "a covariance that is not given is that of the rows",
    "test_tsne_perplexity_validation*": "a perplexity that the rows do not reach is lowered, as perplexity_ says",
}
SUITE = Suite(
    "manifold/tests/test_t_sne.py",
    {"TSNE": sf.TSNE, "trustworthiness": sf.trustworthiness},
    DIFFERENT,
    about=("TSNE", "trustworthiness"),
)
globals().update(SUITE.collected())
