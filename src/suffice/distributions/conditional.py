"""Rows with missing values under a Gaussian, given what was seen of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..typing import Floats, Numbers

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Given:
    """Rows completed by expected values, (n, d), and the covariances for rows with equally many missing values.

    Each group has the rows (g,), the missing columns of each (g, m), and the covariance of those (g, m, m).
    """

    filled: Floats
    groups: tuple[tuple[Places, Places, Floats], ...]

    def covariances(self) -> Floats:
        """The covariance of every row, (n, d, d): zero for what was seen."""
        n, d = self.filled.shape
        out = np.zeros((n, d, d))
        for rows, columns, covariance in self.groups:
            out[rows[:, None, None], columns[:, :, None], columns[:, None, :]] = covariance
        return out

    def drawn(self, normal: Floats) -> Floats:
        """The rows with missing values drawn, from standard normal numbers (n, d)."""
        out = self.filled.copy()
        for rows, columns, covariance in self.groups:
            values, vectors = np.linalg.eigh(covariance)
            root = vectors * np.sqrt(np.maximum(values, 0))[:, None, :]
            step = np.einsum("gij,gj->gi", root, normal[rows[:, None], columns])
            out[rows[:, None], columns] += step
        return out


def gap_groups(X: Numbers) -> Iterator[tuple[Places, Places]]:
    """Rows with equally many missing values (g,), and the missing columns of each (g, m)."""
    missing = np.isnan(X)
    count = missing.sum(axis=1)
    for m in np.unique(count[count > 0]):
        rows = np.flatnonzero(count == m)
        yield rows, np.nonzero(missing[rows])[1].reshape(len(rows), m)


def given_seen(X: Floats, mean: Floats, covariance: Floats) -> Given:
    """What is missing given what was seen: with the precision matrix L, r_m = −L_mm⁻¹ L_mo r_o, covariance L_mm⁻¹."""
    try:
        precision = np.linalg.inv(covariance)
    except np.linalg.LinAlgError:
        raise InvalidData("Gaussian: the covariance is singular, so that nothing is known of missing values.") from None
    residual = np.nan_to_num(X - mean)
    pull = residual @ precision  # (n, d)
    groups = []
    for rows, columns in gap_groups(X):
        inside = np.linalg.inv(precision[columns[:, :, None], columns[:, None, :]])
        residual[rows[:, None], columns] = -np.einsum("gij,gj->gi", inside, pull[rows[:, None], columns])
        groups.append((rows, columns, inside))
    return Given(np.where(np.isnan(X), mean + residual, X), tuple(groups))


def given_apart(X: Floats, mean: Floats, variance: Floats) -> Given:
    """The same where columns are independent."""
    groups = []
    for rows, columns in gap_groups(X):
        groups.append((rows, columns, variance[columns][:, :, None] * np.eye(columns.shape[1])))
    return Given(np.where(np.isnan(X), mean, X), tuple(groups))
