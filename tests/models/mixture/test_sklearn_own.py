"""scikit-learn's own tests of Gaussian mixtures, read from the installed package and run with our class in place."""

import numpy as np
import pytest
import sklearn.datasets

import suffice as sf
from sklearn_suite import Suite

OURS = {"GaussianMixture": sf.GaussianMixture}

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")  # theirs ignore theirs

# Every test that has to fail, or is not ours, by its name or a pattern of it, and why.
WORDS = "the error is the same kind (ValueError) with words of its own"
PRIVATE = "calls a private function or attribute of scikit-learn"
ROUNDS = "max_iter=0 is refused: a fit has at least one iteration"
DIFFERENT = {
    "test_check_weights": WORDS,
    "test_check_means": WORDS,
    "test_check_precisions": WORDS,
    "test_gaussian_mixture_fit_convergence_warning": "the warning is a NotConverged with words of its own",
    "test_gaussian_mixture_n_parameters": PRIVATE + "; bic and aic are compared in test_gaussian_mixture.py",
    "test_gaussian_mixture_aic_bic": PRIVATE + "; bic and aic are compared in test_gaussian_mixture.py",
    "test_gaussian_mixture_precisions_init_diag": "gives precisions in the order in which scikit-learn's k-means finds "
    "the components",
    "test_gaussian_mixture_precisions_init?*": PRIVATE + ", _set_parameters",
    "test_gaussian_mixture_all_init_does_not_estimate*": PRIVATE + ", which it counts the calls of",
    "test_regularisation": "a collapsed component is mended with a warning where scikit-learn gives up",
    "test_monotonic_likelihood": "its 600 iterations are too few until only tol=1e-7 is left to gain; that none "
    "lowers the likelihood is tested in test_gaussian_mixture.py",
    "test_init_means_not_duplicated*": ROUNDS,
    "test_max_iter_zero": ROUNDS,
}


globals().update(Suite("mixture/tests/test_gaussian_mixture.py", OURS, DIFFERENT).collected())


@pytest.mark.parametrize("init", ["random", "random_from_data", "k-means++", "kmeans"])
def test_starts_have_different_means(init):
    """What their test_init_means_not_duplicated asks, after one round."""
    rows, _ = sklearn.datasets.make_blobs(n_samples=50, n_features=2, centers=5, random_state=0)
    means = sf.GaussianMixture(5, init_params=init, max_iter=1, random_state=0).fit(rows).means_
    assert len(np.unique(means, axis=0)) == 5
