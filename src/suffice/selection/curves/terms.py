"""The terms of an expected error, from predictions of many fits and targets of the same rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Flags, Floats, Whole


@dataclass(frozen=True)
class Terms:
    """Means over rows; `error` is the sum of noise, bias and variance; `noise` is None where it is part of the bias."""

    noise: float | None
    bias: float
    variance: float
    error: float
    disagreement: float  # E of the distance from the main prediction: the variance itself


def squared_terms(f: Floats, y: Floats, asked: Flags, often: Floats, drawn: bool) -> Terms:
    """Of predictions f and targets y, (R, m), where rows were asked, each repetition counted so often.

    Means over R repetitions are not those over all: Var f / R, and with targets `drawn` anew Var y / R, is taken from
    (f̄ − ȳ)², so that no term has a bias of its own.
    """
    counts = asked * often[:, None]
    n = counts.sum(axis=0)  # (m,)
    some = n >= 2
    f, y, counts, n = f[:, some], y[:, some], counts[:, some], n[some]
    f = np.where(counts > 0, f, 0.0)
    mean = (counts * f).sum(axis=0) / n
    variance = (counts * (f - mean) ** 2).sum(axis=0) / (n - 1)
    if not drawn:
        bias = (mean - y[0]) ** 2 - variance / n
        return _summed(None, bias, variance, variance)
    middle = (counts * y).sum(axis=0) / n
    noise = (counts * (y - middle) ** 2).sum(axis=0) / (n - 1)
    bias = (mean - middle) ** 2 - (variance + noise) / n
    return _summed(noise, bias, variance, variance)


def absolute_terms(f: Whole, y: Whole, asked: Flags, often: Floats, k: int, drawn: bool) -> Terms:
    """Of predicted classes f and true ones y, codes below k, (R, m): the 0–1 loss.

    The main prediction f* is the most frequent one, y* the most frequent class. The error P(y ≠ f) is the sum of the
    noise P(y ≠ y*), of what the main prediction loses beside y*, P(y ≠ f*) − P(y ≠ y*), and of what differing from it
    loses, P(y ≠ f) − P(y ≠ f*); where f* is wrong, differing may win (James 2003).
    """
    counts = asked * often[:, None]
    some = counts.sum(axis=0) >= 2
    f, y, counts = f[:, some], y[:, some], counts[:, some]
    said = _shares(f, counts, k)  # (m, k)
    true = _shares(y, counts, k) if drawn else np.eye(k)[y[0]]
    rows = np.arange(len(said))
    main, best = said.argmax(axis=1), true.argmax(axis=1)
    error = 1 - (said * true).sum(axis=1)  # fits and targets are independent
    of_main = 1 - true[rows, main]
    disagreement = 1 - said[rows, main]
    if not drawn:
        return _summed(None, of_main, error - of_main, disagreement)
    noise = 1 - true[rows, best]
    return _summed(noise, of_main - noise, error - of_main, disagreement)


def _shares(codes: Whole, counts: Floats, k: int) -> Floats:
    """How often each row has each class, (m, k)."""
    found = np.stack([(counts * (codes == c)).sum(axis=0) for c in range(k)], axis=1)
    return np.asarray(found / counts.sum(axis=0)[:, None])


def _summed(noise: Floats | None, bias: Floats, variance: Floats, disagreement: Floats) -> Terms:
    means = [float(np.mean(part)) for part in (bias, variance)]
    alone = None if noise is None else float(np.mean(noise))
    return Terms(alone, means[0], means[1], sum(means) + (alone or 0.0), float(np.mean(disagreement)))
