"""Arguments to try the operations of Gaussian mixtures with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats
from ..examples import Arguments, Case
from . import Rule, Shape


def has_missing(case: Case) -> Iterator[Arguments]:
    """With and without missing cells."""
    for missing in (0.0, 0.2):
        yield (case.rows(case.rng(), missing),)


def _components(rng: np.random.Generator, d: int, shape: Shape) -> tuple[Floats, Floats, Floats]:
    """Means, covariances and log weights of three components, of which the last has no weight."""
    root = np.tril(rng.normal(size=(3, d, d))) / np.sqrt(d) + np.eye(d)
    full = root @ np.swapaxes(root, 1, 2)
    covariance = {"full": full, "tied": full[0], "diagonal": full[:, range(d), range(d)].copy()}[shape]
    return rng.normal(1.0, 2.0, (3, d)), covariance, np.array([np.log(0.25), np.log(0.75), -np.inf])


def moment_log_probs(case: Case) -> Iterator[Arguments]:
    """Rows of three components summed up, one of them without rows."""
    rng = case.rng()
    _, covariance, _ = _components(rng, case.d, "full")
    roots = rng.normal(size=(3, case.d, case.d))
    scatter = case.laid_out(roots @ np.swapaxes(roots, 1, 2))
    yield scatter, rng.normal(size=(3, case.d)), np.array([2.0, 0.0, 5.5]), covariance


def component_log_probs(case: Case) -> Iterator[Arguments]:
    """Full and tied covariances, with missing cells where they are known, and with infinite ones."""
    yield from _also_infinite(_rows_and_components(case))


def diagonal_log_probs(case: Case) -> Iterator[Arguments]:
    """With and without missing cells, and with infinite ones."""
    yield from _also_infinite(_rows_and_columns(case))


def _also_infinite(examples: Iterator[Arguments]) -> Iterator[Arguments]:
    for X, *others in examples:
        yield X, *others
        beyond = X.copy()
        beyond[::5, 0] = np.inf
        yield beyond, *others


def _rows_and_components(case: Case) -> Iterator[Arguments]:
    shape: Shape
    for shape, missing in (("full", 0.0), ("full", 0.2), ("tied", 0.0)):
        rng = case.rng()
        X = case.rows(rng, missing)
        yield X, *_components(rng, case.d, shape), shape, bool(np.isnan(X).any())


def _rows_and_columns(case: Case) -> Iterator[Arguments]:
    for missing in (0.0, 0.2):
        rng = case.rng()
        X = case.rows(rng, missing)
        yield X, *_components(rng, case.d, "diagonal")


def _rules(case: Case, rng: np.random.Generator) -> tuple[Rule, ...]:
    labels = rng.choice([-1, 0, 1], case.n).astype(np.int32)
    return Rule(), Rule(hard=True), Rule(labels=labels), Rule(uniforms=rng.random(case.n))


def component_sums(case: Case) -> Iterator[Arguments]:
    """Full and tied covariances, and every rule."""
    rng = case.rng()
    rules = _rules(case, rng)
    for X, means, covariance, log_weight, shape, has_missing in _rows_and_components(case):
        for rule in rules[:1] if has_missing else rules:
            yield X, None, means, covariance, log_weight, shape, rule, has_missing
        yield X, case.weight(rng), means, covariance, log_weight, shape, Rule(), has_missing


def diagonal_sums(case: Case) -> Iterator[Arguments]:
    """Every rule."""
    rng = case.rng()
    for X, means, variance, log_weight in _rows_and_columns(case):
        for rule in _rules(case, rng):
            yield X, None, means, variance, log_weight, rule
        yield X, case.weight(rng), means, variance, log_weight, Rule()
