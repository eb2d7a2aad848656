"""The table of coefficients that a regression is read by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...errors import InvalidParameter
from ...typing import Floats


class _Regression(Protocol):
    """A fitted linear model."""

    coef_: Floats
    _centred: bool

    @property
    def intercept_(self) -> float | Floats: ...


class _Inferred(_Regression, Protocol):
    """One that says how sure its coefficients are."""

    @property
    def standard_errors_(self) -> Floats: ...
    @property
    def intercept_standard_error_(self) -> float | Floats: ...
    @property
    def _t_freedom(self) -> float | Floats: ...


@dataclass(frozen=True)
class CoefficientTable:
    """Estimate, standard error, t, two-sided p and confidence interval of every coefficient, (terms, targets) each.

    `freedom` (targets,) are the degrees of freedom of t; where they are infinite, it is called z. `targets` are their
    names where they have any.
    """

    terms: tuple[str, ...]
    level: float
    estimate: Floats
    standard_error: Floats
    t: Floats
    p: Floats
    low: Floats
    high: Floats
    freedom: Floats
    targets: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: _Inferred, level: float) -> CoefficientTable:
        """The table of a fitted regression; the intercept comes first where there is one."""
        check_is_fitted(model)
        errors, intercept = model.standard_errors_, model.intercept_standard_error_ if model._centred else 0.0
        return cls.with_errors(model, level, errors, intercept, model._t_freedom)

    @classmethod
    def with_errors(
        cls, model: _Regression, level: float, errors: Floats, intercept: float | Floats, freedom: float | Floats
    ) -> CoefficientTable:
        """The table of a fitted regression with these standard errors of slopes and intercept."""
        estimate, error = np.atleast_2d(model.coef_).T, np.atleast_2d(errors).T
        if model._centred:
            estimate = np.vstack([np.atleast_1d(model.intercept_), estimate])
            error = np.vstack([np.atleast_1d(intercept), error])
        return cls.made(model, level, estimate, error, freedom)

    @classmethod
    def made(
        cls,
        model: _Regression,
        level: float,
        estimate: Floats,
        error: Floats,
        freedom: float | Floats,
        targets: tuple[str, ...] = (),
    ) -> CoefficientTable:
        """The table of these estimates and errors, (terms, targets); that of the intercept first where there is one."""
        from scipy.special import stdtr, stdtrit

        if not isinstance(level, int | float | np.number) or not 0 < level < 1:
            raise InvalidParameter(f"coefficients: level must be a number between 0 and 1; got {level!r}.")
        columns = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(estimate) - model._centred)])
        terms = ("intercept", *columns) if model._centred else tuple(columns)
        each = np.atleast_1d(np.asarray(freedom, dtype=np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = estimate / error
        half = stdtrit(each, (1 + level) / 2) * error
        p = 2 * stdtr(each, -np.abs(t))
        return cls(terms, level, estimate, error, t, p, estimate - half, estimate + half, each, targets)

    def exponentiated(self) -> CoefficientTable:
        """The same with exp of the estimates and of their intervals: factors in place of differences."""
        with np.errstate(over="ignore"):
            return replace(self, estimate=np.exp(self.estimate), low=np.exp(self.low), high=np.exp(self.high))

    def rows(self) -> list[dict[str, str | float | None]]:
        """One record a term and target, in plain values; None in place of what is not a finite number."""
        columns = ("estimate", "standard_error", "t", "p", "low", "high")
        found: list[dict[str, str | float | None]] = []
        for target in range(self.estimate.shape[1]):
            for i, term in enumerate(self.terms):
                record: dict[str, str | float | None] = {"target": self.targets[target]} if self.targets else {}
                record["term"] = term
                for name in columns:
                    value = float(getattr(self, name)[i, target])
                    record[name] = value if np.isfinite(value) else None
                found.append(record)
        return found

    def __str__(self) -> str:
        percent = f"{100 * self.level:g} %"
        heads = (
            "term",
            "estimate",
            "std. error",
            "z" if np.isinf(self.freedom).all() else "t",
            "p",
            f"low {percent}",
            f"high {percent}",
        )
        columns = (self.estimate, self.standard_error, self.t, self.p, self.low, self.high)
        tables = []
        for target in range(self.estimate.shape[1]):
            rows: list[tuple[str, ...]] = [heads]
            for i, term in enumerate(self.terms):
                rows.append((term, *(f"{column[i, target]:.5g}" for column in columns)))
            widths = [max(len(row[j]) for row in rows) for j in range(len(heads))]
            lines = [_line(row, widths) for row in rows]
            tables.append("\n".join([self.targets[target], *lines] if self.targets else lines))
        return "\n\n".join(tables)


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    first, *rest = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([row[0].ljust(len(first)), *rest])
