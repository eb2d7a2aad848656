"""Splines of columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from ...backend import features
from ...data import Source
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, require, tuples
from ...params import are_numbers, learned, numbers, param
from ...scikit_learn import Counterpart
from ...typing import Floats, Reals, Whole
from .base import FeatureMap
from .places import places
from .spline_basis import SplineBasis, continued


@estimator
class SplineTransformer(FeatureMap):
    """B-splines of each column: φ_k(x) = B_k(x), piecewise polynomials of a degree that join smoothly at knots.

    At every x within the outer knots only degree + 1 of them are not 0, and they sum to 1. A linear model of them is a
    smooth curve. Knots are even or at quantiles, by weight, or given; equal ones are one. `extrapolation` says what
    comes beyond the outer knots; "periodic" joins the ends. `natural` splines have no curvature there and go on
    straight, and there are two fewer. Missing values stay missing.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.SplineTransformer(n_knots=3, degree=2).fit([[0.0], [4.0]])
    >>> model.transform([[0.0], [1.0], [4.0]])
    array([[0.5  , 0.5  , 0.   , 0.   ],
           [0.125, 0.75 , 0.125, 0.   ],
           [0.   , 0.   , 0.5  , 0.5  ]])
    """

    complexity = "n_knots"

    read_late = ("degree", "include_bias", "natural")

    counterpart: ClassVar = Counterpart(
        "sklearn.preprocessing",
        ignored={"order": "it is the order in memory"},
        absent={"sparse_output": "the result is dense", "handle_missing": "missing values stay missing"},
    )

    n_knots: int = param(5, positional=True, integer=True, at_least=2, at_most=100_000, doc="How many knots a column.")
    degree: int = param(3, positional=True, integer=True, at_least=0, at_most=50, doc="The degree of the polynomials.")
    knots: object = param(
        "uniform",
        choices=("uniform", "quantile"),
        accept=lambda value: are_numbers(value, 2),
        allowed="an array (knots, columns)",
        doc="Where the knots are; quantiles count rows by weight.",
    )
    extrapolation: str = param(
        "constant",
        choices=("error", "constant", "linear", "continue", "periodic"),
        doc="What comes beyond the outer knots.",
    )
    include_bias: bool = param(
        True, choices=(True, False), doc="Whether the splines can make a constant; without, each column has one fewer."
    )
    natural: bool = param(False, choices=(True, False), doc="Whether the curvature is 0 at the outer knots and beyond.")

    knots_: tuple[Floats, ...] = learned("The knots of each mapped column.", holds=tuples(floats(None), "m"))
    n_features_out_: int = learned("How many columns `transform` gives.")

    def check_loaded(self) -> None:
        super().check_loaded()
        for knots in self.knots_:
            require(len(knots) >= 2 and np.all(np.diff(knots) > 0), "knots_ must rise, at least two a column")

    def _bases(self) -> list[SplineBasis]:
        how = (self.degree, self.extrapolation, self.include_bias, self.natural)
        return [SplineBasis(knots, *how) for knots in self.knots_]

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        owner = type(self).__name__
        if self.natural and (self.degree < 2 or self.extrapolation == "periodic"):
            raise InvalidParameter(f"{owner}: natural must be False where degree is below 2 or extrapolation periodic.")
        if isinstance(self.knots, str):
            found = places(source, chosen, self.n_knots, self.knots, owner)
            knots = tuple(map(_rising, found.T))
        else:
            given = np.asarray(self.knots)
            what = "one row a knot, at least two, and one column for each mapped"
            held = numbers(owner, "knots", given, (max(2, len(given)), len(chosen)), what)
            if not np.all(np.diff(held, axis=0) > 0):
                raise InvalidParameter(f"{owner}: knots must rise in every column; got {self.knots!r}.")
            knots = tuple(held.T.copy())
        self._check_enough(knots, owner)
        how = (self.degree, self.extrapolation, self.include_bias, self.natural)
        width = sum(SplineBasis(own, *how).size for own in knots)
        return {"knots_": knots, "n_features_out_": width + len(source.schema) - len(chosen)}

    def _check_enough(self, knots: tuple[Floats, ...], owner: str) -> None:
        fewest = min(map(len, knots))
        if self.extrapolation == "periodic" and fewest <= self.degree:
            raise InvalidParameter(
                f"{owner}: degree must be below the number of knots where extrapolation is periodic; got {self.degree} "
                f"with {fewest} different knots."
            )

    def _features(self, X: Reals) -> Reals:
        if self.extrapolation == "constant" and self.include_bias and not self.natural:
            return features.splines(X, *self._all_knots(), self.degree, True)
        bases, end = self._bases(), 0
        made = np.empty((len(X), sum(basis.size for basis in bases)), X.dtype)
        for j, basis in enumerate(bases):
            x = np.asarray(X[:, j], dtype=np.float64)
            if self.extrapolation == "error" and not self.natural:
                self._check_within(x, basis, j)
            made[:, end : end + basis.size] = basis(x)
            end += basis.size
        return made

    def _all_knots(self) -> tuple[Floats, Whole]:
        """The knots of all columns, those beyond among them, one after the other, and where each column begins."""
        counts = [len(knots) for knots in self.knots_]
        ends = np.cumsum([0, *(count + 2 * self.degree for count in counts)], dtype=np.int64)
        if len(set(counts)) == 1:
            return continued(np.array(self.knots_), self.degree).reshape(-1), ends
        return np.concatenate([continued(knots, self.degree) for knots in self.knots_]), ends

    def _check_within(self, x: Floats, basis: SplineBasis, j: int) -> None:
        low, high = basis.knots[0], basis.knots[-1]
        beyond = (x < low) | (x > high)
        if beyond.any():
            raise InvalidData(
                f"{type(self).__name__}: mapped column {j} holds {x[beyond][0]:g}, beyond its outer knots {low:g} and "
                f"{high:g}; choose another extrapolation than 'error'."
            )

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        pairs = zip(names, self._bases(), strict=True)
        return (f"{name}_sp_{k}" for name, basis in pairs for k in range(basis.size))


def _rising(knots: Floats) -> Floats:
    """The different knots; around the one value of a constant column there are two."""
    found = np.unique(knots)
    if len(found) > 1:
        return found
    room = max(0.5, 1e-6 * abs(float(found[0])))
    return np.array([found[0] - room, found[0] + room])
