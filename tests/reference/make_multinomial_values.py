"""Writes multinomial_values.json: multinomial regression by statsmodels (0.14), on mtcars.csv beside it.

Run from the root of the repository, where statsmodels is installed:
    python tests/reference/make_multinomial_values.py > tests/reference/multinomial_values.json
"""

import csv
import json
from pathlib import Path

import numpy as np


def main():
    import statsmodels.api as sm

    with open(Path(__file__).parent / "mtcars.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {name: np.array([float(row[name]) for row in rows]) for name in ("carb", "wt", "qsec")}
    X = sm.add_constant(np.column_stack([table["wt"], table["qsec"]]))
    y = np.minimum(table["carb"], 3)
    many = np.repeat(np.arange(len(X)), np.arange(len(X)) % 3 + 1)

    def values(X, y):
        found = sm.MNLogit(y, X).fit(method="newton", tol=1e-14, maxiter=200, disp=False)
        robust = sm.MNLogit(y, X).fit(method="newton", tol=1e-14, maxiter=200, disp=False, cov_type="HC0")
        return {
            "coefficients": np.asarray(found.params).tolist(),
            "errors": np.asarray(found.bse).tolist(),
            "p": np.asarray(found.pvalues).tolist(),
            "log_likelihood": found.llf,
            "null_log_likelihood": found.llnull,
            "aic": found.aic,
            "bic": found.bic,
            "robust": np.asarray(robust.bse).tolist(),
            "robust_covariance": np.asarray(robust.cov_params()).tolist(),
        }

    fits = {"carburettors": values(X, y), "repeated": values(X[many], y[many])}
    print(json.dumps(fits, indent=1))


if __name__ == "__main__":
    main()
