"""What the linear and the quadratic discriminant share: shrinkage, the divisor, and the decision function."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend.posteriors import rounded
from ...data import Chunk, Source
from ...errors import InvalidData
from ...estimator import declares
from ...params import param
from ...resampling.left_out_rows import LeftOutRows
from ...statistics import Moments, PerClass, RootMoments
from ...typing import Floats, Numbers, Reals, TableLike
from .base import log_odds, with_rows
from .covariance import column_scale, shrunk
from .few_rows import RootCovariance, shrunk_root
from .gaussian import GaussianClassifier
from .left_out import Whitened, given_prior, is_plain, left_out, whitened


@declares
class Discriminant(GaussianClassifier):
    """Base of the two: the covariance of each class, shrunk; a subclass pools them or not."""

    shrinkage: Any = param(
        None,
        number=True,
        at_least=0,
        at_most=1,
        choices=(None, "auto"),
        doc="The share by which each covariance moves towards a multiple of the identity; 'auto' is that of Ledoit "
        "and Wolf for columns of variance 1.",
    )
    unbiased: bool = param(
        False, choices=(True, False), doc="Whether sums of squares are divided by n less the number of means, not by n."
    )

    def _columns(self, chunk: Chunk) -> Numbers:
        if self.shrinkage != "auto":
            return super()._columns(chunk)
        X = np.asarray(chunk.X, dtype=np.float64)
        return np.hstack([X, X**2])

    def _covariances(self, parts: tuple[Any, ...]) -> Floats:
        """The covariance ÷n of each class, (k, d, d)."""
        self._check_shrinkable(len(parts[0].mean))
        return np.stack([shrunk(part, self.shrinkage, self.n_features_in_) for part in parts])

    def _root_covariances(self, parts: tuple[RootMoments, ...]) -> list[RootCovariance]:
        """The same by the rows of each class."""
        self._check_shrinkable(len(parts[0].mean))
        return [shrunk_root(part, self.shrinkage, self.n_features_in_) for part in parts]

    def _check_shrinkable(self, width: int) -> None:
        if self.shrinkage == "auto" and width == self.n_features_in_:
            raise InvalidData(
                f"{type(self).__name__}: shrinkage='auto' needs complete rows. Give a number, or fill missing values."
            )

    def _correction(self, weight: float, means: int, whose: str) -> float:
        """What turns ÷n into ÷(n − means) where asked for."""
        if not self.unbiased:
            return 1.0
        if weight <= means:
            raise InvalidData(
                f"{type(self).__name__}: {whose} has {weight:g} rows and {means} of them only fix means, so that "
                "unbiased=True has nothing left to divide by. Use unbiased=False, or more rows."
            )
        return weight / (weight - means)

    def _left_out(self, source: Source) -> LeftOutRows | None:
        rows, summary = source.in_memory, with_rows(type(self).__name__, self.summary_)
        moments = all(isinstance(part, Moments) and len(part.mean) == self.n_features_in_ for part in summary.parts)
        free = not self.shrinkage and not getattr(self, "reg_param", 0.0) and is_plain(self.priors)
        if rows is None or not moments or not free or getattr(self, "_from_gaps", False):
            return None
        gaussians = self._unfloored(summary)
        if gaussians is None:
            return None
        return left_out(rows, self.classes_, summary.weight, given_prior(self.priors), gaussians.scores)

    def _unfloored(self, summary: PerClass[Any]) -> Whitened | None:
        """The Gaussians of complete rows; None where the floor has raised some variance."""
        tied = self._structure() == "tied"
        weight, parts = summary.weight, summary.parts
        scatter = np.stack([part.scatter for part in parts])
        scatter = scatter.sum(axis=0, keepdims=True) if tied else scatter
        lost = (len(parts) if tied else 1) if self.unbiased else 0
        divisors = (weight.sum(keepdims=True) if tied else weight) - lost
        if not np.all(divisors > 0):
            return None
        return whitened(self.means_, scatter / divisors[:, None, None], divisors, column_scale(parts), self.floor)

    def decision_function(self, X: TableLike) -> Reals:
        """The log odds of two classes, log P(second | x) − log P(first | x), (n,); of more, linear or quadratic scores.

        The scores are log P(class) + log p(x | class) without what all classes share, (n, k). `predict` gives the
        second of two classes where it is above 0, and of more that of the largest.
        """

        def decisions(chunk: Chunk) -> Reals:
            scores = self._scores(chunk)
            return rounded(log_odds(scores) if scores.shape[1] == 2 else scores, chunk.X.dtype)

        return self._rows(X, decisions, lean=True)

    def _scores(self, chunk: Chunk) -> Floats:
        """In double: the odds of a row far away are a small difference of large scores."""
        raise TypeError(f"{type(self).__name__} does not define _scores")
