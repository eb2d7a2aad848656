"""scikit-learn's own tests of Isomap, run with our class in place of theirs."""

import sklearn.manifold as manifold

from sklearn_suite import Suite, with_ours

ATTRIBUTE = "the shortest ways and the index are no attributes: they are of the different rows"
DIFFERENT = {
    "test_different_metric[[]*-1-False]": "p is part of a distance, Minkowski(p=1)",
    "test_isomap_clone_bug": ATTRIBUTE,
    "test_isomap_fitted_attributes_dtype": ATTRIBUTE,
    "test_isomap_dtype_equivalence": ATTRIBUTE,
    "test_isomap_raise_error_when_neighbor_and_radius_both_set": "our words",
    "test_multiple_connected_components*": "our words of a graph in pieces",
}
SUITE = Suite(
    "manifold/tests/test_isomap.py", {"manifold": with_ours(manifold)}, DIFFERENT, about=("Isomap",), warns=True
)
globals().update(SUITE.collected())
