"""Writes glm_values.json: generalized linear models by statsmodels (0.14), on mtcars.csv beside it.

Run from the root of the repository, where statsmodels is installed:
    python tests/reference/make_glm_values.py > tests/reference/glm_values.json
"""

import csv
import json
from pathlib import Path

import numpy as np


def main():
    import statsmodels.api as sm

    with open(Path(__file__).parent / "mtcars.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {name: np.array([float(row[name]) for row in rows]) for name in ("mpg", "wt", "hp", "carb", "am", "qsec")}
    X = sm.add_constant(np.column_stack([table["wt"], table["hp"] / 100]))
    families, links = sm.families, sm.families.links
    fits = {
        "poisson": ("carb", families.Poisson(), {}),
        "poisson sqrt": ("carb", families.Poisson(links.Sqrt()), {}),
        "poisson offset": ("carb", families.Poisson(), {"offset": table["qsec"] / 20}),
        "poisson exposure": ("carb", families.Poisson(), {"exposure": table["qsec"]}),
        "poisson weights": ("carb", families.Poisson(), {"freq_weights": np.arange(len(X)) % 3 + 1.0}),
        "gamma": ("mpg", families.Gamma(links.Log()), {}),
        "gamma inverse": ("mpg", families.Gamma(), {}),
        "negative binomial": ("carb", families.NegativeBinomial(alpha=0.5), {}),
        "binomial": ("am", families.Binomial(), {}),
        "binomial probit": ("am", families.Binomial(links.Probit()), {}),
        "binomial cloglog": ("am", families.Binomial(links.CLogLog()), {}),
        "tweedie": ("mpg", families.Tweedie(links.Log(), var_power=1.5), {}),
        "squared": ("mpg", families.Gaussian(), {}),
    }

    def values(target, family, given):
        found = sm.GLM(table[target], X, family, **given).fit(tol=1e-15, maxiter=300)
        robust = sm.GLM(table[target], X, family, **given).fit(tol=1e-15, cov_type="HC0")
        return {
            "coefficients": found.params.tolist(),
            "errors": found.bse.tolist(),
            "deviance": found.deviance,
            "null_deviance": found.null_deviance,
            "dispersion": float(found.scale),
            "robust": robust.bse.tolist(),
        }

    print(json.dumps({name: values(*fit) for name, fit in fits.items()}, indent=1))


if __name__ == "__main__":
    main()
