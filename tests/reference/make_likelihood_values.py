"""Writes likelihood_values.json: robust errors and families beside those of make_glm_values.py, by statsmodels (0.14).

Run from the root of the repository, where statsmodels is installed:
    python tests/reference/make_likelihood_values.py > tests/reference/likelihood_values.json
"""

import csv
import json
from pathlib import Path

import numpy as np


def main():
    import statsmodels.api as sm

    with open(Path(__file__).parent / "mtcars.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {name: np.array([float(row[name]) for row in rows]) for name in ("mpg", "wt", "hp")}
    X = sm.add_constant(np.column_stack([table["wt"], table["hp"] / 100]))
    families, links = sm.families, sm.families.links

    least = sm.OLS(table["mpg"], X).fit()
    ahead = least.get_prediction(X[:5]).summary_frame(alpha=0.05)
    found = {
        "least squares": {kind: getattr(least, f"{kind}_se").tolist() for kind in ("HC0", "HC1", "HC2", "HC3")},
        "mean interval": ahead[["mean_ci_lower", "mean_ci_upper"]].to_numpy().tolist(),
    }
    for name, family in (
        ("inverse gaussian", families.InverseGaussian(links.Log())),
        ("tweedie", families.Tweedie(links.Log(), var_power=1.5)),
    ):
        fit = sm.GLM(table["mpg"], X, family).fit(tol=1e-15, maxiter=300)
        small = sm.GLM(table["mpg"], X[:, :2], family).fit(tol=1e-15, maxiter=300)
        wald = fit.wald_test(np.eye(3)[1:], use_f=True, scalar=True)
        found[name] = {
            "coefficients": fit.params.tolist(),
            "errors": fit.bse.tolist(),
            "deviance": float(fit.deviance),
            "null_deviance": float(fit.null_deviance),
            "dispersion": float(fit.scale),
            "smaller deviance": float(small.deviance),
            "wald": [float(wald.statistic), float(wald.pvalue)],
        }
        if name == "inverse gaussian":
            found[name]["log_likelihood"] = float(family.loglike(table["mpg"], fit.mu, scale=fit.deviance / len(X)))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
