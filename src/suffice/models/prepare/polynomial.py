"""All monomials of some columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, NoReturn, cast

import numpy as np
from scipy.sparse import hstack

from ...backend import features
from ...data import Chunk, Needs, Source
from ...data.validate import check_sparse_gaps, is_sparse
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import flag, integers, require, whole
from ...params import derived, learned, param
from ...scikit_learn import Counterpart
from ...typing import CSR, Numbers, Reals, TableLike, Whole
from .base import FeatureMap, check_room, columns_at
from .monomials import factors, how_many, of_sparse_rows

_HIGHEST, _MOST, _MOST_SPARSE = 1000, 1_000_000, 1 << 53  # degree, monomials, and those of sparse rows


def _are_degrees(value: object) -> bool:
    """Whether a value is a pair of the least and the largest degree."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    whole = all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in value)
    return whole and 0 <= value[0] <= value[1] <= _HIGHEST and value[1] > 0


@estimator
class PolynomialFeatures(FeatureMap):
    """All monomials of the columns up to a degree: φ(x) = (x₁ᵖ¹ ⋯ x_dᵖᵈ), p₁ + … + p_d ≤ degree.

    Of d columns there are C(d + k, k) up to degree k: 1, x₁, …, x_d, x₁², x₁x₂, …, lower degrees first. A linear model
    of them is a polynomial. `interaction_only` leaves out powers; with `columns` only these are multiplied, which gives
    the interactions of chosen columns. A product with a missing value is missing. Sparse rows stay sparse.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.PolynomialFeatures(2).fit([[2.0, 3.0]])
    >>> model.transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    >>> model.get_feature_names_out().tolist()
    ['1', 'x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    """

    row_by_row = True
    complexity = "degree"

    counterpart: ClassVar = Counterpart("sklearn.preprocessing", ignored={"order": "it is the order in memory"})

    needs = Needs(missing=True, sparse=True)
    squares = False  # products that overflow are refused where they are made

    degree: object = param(
        2,
        positional=True,
        integer=True,
        at_least=0,
        at_most=_HIGHEST,
        accept=_are_degrees,
        allowed="a pair of the least and the largest degree",
        doc="The largest degree, or the least and the largest.",
    )
    interaction_only: bool = param(False, choices=(True, False), doc="Whether no column is multiplied with itself.")
    include_bias: bool = param(True, choices=(True, False), doc="Whether the monomial of degree 0, 1, is among them.")

    degrees_: Whole = learned("The degrees of the monomials that are made.", holds=integers(None, at_least=0))
    once_: bool = learned("Whether no column is multiplied with itself.", holds=flag())
    n_output_features_: int = learned("How many columns `transform` gives.", holds=whole(at_least=0))

    @derived
    def powers_(self) -> Whole:
        """The exponents of the mapped columns in each feature, (p, m)."""
        parts = [np.zeros((0, len(self.mapped_)), dtype=np.int64)]
        for held in self._factors():
            counted = np.zeros((len(held), len(self.mapped_)), dtype=np.int64)
            np.add.at(counted, (np.arange(len(held))[:, None], held), 1)
            parts.append(counted)
        return np.concatenate(parts)

    def check_loaded(self) -> None:
        super().check_loaded()
        width = sum(how_many(len(self.mapped_), int(k), self.once_) for k in self.degrees_)
        rising = np.all(np.diff(self.degrees_) > 0) and self.degrees_.max(initial=0) <= _HIGHEST
        require(rising and width <= _MOST_SPARSE, "degrees_ must rise, and make at most 2**53 monomials")
        others = self.n_features_in_ - len(self.mapped_)
        require(self.n_output_features_ == width + others, "n_output_features_ must be the number of features")

    def _degrees(self) -> tuple[int, int]:
        given = self.degree
        low, high = (0, given) if isinstance(given, int) else cast(tuple[int, int], given)
        if high == 0 and not self.include_bias:
            raise InvalidParameter(
                f"{type(self).__name__}: degree must be above 0 where include_bias is False; got {self.degree!r}."
            )
        return int(low), int(high)

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        (low, high), m = self._degrees(), len(chosen)
        degrees = [0] * self.include_bias + list(range(max(low, 1), high + 1))
        count = sum(how_many(m, k, self.interaction_only) for k in degrees)
        most = _MOST_SPARSE if source.in_memory is not None and is_sparse(source.in_memory.X) else _MOST
        if count > most:
            raise InvalidParameter(
                f"{type(self).__name__}: degree={self.degree!r} of {m} columns makes {count:,} monomials, and at most "
                f"{most:,} are made; take a lower degree or fewer columns."
            )
        made = {"degrees_": np.array(degrees, dtype=np.int64), "once_": self.interaction_only}
        return {**made, "n_output_features_": count + len(source.schema) - m}

    def _factors(self) -> Iterator[Whole]:
        """The mapped columns whose product each feature is, (count, degree), by degree."""
        return factors(len(self.mapped_), self.degrees_, self.once_)

    def transform(self, X: TableLike) -> Numbers:  # type: ignore[override]  # sparse where the rows are
        """The monomials of the rows, and behind them the columns that are not mapped."""
        found: Numbers = self._rows(X, self._of_chunk)
        return found

    def _of_chunk(self, chunk: Chunk) -> Numbers:
        if not is_sparse(chunk.X):
            return self._forward(chunk)
        check_sparse_gaps(chunk.X, type(self).__name__, chunk.number)
        mapped: CSR = columns_at(chunk.X, self.mapped_)
        mapped.sort_indices()
        with self._refusing_overflow(mapped.data):
            made = of_sparse_rows(mapped, self.degrees_, self.once_, type(self).__name__)
        others = self._others()
        both: Numbers = type(made)(hstack([made, chunk.X[:, others]], format="csr")) if len(others) else made
        return both

    def _features(self, X: Reals) -> Reals:
        width = self.n_output_features_ - len(self._others())
        check_room(X, width, type(self).__name__, "take a lower degree, or fewer columns")
        made, infinite = features.monomials(X, int(self.degrees_.max(initial=0)), self.once_)  # (p, n)
        if infinite:
            self._refuse_overflow(X)
        if len(made) == width:
            return made.T
        counts = [how_many(len(self.mapped_), k, self.once_) for k in range(int(self.degrees_.max()) + 1)]
        return made[np.repeat(np.isin(np.arange(len(counts)), self.degrees_), counts)].T

    def _refuse_overflow(self, cells: Reals) -> NoReturn:
        largest = np.nanmax(np.abs(cells))
        raise InvalidData(
            f"{type(self).__name__}: products of columns overflow, whose cells reach {largest:.3g}; "
            "scale the columns down, or take a lower degree."
        ) from None

    @contextmanager
    def _refusing_overflow(self, cells: Reals) -> Iterator[None]:
        try:
            with np.errstate(over="raise"):
                yield
        except FloatingPointError:
            self._refuse_overflow(cells)

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        for held in (row for made in self._factors() for row in made.tolist()):
            powers = Counter(held)
            yield " ".join(names[j] if k == 1 else f"{names[j]}^{k}" for j, k in powers.items()) or "1"
