"""Sines and cosines of columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...data import Source
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import are_numbers, learned, param
from ...typing import Floats, Reals, Whole
from .base import FeatureMap, check_different, per_column


@estimator
class FourierFeatures(FeatureMap):
    """Harmonics of each column: φ(t) = (cos kωt, sin kωt), k = 1, 2, …, ω = 2π / period.

    For what repeats itself: hours of a day, days of a year, angles. A linear model of them is a Fourier series, whose 1
    is the intercept. Frequencies that are no multiples are given by `harmonics`. Missing values stay missing.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.FourierFeatures(2, period=24).fit([[0.0], [6.0], [12.0]])
    >>> model.transform([[6.0]]).round(9) + 0.0
    array([[ 0.,  1., -1.,  0.]])
    >>> model.get_feature_names_out().tolist()
    ['x0_cos1', 'x0_sin1', 'x0_cos2', 'x0_sin2']
    """

    row_by_row = True
    complexity = "harmonics"

    harmonics: object = param(
        3,
        positional=True,
        integer=True,
        at_least=1,
        at_most=100_000,
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of numbers above 0",
        doc="How many multiples k = 1, 2, … of the frequency, or the numbers k themselves.",
    )
    period: object = param(
        2 * np.pi,
        number=True,
        above=0,
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of one number a column",
        doc="After how much a column begins again, or each of the mapped columns.",
    )

    harmonics_: Floats = learned("The multiples of the frequency, (k,).", holds=floats("k"))
    periods_: Floats = learned("The period of each mapped column, (m,).", holds=floats("m", above=0))

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        owner = type(self).__name__
        multiples = np.atleast_1d(np.asarray(self.harmonics, dtype=np.float64))
        if isinstance(self.harmonics, int):
            multiples = np.arange(1.0, self.harmonics + 1)
        if not multiples.size or not np.all((multiples > 0) & (multiples < 1e150)):
            raise InvalidParameter(f"{owner}: harmonics must be numbers above 0; got {self.harmonics!r}.")
        check_different(multiples, owner, "harmonics")
        periods = per_column(self.period, len(chosen), owner, "period", "a number")
        return {"harmonics_": multiples, "periods_": periods}

    def _features(self, X: Reals) -> Reals:
        (n, m), k = X.shape, len(self.harmonics_)
        turns = X.astype(np.float64, copy=False) / self.periods_  # of which only the fraction counts
        with np.errstate(over="ignore", invalid="ignore"):
            angle = 2 * np.pi * np.remainder(turns[:, :, None] * self.harmonics_, 1.0)  # (n, m, k)
        angle[np.isnan(angle) & ~np.isnan(turns)[:, :, None]] = 0.0  # so many turns that none can be told
        made = np.empty((n, m, k, 2), X.dtype)
        np.cos(angle, out=made[..., 0], casting="same_kind")
        np.sin(angle, out=made[..., 1], casting="same_kind")
        return made.reshape(n, m * k * 2)

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        return (f"{name}_{wave}{k:g}" for name in names for k in self.harmonics_ for wave in ("cos", "sin"))
