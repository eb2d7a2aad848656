"""The multivariate Student-t distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaln, digamma, gammaln

from ..backend.weights import given_or_ones
from ..errors import InvalidData
from ..holds import covariances, instance, number
from ..statistics import DiagonalMoments, Moments, Statistic
from ..typing import Floats, Numbers, RandomState
from .base import Distribution, drawn
from .conditional import Given, given_seen
from .parameters import ArrayParameter, parameter
from .sharing import blocks

_FEWEST, _MOST = 1e-2, 1e7  # degrees of freedom beyond which nothing changes any more


@dataclass(frozen=True)
class TailMoments(Statistic):
    """Σw of rows, their moments with weights w·E[u], Σ w E[log u], and Σ w log p(x) under the member that expected it.

    u is the latent precision of a row, large where the row lies close to the mean.
    """

    rows: float
    moments: Moments
    log_precision: float
    log_prob: float

    holds: ClassVar = {
        "rows": number(at_least=0),
        "moments": instance(Moments, d="d"),
        "log_precision": number(finite=False),
        "log_prob": number(finite=False),
    }

    def __add__(self, other: TailMoments) -> TailMoments:
        return TailMoments(
            self.rows + other.rows,
            self.moments + other.moments,
            self.log_precision + other.log_precision,
            self.log_prob + other.log_prob,
        )


class _Seen(NamedTuple):
    """Rows completed by expectation (n, d), how; and of what was seen of each: cells, log det S, distance, (n,)."""

    filled: Floats
    groups: tuple[tuple[Any, Any, Floats], ...]
    cells: NDArray[np.int64]
    log_det: Floats
    distance: Floats


@dataclass(frozen=True)
class StudentT(Distribution):
    """Elliptical rows with heavy tails: p(x) ∝ det(S)^(−½) (1 + (x−m)ᵀ S⁻¹ (x−m) / ν)^(−(ν+d)/2).

    A row is Gaussian with covariance S/u, where the precision u ~ Gamma(ν/2, ν/2) is latent. `statistic` expects u
    under the current member, and `mle` is one iteration of the parameter-expanded EM of Liu, Rubin & Wu (1998). Missing
    cells are expected as well. With `estimate_df=False` the degrees of freedom stay as given.

    Examples
    --------
    >>> from suffice.distributions import StudentT
    >>> member = StudentT(df=3.0, estimate_df=False).fit(np.array([[0.0], [1.0], [2.0], [50.0]]))
    >>> member.mean.round(2), member.df
    (array([1.58]), 3.0)
    """

    names = ("student_t", "t")
    latent = True
    starting = ("df",)  # `estimate_df` says whether it stays

    mean: ArrayParameter = parameter("m, the centre, (d,).", ("d",))
    scale: ArrayParameter = parameter("S, the scale matrix, (d, d).", ("d", "d"), holds=covariances("d", "d"))
    df: float = parameter("ν, the degrees of freedom.", holds=number(above=0))
    estimate_df: bool = True
    floor: float = 0.0  # what `mle` adds to the diagonal of the scale matrix; keeps it from collapsing

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        root = rng.normal(size=(3, 3)) + 2 * np.eye(3)
        return cls(rng.normal(size=3), root @ root.T, 5.0)

    @property
    def n_parameters(self) -> int:
        d = len(self.mean)
        return d + d * (d + 1) // 2 + self.estimate_df

    # -- densities --------------------------------------------------------------------------------------------------
    def log_prob(self, X: Numbers) -> Floats:
        self._require_parameters()
        found = [self._log_density(self._seen(X[rows])) for rows in blocks(len(X), X.shape[1] ** 2)]
        return np.concatenate(found) if found else np.zeros(0)

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        rng, d = drawn(n, random_state), len(self.mean)
        normal = rng.normal(size=(n, d)) @ self._root().T
        return np.asarray(self.mean + normal * np.sqrt(self.df / rng.chisquare(self.df, (n, 1))))

    def moments(self) -> tuple[Floats, Floats]:
        mean = self.mean if self.df > 1 else np.full(len(self.mean), np.nan)
        return mean, np.diagonal(self.scale) * (self.df / (self.df - 2) if self.df > 2 else np.inf)

    def entropy(self) -> float:
        d, v = len(self.mean), self.df
        volume = d / 2 * np.log(v * np.pi) - gammaln(d / 2) + betaln(d / 2, v / 2)
        log_det = 2 * np.sum(np.log(np.diagonal(self._root())))
        return float(log_det / 2 + volume + (v + d) / 2 * (digamma((v + d) / 2) - digamma(v / 2)))

    # -- learning ---------------------------------------------------------------------------------------------------
    def begin(self, X: Numbers, weight: Numbers | None = None) -> Self:
        seen = DiagonalMoments.of(np.asarray(X, dtype=np.float64), weight)
        return self.around(seen.mean, seen.variance() + self.floor)

    def around(self, mean: Floats, variance: Floats) -> Self:
        """The member with this mean and these squared scales of the columns."""
        df = 10.0 if self.df is None else self.df
        return replace(self, mean=mean, scale=np.diag(variance), df=df)

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> TailMoments:
        if not self.has_parameters:
            return self.begin(X, weight).statistic(X, weight)
        w = np.asarray(given_or_ones(weight, len(X)), dtype=np.float64)
        total = TailMoments(0.0, Moments.zero(len(self.mean)), 0.0, 0.0)
        for rows in blocks(len(X), X.shape[1] ** 2):
            total += self._expected(self._seen(X[rows]), w[rows])
        return total

    def _expected(self, seen: _Seen, weight: Floats) -> TailMoments:
        """The summary of some rows, what is latent expected."""
        shape, rate = (self.df + seen.cells) / 2, (self.df + seen.distance) / 2
        table = digamma((self.df + np.arange(len(self.mean) + 1)) / 2)
        precision, log_precision = shape / rate, table[seen.cells] - np.log(rate)  # E[u], E[log u], (n,)
        moments = Moments.of(seen.filled, weight * precision)
        spread = np.zeros_like(moments.scatter)  # Σ w E[u] · the covariance C/u of what is missing
        for rows, columns, covariance in seen.groups:
            own = weight[rows][:, None, None] * covariance
            np.add.at(spread, (columns[:, :, None], columns[:, None, :]), own)
        moments = replace(moments, scatter=moments.scatter + spread)
        log_prob = float(weight @ self._log_density(seen))
        return TailMoments(float(weight.sum()), moments, float(weight @ log_precision), log_prob)

    def mle(self, statistic: TailMoments) -> Self:
        """One iteration of EM from the member that expected the summary."""
        weighted = statistic.moments
        if not weighted.weight > 0:
            return self
        excess = statistic.log_precision / statistic.rows - np.log(weighted.weight / statistic.rows)
        if not np.isfinite(excess):
            raise InvalidData(
                "StudentT: the rows lie so far away that their distances overflow; scale the columns down."
            )
        df = _degrees(float(excess)) if self.estimate_df else self.df
        scale = weighted.scatter / weighted.weight + self.floor * np.eye(len(weighted.mean))
        return replace(self, mean=weighted.mean, scale=scale, df=df)

    def total_log_prob(self, statistic: TailMoments) -> float:
        """Σ w log p(x) under the member that expected the summary."""
        return statistic.log_prob

    # -- parts of it ------------------------------------------------------------------------------------------------
    def _root(self) -> Floats:
        try:
            root: Floats = np.linalg.cholesky(self.scale)  # type: ignore[assignment]
            return root
        except np.linalg.LinAlgError:
            raise InvalidData(
                "StudentT: the scale matrix is singular; leave out columns that are constant or follow from others."
            ) from None

    def _seen(self, X: Floats) -> _Seen:
        """What the density of the seen cells needs; one at its expected value adds nothing to the distance."""
        root, d = self._root(), len(self.mean)
        missing = np.isnan(X).any()
        given = given_seen(np.asarray(X, dtype=np.float64), self.mean, self.scale) if missing else Given(X, ())
        white = (given.filled - self.mean) @ np.linalg.inv(root).T
        cells, log_det = np.full(len(X), d), np.full(len(X), 2 * np.sum(np.log(np.diagonal(root))))
        for rows, columns, covariance in given.groups:
            cells[rows] -= columns.shape[1]
            log_det[rows] -= np.linalg.slogdet(covariance)[1]
        return _Seen(given.filled, given.groups, cells, log_det, np.einsum("ij,ij->i", white, white))

    def _log_density(self, seen: _Seen) -> Floats:
        v, cells = self.df, np.arange(len(self.mean) + 1)
        constant = gammaln((v + cells) / 2) - gammaln(v / 2) - cells / 2 * np.log(v * np.pi)  # by the number of cells
        log_det = seen.log_det / 2
        return np.asarray(constant[seen.cells] - log_det - (v + seen.cells) / 2 * np.log1p(seen.distance / v))


def _degrees(excess: float) -> float:
    """The ν with log(ν/2) − ψ(ν/2) = −excess, as of a Gamma distribution with mean one."""

    def gap(log_df: float) -> float:
        half = np.exp(log_df) / 2
        return float(np.log(half) - digamma(half) + excess)

    low, high = np.log(_FEWEST), np.log(_MOST)
    if gap(high) >= 0:
        return _MOST
    return _FEWEST if gap(low) <= 0 else float(np.exp(brentq(gap, low, high, xtol=1e-14)))
