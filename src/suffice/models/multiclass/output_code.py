"""Classes as words of a code, of which classifiers guess the letters."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ...backend.posteriors import rounded
from ...data import Chunk
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, require
from ...params import are_numbers, learned, param
from ...randomness import generator, random_state_param
from ...scikit_learn import Counterpart
from ...typing import ArrayLike, Floats, RandomState, Reals, TableLike
from .base import IGNORED, BinaryProblems, probability
from .codes import NAMES, code_matrix


def _by_probability(self: OutputCodeClassifier) -> bool:
    return self.decoding == "probability" and hasattr(self._inner(), "predict_proba")


@estimator
class OutputCodeClassifier(BinaryProblems):
    """Each class is a word M_c of −1, 0 and 1, each letter is guessed by a classifier, and the nearest word wins.

    Classifier j learns the classes with M_cj = 1 against those with −1, from their rows; f_j is its confidence. A code
    whose words are far apart corrects errors: if any two differ in 2e + 1 letters, e wrong letters do no harm.

    ŷ(x) = argmin_c Σⱼ L(M_cj, f_j(x)), with L by `decoding`: (M − f)² (euclidean), (1 − M sign f) / 2 (hamming),
    max(0, 1 − M f) (hinge), or −log P(letter j is M_cj | x), a 0 counting ½ (probability). Of equal ones the first
    class in sorted order wins.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.OutputCodeClassifier(sf.QuadraticDiscriminantAnalysis(), code="exhaustive")
    >>> model.fit(iris.matrix(), iris["species"]).code_book_.astype(int)
    array([[ 1,  1,  1],
           [-1, -1,  1],
           [-1,  1, -1]])
    >>> round(model.score(iris.matrix(), iris["species"]), 3)
    0.98
    """

    read_late = ("decoding",)

    counterpart: ClassVar = Counterpart("sklearn.multiclass", ignored=IGNORED)

    code: str | ArrayLike = param(
        "random",
        choices=NAMES,
        accept=lambda value: are_numbers(value, 2),
        allowed="a matrix of −1, 0 and 1 with a row for each class",
        doc="The words: drawn at random, the best of 50 draws, also with half of the letters 0; all ways to part the "
        "classes; one class or pair against the rest; or given.",
    )
    code_size: float = param(
        1.5,
        number=True,
        above=0,
        at_most=1000,
        doc="How many letters for each class, of random codes; log₂ k at least.",
    )
    decoding: str = param(
        "euclidean", choices=("euclidean", "hamming", "hinge", "probability"), doc="How far a word is from the guesses."
    )
    random_state: RandomState = random_state_param()

    code_book_: Floats = learned("The words, (k, m), of −1, 0 and 1.", holds=floats("k", "m", at_least=-1, at_most=1))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(np.isin(self.code_book_, (-1, 0, 1)).all(), "code_book_ must hold −1, 0 and 1")

    def _draw_code(self, k: int) -> Floats:
        name = type(self).__name__
        if self.decoding == "probability" and (self.normalize or not hasattr(self._inner(), "predict_proba")):
            raise InvalidParameter(
                f"{name}: decoding='probability' needs predict_proba of the classifier, and no normalize; use another."
            )
        return code_matrix(name, self.code, k, self.code_size, generator(self.random_state))

    def _code(self) -> Floats:
        return self.code_book_

    def _described(self, code: Floats) -> Attributes:
        return {"code_book_": code}

    def _decided(self, confidence: Floats) -> Floats:
        f, M = confidence, self.code_book_  # (n, m), (k, m)
        if self.decoding == "hamming":
            far = (M.shape[1] - np.sign(f) @ M.T) / 2
        elif self.decoding == "hinge":
            far = np.maximum(0, 1 + f) @ (M < 0).T + np.maximum(0, 1 - f) @ (M > 0).T + (M == 0).sum(axis=1)
        else:
            far = (M**2).sum(axis=1) - 2 * f @ M.T  # ‖f‖² is the same for all words
        return np.asarray(-far)

    def _scores(self, chunk: Chunk) -> Floats:
        return self._log_shares(chunk) if self.decoding == "probability" else super()._scores(chunk)

    @available_if(_by_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """The probability of each class, (n, k): the product of those of its letters, divided by the sum."""
        check_is_fitted(self)
        found: Reals = self._rows(X, lambda chunk: rounded(np.exp(self._log_shares(chunk)), chunk.X.dtype))
        return found

    def _log_shares(self, chunk: Chunk) -> Floats:
        """log of the probability of each class, (n, k)."""
        p, M = self._asked(chunk, probability, 0.5), self.code_book_
        least = np.finfo(np.float64).tiny
        logs = np.log(np.maximum(p, least)) @ (M > 0).T + np.log(np.maximum(1 - p, least)) @ (M < 0).T
        logs -= np.log(2) * (M == 0).sum(axis=1)
        return np.asarray(logs - logsumexp(logs, axis=1, keepdims=True))
