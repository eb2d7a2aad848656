"""The epochs of a kernel perceptron: rows on the wrong side become part of the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...engine import Kept, Step
from ...holds import flag, floats, number, whole
from ...typing import Floats, Whole


@dataclass(frozen=True)
class Answer:
    """Coefficients of p rows (p, q) and intercepts (q,); the least loss of an epoch, the epochs since, their number.

    `mistakes` counts all updates, `last` those of the last epoch.
    """

    coefficients: Floats
    intercept: Floats
    best: float = np.inf
    waited: int = 0
    epochs: int = 0
    mistakes: int = 0
    last: int = 0
    clean: bool = False

    @classmethod
    def kept(cls, p: int, q: int) -> Kept[Answer]:
        """How it is written to a checkpoint."""
        arrays = {"coefficients": floats(p, q), "intercept": floats(q), "best": number(finite=False)}
        return Kept.fields(cls, **arrays, waited=whole(), epochs=whole(), mistakes=whole(), last=whole(), clean=flag())


@dataclass(frozen=True)
class Mistakes:
    """What an epoch works with: the kernel of p rows with the n that are learned from, (p, n), the last of the p.

    `signs` (n, q) are −1 or 1 for each function, `rate` (n,) the length of an update, the learning rate times the
    weight of a row; `size` (p,) is √k(x, x). At most `budget` rows have a coefficient: of more the one whose part is
    smallest is dropped, the first among equals.
    """

    K: Floats
    signs: Floats
    rate: Floats
    size: Floats
    fit_intercept: bool
    budget: int | None
    seen: Callable[[int, Floats, Floats], None] | None = None  # is told the row of each update, and c and b after it

    def epoch(self, state: Answer, order: Whole) -> tuple[Answer, float]:
        """The answer after one pass in this order, and the loss Σ max(0, −y f) of its rows, each before its update."""
        c, b = state.coefficients.copy(), state.intercept.copy()
        scores = self.K.T @ c + b  # (n, q)
        before, at, loss, hits = len(c) - len(self.signs), 0, 0.0, 0
        while at < len(order):
            rest = order[at:]
            wrong = self.signs[rest] * scores[rest] <= 0
            found = np.flatnonzero(wrong.any(axis=1))
            if not len(found):
                break
            row, own = int(rest[found[0]]), wrong[found[0]]
            margin = self.signs[row] * scores[row]
            loss += float(np.sum(self.rate[row] * np.maximum(-margin, 0.0)))
            step = np.where(own, self.rate[row] * self.signs[row], 0.0)
            c[before + row] += step
            b += step * self.fit_intercept
            scores += np.outer(self.K[before + row], step) + step * self.fit_intercept
            hits += int(own.sum())
            self._within_budget(c, scores)
            if self.seen is not None:
                self.seen(row, c, b)
            at += int(found[0]) + 1
        after = Answer(c, b, state.best, state.waited, state.epochs + 1, state.mistakes + hits, hits, not hits)
        return after, loss

    def _within_budget(self, c: Floats, scores: Floats) -> None:
        """Drop a row where there are too many."""
        used = np.flatnonzero(c.any(axis=1))
        if self.budget is None or len(used) <= self.budget:
            return
        out = int(used[np.argmin(np.linalg.norm(c[used], axis=1) * self.size[used])])
        scores -= np.outer(self.K[out], c[out])
        c[out] = 0.0


def judged(after: Answer, loss: float, tol: float, patience: int) -> Step[Answer]:
    """The iteration of an epoch: the last one where nothing was wrong, or where the loss no longer falls."""
    waited = after.waited + 1 if not loss <= after.best - tol else 0
    counted = Answer(
        after.coefficients, after.intercept, min(after.best, loss), waited, after.epochs, after.mistakes, after.last,
        after.clean,
    )  # fmt: skip
    return Step(counted, loss, {"mistakes": float(after.last)}, done=after.clean or waited >= patience)
