"""Regularisation paths: coefficients for many strengths of a penalty, and their errors in cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...holds import choice, either, floats, require, text, tuples
from ...registry import registered
from ...text import aligned, figure
from ...typing import AxesLike, Floats, Labels, Whole

if TYPE_CHECKING:
    from ...plots import PathDisplay

_SHOWN = 12  # rows of a printed table


@registered("result/RegularizationPath")
@dataclass(frozen=True, eq=False)
class RegularizationPath:
    """The coefficients of a model for falling strengths λ: print it, plot it, or take the figures.

    `alphas` (k,) are the λ, `coef` (k, d) the slopes and `intercept` (k,) the intercepts, of several classes
    (k, classes, d) and (k, classes). `explained` is the share of the deviance without slopes that each explains, for
    squares that of the variance of the target, and `dual_gap` at most what each could still gain, NaN where the solver
    has none.
    """

    names: tuple[str, ...]
    alphas: Floats
    coef: Floats
    intercept: Floats
    explained: Floats
    dual_gap: Floats
    classes: tuple[str, ...] = ()

    holds: ClassVar = {
        "names": tuples(text(), "d"),
        "alphas": floats("k", at_least=0),
        "coef": either(floats("k", "d"), floats("k", None, "d")),
        "intercept": either(floats("k"), floats("k", None)),
        "explained": floats("k", finite=False),
        "dual_gap": floats("k", finite=False),
        "classes": tuples(text()),
    }

    def check_loaded(self) -> None:
        shape = (len(self.classes),) if self.classes else ()
        require(self.coef.shape[1:-1] == shape == self.intercept.shape[1:], "a path needs slopes of each class")

    @property
    def nonzero(self) -> Whole:
        """How many slopes are not 0, (k,)."""
        return np.asarray(np.count_nonzero(self.coef.reshape(len(self.coef), -1), axis=1))

    @property
    def table(self) -> dict[str, Labels]:
        """Columns by name: λ, how many slopes are not 0, the share explained, and the dual gap."""
        return {
            "alpha": self.alphas,
            "nonzero": self.nonzero,
            "explained": self.explained,
            "dual_gap": self.dual_gap,
        }

    def __str__(self) -> str:
        return _text({name: values for name, values in self.table.items() if name != "dual_gap"})  # mostly rounding

    def plot(self, ax: AxesLike = None, most: int = 10) -> PathDisplay:
        """Draw the slopes against λ, the `most` largest with their names; gives the display."""
        from ...plots import PathDisplay

        return PathDisplay.from_path(self, most=most, ax=ax)


@registered("result/CrossValidatedPath")
@dataclass(frozen=True, eq=False)
class CrossValidatedPath:
    """The error of each strength λ over folds, its standard error, and the strength that was chosen.

    Errors are mean deviances, 2 Σ s ℓ / Σ s: for squares the mean squared error, for classes −2 log P of the own one.
    `errors` (folds, k) are those of the folds, and `weight` (folds,) what their rows weigh; `rule` is "min", the least
    error, or "1se", the largest λ whose error is within one standard error of the least.
    """

    alphas: Floats
    errors: Floats
    weight: Floats
    rule: str

    holds: ClassVar = {
        "alphas": floats("k", at_least=0),
        "errors": floats("folds", "k", finite=False),
        "weight": floats("folds", at_least=0),
        "rule": choice("min", "1se"),
    }

    def check_loaded(self) -> None:
        require(len(self.alphas) > 0 and len(self.weight) > 1, "a path needs strengths and folds")

    @property
    def error(self) -> Floats:
        """The mean over folds by their weight, (k,)."""
        return np.asarray(self.weight @ self.errors / self.weight.sum())

    @property
    def standard_error(self) -> Floats:
        """Of that mean, from the spread of the folds, (k,)."""
        spread = self.weight @ (self.errors - self.error) ** 2 / self.weight.sum()
        return np.asarray(np.sqrt(spread / (len(self.weight) - 1)))

    @property
    def best(self) -> int:
        """The place of the strength with the least error."""
        return int(np.argmin(self.error))

    @property
    def sparsest(self) -> int:
        """The place of the largest strength within one standard error of the least error."""
        return int(np.argmax(self.error <= self.error[self.best] + self.standard_error[self.best]))

    @property
    def chosen(self) -> int:
        """The place of the strength that the rule chooses."""
        return self.best if self.rule == "min" else self.sparsest

    @property
    def alpha(self) -> float:
        """The strength that the rule chooses."""
        return float(self.alphas[self.chosen])

    @property
    def table(self) -> dict[str, Labels]:
        """Columns by name: λ, the mean error over folds, and its standard error."""
        return {"alpha": self.alphas, "error": self.error, "standard_error": self.standard_error}

    def __str__(self) -> str:
        chosen = f"chosen by {self.rule!r}: alpha = {figure(self.alpha)}"
        return f"{_text(self.table)}\n\n{chosen}, of {len(self.weight)} folds"


def _text(columns: dict[str, Labels]) -> str:
    """Some of the rows, from the first to the last."""
    count = len(next(iter(columns.values())))
    shown = np.unique(np.linspace(0, count - 1, min(count, _SHOWN)).round().astype(int))
    rows = [tuple(figure(float(values[i])) for values in columns.values()) for i in shown]
    return aligned([tuple(columns), *rows], words=0)
