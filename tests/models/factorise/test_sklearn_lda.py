"""scikit-learn's own tests of latent Dirichlet allocation, run with our class in place of theirs."""

import suffice as sf
from sklearn_suite import LeftOut, Suite

PRIVATE = "it compares with private methods or the argument sub_sampling; ours judges words that were set aside"
DIFFERENT = {
    "test_lda_negative_input": "the message begins with the name of the class and the place",
    "test_lda_preplexity_mismatch": PRIVATE,
    "test_lda_perplexity*": PRIVATE,
    "test_lda_score_perplexity*": PRIVATE,
    "test_lda_fit_perplexity*": PRIVATE,
    "test_lda_empty_docs*": "a table without a single word has no topics, and is refused in one sentence",
    "test_verbosity*-True-*": "nothing is printed; progress is an observer's",
    "test_lda_numerical_consistency*": "starts belong to the content of rows, which single precision changes",
    "test_lda_score*-online*": "it begins at the optimum, where rounding decides which of two scores is higher",
    "test_lda_multi_jobs*": LeftOut("n_jobs is taken without effect"),
    "test_lda_partial_fit_multi_jobs*": LeftOut("n_jobs is taken without effect"),
}
SUITE = Suite(
    "decomposition/tests/test_online_lda.py", {"LatentDirichletAllocation": sf.LatentDirichletAllocation}, DIFFERENT,
    about=("LatentDirichletAllocation",), warns=True,
)  # fmt: skip
globals().update(SUITE.collected())
