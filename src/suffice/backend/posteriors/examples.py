"""Arguments to try the operations of posteriors with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case


def posterior(case: Case) -> Iterator[Arguments]:
    """Log densities near each other, far apart, zero, infinite, and missing."""
    rng = case.rng()
    log_prior = np.log(rng.dirichlet(np.ones(case.d)))
    for spread in (1.0, 30.0, 1e3):
        yield case.laid_out(rng.normal(-5.0, spread, (case.n, case.d))), log_prior
    odd = rng.choice([-np.inf, np.inf, np.nan, -1.0, -2.0], (case.n, case.d), p=[0.4, 0.02, 0.02, 0.28, 0.28])
    odd[::5] = -np.inf
    yield case.laid_out(odd), log_prior


log_posterior = likeliest = posterior


def log_total(case: Case) -> Iterator[Arguments]:
    """The same without the prior."""
    for log_joint, _ in posterior(case):
        yield (log_joint,)
