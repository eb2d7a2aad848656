"""Check every figure of nist.json against an exact solution of the least squares problem.

The data are read as exact decimal fractions and the normal equations are solved in rational arithmetic,
so nothing is rounded until the square roots at the end, which are taken to 60 digits. Each certified
figure must then equal the exact one rounded to the number of digits that the certificate prints.

Run as ``python tests/reference/make_nist_check.py``; the exit code is 1 when any figure differs.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

Matrix = list[list[Fraction]]
WIDE = Context(prec=60)


@dataclass(frozen=True)
class Solution:
    """The exact least squares solution, with square roots to 60 digits."""

    coefficients: list[Decimal]
    standard_deviations: list[Decimal]
    residual_sd: Decimal
    r_squared: Decimal
    residual_df: int


def decimal(value: Fraction) -> Decimal:
    """Divide a fraction out to 60 digits."""
    return WIDE.divide(Decimal(value.numerator), Decimal(value.denominator))


def root(value: Fraction) -> Decimal:
    """Take the square root of a fraction to 60 digits."""
    return WIDE.sqrt(decimal(value))


def design(problem: dict[str, Any]) -> Matrix:
    """Build the rows of the design matrix: an optional one, then the powers of each predictor."""
    model, data = problem["model"], problem["data"]
    first = [Fraction(1)] if model["intercept"] else []
    powers = range(1, int(model["degree"]) + 1)
    rows = zip(*(data[name] for name in model["predictors"]), strict=True)
    return [first + [value**k for value in row for k in powers] for row in rows]


def invert(matrix: Matrix) -> Matrix:
    """Invert a square matrix of fractions by Gauss-Jordan elimination."""
    size = len(matrix)
    work = [[*row, *(Fraction(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for k in range(size):
        pivot = next(i for i in range(k, size) if work[i][k])
        work[k], work[pivot] = work[pivot], work[k]
        work[k] = [value / work[k][k] for value in work[k]]
        for i in range(size):
            if i != k and work[i][k]:
                factor = work[i][k]
                work[i] = [a - factor * b for a, b in zip(work[i], work[k], strict=True)]
    return [row[size:] for row in work]


def dot(left: list[Fraction], right: list[Fraction]) -> Fraction:
    """Sum the products of two lists."""
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def solve(problem: dict[str, Any]) -> Solution:
    """Solve one problem exactly."""
    rows, y = design(problem), problem["data"]["y"]
    columns = [list(column) for column in zip(*rows, strict=True)]
    inverse = invert([[dot(a, b) for b in columns] for a in columns])
    moments = [dot(column, y) for column in columns]
    coefficients = [dot(row, moments) for row in inverse]
    residuals = [value - dot(row, coefficients) for value, row in zip(y, rows, strict=True)]
    residual_df = len(rows) - len(columns)
    variance = dot(residuals, residuals) / residual_df
    centre = sum(y, Fraction(0)) / len(y) if problem["model"]["intercept"] else Fraction(0)
    total = sum(((value - centre) ** 2 for value in y), Fraction(0))
    return Solution(
        coefficients=[decimal(value) for value in coefficients],
        standard_deviations=[root(variance * inverse[i][i]) for i in range(len(columns))],
        residual_sd=root(variance),
        r_squared=decimal(1 - variance * residual_df / total),
        residual_df=residual_df,
    )


def same_digits(printed: str, exact: Decimal) -> bool:
    """Tell whether the exact value, rounded to the printed number of digits, is the printed value."""
    value = Decimal(printed)
    if not value:
        return not exact
    return value == Context(prec=len(value.as_tuple().digits)).plus(exact)


def differences(certified: dict[str, Any], exact: Solution) -> list[str]:
    """List the certified figures of one problem that are not the exact ones."""
    pairs = [
        *zip(certified["coefficients"], exact.coefficients, strict=True),
        *zip(certified["standard_deviations"], exact.standard_deviations, strict=True),
        (certified["residual_sd"], exact.residual_sd),
        (certified["r_squared"], exact.r_squared),
    ]
    wrong = [f"{printed} printed, {value:.25g} exact" for printed, value in pairs if not same_digits(printed, value)]
    if int(certified["residual_df"]) != exact.residual_df:
        wrong.append(f"{certified['residual_df']} degrees of freedom printed, {exact.residual_df} exact")
    return wrong


def main() -> int:
    """Check all the problems and print one line for each."""
    text = Path(__file__).with_name("nist.json").read_text(encoding="utf-8")
    problems = json.loads(text, parse_float=Fraction, parse_int=Fraction)
    failed = False
    for name, problem in problems.items():
        wrong = differences(problem["certified"], solve(problem))
        print(f"{name:9s} {'every digit agrees' if not wrong else '; '.join(wrong)}")
        failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
