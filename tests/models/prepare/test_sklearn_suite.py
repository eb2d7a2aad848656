"""scikit-learn's own tests of polynomials and splines, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

SPARSE = "rows are dense"
WORDS = "the error is the same kind (ValueError) with words of its own"
PRIVATE = "a private attribute of theirs"
MISSING = "missing values stay missing"
ENDLESS = LeftOut("a table has a schema with an entry a column, of which 3 billion are too many")
OURS = {"PolynomialFeatures": sf.PolynomialFeatures, "SplineTransformer": sf.SplineTransformer}
DIFFERENT = {
    "test_num_combinations*": PRIVATE,
    "test_polynomial_features_csc_X*": "the result is CSR",
    "test_csr_polynomial_expansion_index_overflow?*-30370004*": ENDLESS,
    "test_csr_polynomial_expansion_index_overflow?*-30370005*": ENDLESS,
    "test_csr_polynomial_expansion_index_overflow*": PRIVATE,
    "test_csr_polynomial_expansion_too_large_to_index*": ENDLESS,
    "test_csr_polynomial_expansion_windows_fail*": "at most 2**53 monomials are made",
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
