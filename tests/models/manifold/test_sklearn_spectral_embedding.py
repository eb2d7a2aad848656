"""scikit-learn's own tests of its spectral_embedding, run with our classes in place of theirs."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

MATRIX = "the similarities are no attribute: they are of the different rows"
DIFFERENT = {
    "test_spectral_embedding_precomputed_affinity*": MATRIX,
    "test_spectral_embedding_callable_affinity*": MATRIX,
    "test_spectral_embedding_preserves_dtype*": MATRIX,
    "test_error_pyamg_not_available": "eigen_solver is without effect",
    "test_spectral_embedding_amg*": LeftOut("eigen_solver is without effect"),
}
SUITE = Suite(
    "manifold/tests/test_spectral_embedding.py",
    {
        "SpectralEmbedding": sf.SpectralEmbedding,
    },
    DIFFERENT,
    about=("SpectralEmbedding",),
    warns=True,
)
globals().update(SUITE.collected())
