"""scikit-learn's own tests of naive Bayes and the discriminants, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import Suite


def LinearDiscriminantAnalysis(solver=None, store_covariance=None, tol=None, **options):
    """Theirs has three solvers for one answer, and keeps the covariance only if told so."""
    return sf.LinearDiscriminantAnalysis(**options)


def QuadraticDiscriminantAnalysis(solver=None, store_covariance=None, tol=None, **options):
    return sf.QuadraticDiscriminantAnalysis(**options)


SUITES = {
    "test_naive_bayes.py": {
        "BernoulliNB": sf.BernoulliNB,
        "CategoricalNB": sf.CategoricalNB,
        "GaussianNB": sf.GaussianNB,
        "MultinomialNB": sf.MultinomialNB,
    },
    "test_discriminant_analysis.py": {
        "LinearDiscriminantAnalysis": LinearDiscriminantAnalysis,
        "QuadraticDiscriminantAnalysis": QuadraticDiscriminantAnalysis,
    },
}

WORDS = "the error is the same kind (ValueError) with words of its own"
CLASSES = "classes may turn up at any time, and need not be named in the first call of partial_fit"
ALPHA = "force_alpha is no parameter: alpha is taken as it is, and 0 makes what was never seen impossible"
ESTIMATOR = "covariance_estimator is no parameter; test_discriminants.py compares both shrinkages with theirs"
SOLVER = "the solver is no parameter: there is one, which shrinks and transforms"
KEPT = "the covariance is always kept; test_discriminants.py compares it with theirs"
FLOOR = "a singular covariance is raised to a floor with a warning; test_discriminants.py has the cases"
# Every test that has to fail, or is not ours, by its name or a pattern of it, and why.
DIFFERENT = {
    "test_gnb": WORDS,
    "test_gnb_neg_priors": WORDS,
    "test_gnb_wrong_nb_priors": WORDS,
    "test_gnb_prior_greater_one": WORDS,
    "test_gnb_check_update_with_no_data": "calls a private function of scikit-learn",
    "test_NB_partial_fit_no_first_classes?[!C]*": CLASSES,
    "test_NB_partial_fit_no_first_classes?CategoricalNB?": CLASSES,
    "test_discretenb_provide_prior[[][!C]*": WORDS,
    "test_discretenb_provide_prior?CategoricalNB?": WORDS,
    "test_discretenb_provide_prior_with_partial_fit?CategoricalNB?": "the lengths of iris are no codes; theirs cuts "
    "their digits off",
    "test_categoricalnb_min_categories_errors*": WORDS,
    "test_alpha*": ALPHA,
    "test_check_alpha": ALPHA,
    "test_lda_predict": SOLVER,
    "test_lda_priors": WORDS + "; priors that do not sum to 1 are refused, not scaled",
    "test_lda_transform": SOLVER,
    "test_lda_store_covariance": KEPT,
    "test_lda_shrinkage*": ESTIMATOR,
    "test_lda_ledoitwolf": ESTIMATOR,
    "test_lda_dtype_match?float32*": "attributes are float64 also for float32 rows; answers are float32",
    "test_qda[[]*": FLOOR,
    "test_qda_covariance_estimator": ESTIMATOR,
    "test_qda_ledoitwolf": ESTIMATOR,
    "test_qda_store_covariance*": KEPT,
    "test_qda_regularization*": FLOOR,
    "test_raises_value_error_on_*": FLOOR,
}

for name, ours in SUITES.items():
    globals().update(Suite(f"tests/{name}", ours, DIFFERENT).collected())
