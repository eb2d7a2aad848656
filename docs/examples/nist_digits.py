"""Correct digits of least squares on the certified problems of NIST, for each solver."""

import json
import sys
import warnings
from pathlib import Path

import numpy as np

import suffice as sf
from suffice.errors import IllConditioned


def digits(found, certified):
    """The correct digits of the worst figure, between 0 and 15; absolute where the certified figure is 0."""
    found, certified = np.asarray(found), np.array(certified, dtype=float)
    size = np.where(certified == 0, 1.0, np.abs(certified))
    with np.errstate(divide="ignore"):
        correct = -np.log10(np.abs(found - certified) / size)
    return float(np.nan_to_num(np.clip(correct, 0, 15)).min())


def fitted(problem, solver):
    """Coefficients and standard errors of one problem, the intercept first, and its condition number."""
    powers = range(1, problem["model"]["degree"] + 1)
    columns = [np.array(problem["data"][name], dtype=float) for name in problem["model"]["predictors"]]
    X = np.column_stack([column**k for column in columns for k in powers])
    intercept = problem["model"]["intercept"]
    model = sf.LinearRegression(solver=solver, fit_intercept=intercept)
    model.fit(X, np.array(problem["data"]["y"], dtype=float))
    first = [model.intercept_] if intercept else []
    errors = [model.intercept_standard_error_] if intercept else []
    return [*first, *model.coef_], [*errors, *model.standard_errors_], model.condition_


def rows(problems):
    """Name, condition number, and digits of coefficients and standard errors for each solver."""
    for name, problem in problems.items():
        row = [name]
        for solver in ("moments", "qr", "auto"):
            estimate, error, condition = fitted(problem, solver)
            row.append(digits(estimate, problem["certified"]["coefficients"]))
            row.append(digits(error, problem["certified"]["standard_deviations"]))
        yield [name, condition, *row[1:]]


if __name__ == "__main__":
    warnings.simplefilter("ignore", IllConditioned)
    for name, condition, *found in rows(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))):
        print(f"| {name} | {condition:.2g} | " + " | ".join(f"{x:.1f}" for x in found) + " |")
