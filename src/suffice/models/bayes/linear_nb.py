"""The base of naive Bayes for counts and flags, whose log density is linear in the cells."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...backend import sparse
from ...backend.mixture import has_missing
from ...data import Chunk, Needs
from ...data.side_by_side import for_each
from ...data.validate import check_sparse_gaps as check_sparse_gaps
from ...data.validate import sparse_place
from ...distributions import Distribution
from ...distributions.log_linear import affine_terms, linear_terms
from ...errors import InvalidData
from ...estimator import Attributes, declares
from ...holds import floats, require
from ...params import learned
from ...statistics import ColumnSums
from ...typing import Floats, Labels, Numbers, Reals
from .naive import Estimate, NaiveClassifier, alphas, estimate
from .smoothing import smoothed

_BLOCK_CELLS = 1 << 18  # looked at by a thread at a time


@declares
class LinearNB(NaiveClassifier):
    """Base: the statistic is the sum of each column, and log p(x | class) = Σⱼ xⱼ slopeⱼ + offsetⱼ."""

    needs = Needs(target="classes", missing=True, sparse=True, one_hot=True)
    family: ClassVar[Distribution]

    feature_count_: Floats = learned("The sum of each class and column, (k, d).", holds=floats("k", "d"))
    holds: ClassVar = {
        "_slope": floats("d", "width", finite=False),
        "_offset": floats("k", "d", finite=False),
        "_constant": floats("k", finite=False),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        self.summary_.check_parts(ColumnSums)
        require(isinstance(self._members[0], type(self.family)), f"_members must be of {type(self.family).__name__}")
        width = self._slope.shape[1]
        is_whole = width % 8 == 0 or width == 1
        require(
            is_whole and width >= len(self.classes_),
            "_slope must have a column for each class, and be one column or whole eights",
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of real numbers, as scikit-learn's checks have them
        return tags

    def _terms(self, members: tuple[object, ...]) -> tuple[Floats, Floats, Attributes]:
        """Slopes and offsets, (k, d) each, and the attributes that only this class has."""
        raise TypeError(f"{type(self).__name__} does not define _terms")

    def _grouped(self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None) -> tuple[ColumnSums, ...]:
        return ColumnSums.grouped(X, group, groups, weight)

    def _estimate(self, parts: tuple[ColumnSums, ...], classes: Labels) -> Estimate:
        alpha = alphas(type(self).__name__, vars(self)["alpha"], len(parts[0].total))
        members = tuple(smoothed(self.family, part, alpha) for part in parts)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope, offset, own = self._terms(members)
        attributes: Attributes = {
            "feature_count_": np.stack([part.total for part in parts]),
            "_slope": sparse.padded(slope.T),  # (d, k or more)
            "_offset": offset,
            "_constant": offset.sum(axis=1),  # (k,)
            **own,
        }
        if not _are_finite(slope, offset):
            return estimate(members, parts, attributes)
        pairs = zip(parts, slope, offset, strict=True)
        dot = partial(np.einsum, "j,j")  # one thread: those of a BLAS cost more than so little work
        total = sum(float(dot(part.total, s) + dot(part.weight, o)) for part, s, o in pairs)
        return Estimate(members, total, attributes)

    def _is_smooth(self) -> bool:
        """Whether nothing is impossible, so that every slope is finite; very heavy rows make a probability 1."""
        return _are_finite(self._slope, self._constant)

    def _log_joint(self, chunk: Chunk) -> Floats:
        X = self._prepared(chunk)
        terms = self._complete_terms(X, self._constant + self.class_log_prior_)
        return self._log_densities(X) + self.class_log_prior_ if terms is None else terms

    def _log_densities(self, X: Numbers) -> Floats:
        terms = self._complete_terms(X, self._constant)
        if terms is not None:
            return terms
        terms = linear_terms(X, self._slope[:, : len(self._constant)], self._offset.T)
        if hasattr(X, "tocsr") or not has_missing(np.asarray(X)):
            return terms
        return self._of_the_rest(X, terms)

    def _complete_terms(self, X: Numbers, constant: Floats) -> Floats | None:
        """Σⱼ xⱼ slopeⱼ + constant, (n, k); None where that is no number, of missing cells or infinite slopes."""
        if not self._is_smooth():
            return None
        if hasattr(X, "tocsr"):
            return sparse.affine(X, self._slope, constant)
        terms = affine_terms(X, self._slope[:, : len(constant)], constant)
        return None if np.isnan(terms[:, 0]).any() else terms  # as every term of a row with a missing cell is

    def _of_the_rest(self, X: Numbers, terms: Floats) -> Floats:
        """log p(x | class) of the cells that are there, (n, k), from the sums of their terms."""
        return terms


def _are_finite(*arrays: Floats) -> bool:
    return all(bool(np.isfinite(values).all()) for values in arrays)


def check_counts(chunk: Chunk, owner: str) -> None:
    """Refuse NaN among the values of a sparse matrix, and the first cell below 0."""
    if hasattr(chunk.X, "tocsr") and chunk.X.nnz and chunk.X.data.min() >= 0:
        return  # the least is NaN where one is
    check_sparse_gaps(chunk.X, owner, chunk.number)
    check_not_negative(chunk, owner)


def check_not_negative(chunk: Chunk, owner: str) -> None:
    """Refuse the first cell below 0."""
    X = chunk.X
    if hasattr(X, "tocsr"):
        if not X.nnz or X.data.min() >= 0:
            return
        place, value = sparse_place(X, X.data < 0, chunk.number), X.data[np.argmax(X.data < 0)]
    else:
        if _least(X) >= 0:  # it is NaN where a cell is missing
            return
        negative = (X < 0) & np.isfinite(X)  # infinite cells are refused as such
        if not negative.any():
            return
        i, j = np.argwhere(negative)[0]
        place, value = f"{chunk.number(i)}, column {j}", X[i, j]
    raise InvalidData(
        f"{owner}: row {place} holds {value:g}. Negative values in data passed to {owner} (input X) cannot be used; "
        "drop the row or mend the cell."
    )


def _least(X: Reals) -> float:
    """The least cell; NaN where one is missing."""
    height = max(1, _BLOCK_CELLS // X.shape[1])
    blocks = [X[first : first + height] for first in range(0, len(X), height)]
    return float(np.min(for_each(blocks, lambda block: block.min(initial=0.0), X.size), initial=0.0))
