"""scikit-learn's own tests of polynomials and splines, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

SPARSE = "rows are dense"
WORDS = "the error is the same kind (ValueError) with words of its own"
PRIVATE = "a private attribute of theirs"
MISSING = "missing values stay missing"
OURS = {"PolynomialFeatures": sf.PolynomialFeatures, "SplineTransformer": sf.SplineTransformer}
DIFFERENT = {
    "test_num_combinations*": PRIVATE,
    "test_polynomial_features_csr*": SPARSE,
    "test_polynomial_features_csc*": SPARSE,
    "test_csr_polynomial*": SPARSE,
    "test_polynomial_features_one_feature?cs*": SPARSE,
    "test_polynomial_features_two_features?cs*": SPARSE,
    "test_polynomial_features_behaviour_on_zero_degree*": WORDS,
    "test_polynomial_features_input_validation*": WORDS,
    "test_polynomial_and_spline_array_order*": "the order in memory is no parameter",
    "test_spline_transformer_get_base_knot_positions*": PRIVATE,
    "test_spline_transformer_input_validation?params0*": WORDS,
    "test_spline_transformer_input_validation?params1*": WORDS,
    "test_spline_transformer_input_validation?params2*": WORDS,
    "test_spline_transformer_extrapolation*": WORDS,
    "test_spline_transformer_sparse_output*": SPARSE,
    "test_spline_transformer_n_features_out?True*": SPARSE,
    "test_spline_transformer_handles_missing_values*": MISSING,
    "test_spline_transformer_handles_all_nans*": MISSING,
}

suite = Suite("preprocessing/tests/test_polynomial.py", OURS, DIFFERENT)
globals().update(suite.collected())
two_features_degree3, single_feature_degree3 = suite.module.two_features_degree3, suite.module.single_feature_degree3
