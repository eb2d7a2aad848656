"""A distribution of one's own: how many failures come before a success."""

from dataclasses import dataclass

import numpy as np
from scipy.special import xlog1py, xlogy

from suffice.distributions import Distribution
from suffice.distributions.base import drawn
from suffice.distributions.parameters import kept, parameter
from suffice.distributions.support import COUNTS
from suffice.statistics import ColumnSums


@dataclass(frozen=True)
class Geometric(Distribution):
    """Failures before a success, in every column: p(x) = ∏ⱼ pⱼ (1 − pⱼ)^xⱼ."""

    names = ("geometric",)
    support = COUNTS

    probability: object = parameter("p, the probability of a success in each column, (d,).", ("d",))

    @classmethod
    def example(cls, rng):
        return cls(rng.uniform(0.4, 0.8, 3))

    def log_prob(self, X):
        self._require_parameters()
        return np.nansum(np.log(self.probability) + xlog1py(X, -self.probability), axis=1)

    def sample(self, n, random_state=None):
        self._require_parameters()
        return drawn(n, random_state).geometric(self.probability, (n, len(self.probability))) - 1.0

    def moments(self):
        p = self.probability
        return (1 - p) / p, (1 - p) / p**2

    def statistic(self, X, weight=None):
        return ColumnSums.of(X, weight)

    def mle(self, statistic):
        return Geometric(kept(1 / (1 + statistic.mean()), self.probability, 0.5))

    def total_log_prob(self, statistic):
        p = self.probability
        return float(np.sum(xlogy(statistic.weight, p) + xlog1py(statistic.total, -p)))


if __name__ == "__main__":
    from suffice.contracts import check_distribution

    check_distribution(Geometric)
    print("Geometric keeps the laws.")
