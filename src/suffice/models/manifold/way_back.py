"""The way back from a map: a mixture of planes over places and rows together, which says what row a place has."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backend.blas import blas_threads_for
from ...data import ArraySource, Chunk, Needs
from ...data.schema import unnamed
from ...errors import SufficeWarning
from ...typing import Floats, Labels

_PLANES = (1, 2, 4, 8, 16, 32, 64, 128)
_ROWS_A_PLANE = 8
_FOLD = 5  # of so many objects one is left out to choose the number of planes
_STRENGTH = 3.0  # times the scale of the columns that places are given
_WORSE = 2  # numbers of planes in a row that are no better, after which it ends


@dataclass(frozen=True)
class WayBack:
    """E[x | z] under a mixture of PPCA of (z, x), and what it leaves of rows that were left out of the choice.

    `error` is the mean squared error of these as a share of the variance of the columns.
    """

    mixture: Any  # a MixtureOfPPCA over places and rows; None for few rows, where the nearest place's row counts
    n_planes: int
    error: float
    scale: float
    places: Floats
    objects: Floats

    @classmethod
    def of(cls, places: Floats, rows: Floats, weight: Floats) -> WayBack:
        """From objects with their places (m, k), rows (m, d) and weights."""
        variance = float(np.mean(np.nanvar(rows, axis=0)))
        spread = float(np.mean(np.var(places, axis=0)))
        scale = _STRENGTH * np.sqrt(variance / spread) if variance > 0 and spread > 0 else 1.0
        way = cls(None, 0, 0.0, float(scale), places, rows)
        if len(places) < 2 * _ROWS_A_PLANE or not variance > 0:
            return way
        out = np.arange(len(places)) % _FOLD == _FOLD - 1
        order = np.random.default_rng(0).permutation(len(places))
        kept, left = order[~out], order[out]
        best, error, worse = 1, np.inf, 0
        for planes in _PLANES:
            if planes > 1 and planes * _ROWS_A_PLANE > len(kept):
                break
            some = way._with(planes, kept, weight)
            found = float(np.nanmean((some.rows(places[left]) - rows[left]) ** 2)) / variance
            worse = 0 if found < error else worse + 1
            if found < error:
                best, error = planes, found
            if worse == _WORSE:
                break
        whole = way._with(best, np.arange(len(places)), weight)
        return cls(whole.mixture, best, error, way.scale, places, rows)

    def _with(self, planes: int, some: Labels, weight: Floats) -> WayBack:
        from ..factors import MixtureOfPPCA

        both = np.column_stack([self.places[some] * self.scale, self.objects[some]])
        k = self.places.shape[1]
        model = MixtureOfPPCA(planes, rank=min(k, both.shape[1] - 1), random_state=0)
        needs = Needs(owner="inverse_transform", missing=True)
        work = blas_threads_for(both.shape[0] * both.shape[1] ** 2)  # it is learned outside of any fit
        with work, warnings.catch_warnings():  # rows on few planes leave some of many without rows
            warnings.simplefilter("ignore", SufficeWarning)
            model.fit_source(ArraySource(Chunk(both, None, weight[some]), unnamed(both.shape[1]), needs))
        return WayBack(model, planes, 0.0, self.scale, self.places, self.objects)

    def rows(self, Z: Floats) -> Floats:
        """The rows that places have, (q, d)."""
        if self.mixture is None:
            squared = np.sum(self.places**2, axis=1) - 2 * Z @ self.places.T
            return np.asarray(self.objects[np.argmin(squared, axis=1)])
        unknown = np.full((len(Z), self.objects.shape[1]), np.nan)
        found = self.mixture.impute(np.column_stack([Z * self.scale, unknown]))
        return np.asarray(found[:, self.places.shape[1] :])
