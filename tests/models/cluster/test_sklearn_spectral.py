"""scikit-learn's own tests of spectral clustering, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import Suite

DIFFERENT = {
    "test_spectral_clustering[[]*csr*": "eigen_solver is taken without effect, and is no attribute",
    "test_affinities": "our words of a graph in pieces",
    "test_verbose*": "progress is shown by sf.progress, and verbose is without effect",
}
SUITE = Suite(
    "cluster/tests/test_spectral.py",
    {"SpectralClustering": sf.SpectralClustering},
    DIFFERENT,
    about=("SpectralClustering",),
    warns=True,
)
globals().update(SUITE.collected())
