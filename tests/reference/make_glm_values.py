"""Writes glm_values.json: generalized linear models by statsmodels (0.14), on mtcars.csv beside it.

python make_glm_values.py > glm_values.json
"""

import csv
import json
from pathlib import Path

import numpy as np

try:
    import statsmodels.api as sm
except ModuleNotFoundError:  # only whoever makes the values anew needs it
    raise SystemExit from None

with open(Path(__file__).parent / "mtcars.csv", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
table = {name: np.array([float(row[name]) for row in rows]) for name in ("mpg", "wt", "hp", "carb", "am", "qsec")}
X = np.column_stack([table["wt"], table["hp"] / 100])
F, links = sm.families, sm.families.links
weight = np.arange(len(X)) % 3 + 1.0

FITS = {
    "poisson": (table["carb"], F.Poisson(), {}),
    "poisson sqrt": (table["carb"], F.Poisson(links.Sqrt()), {}),
    "poisson offset": (table["carb"], F.Poisson(), {"offset": table["qsec"] / 20}),
    "poisson exposure": (table["carb"], F.Poisson(), {"exposure": table["qsec"]}),
    "poisson weights": (table["carb"], F.Poisson(), {"freq_weights": weight}),
    "gamma": (table["mpg"], F.Gamma(links.Log()), {}),
    "gamma inverse": (table["mpg"], F.Gamma(), {}),
    "negative binomial": (table["carb"], F.NegativeBinomial(alpha=0.5), {}),
    "binomial": (table["am"], F.Binomial(), {}),
    "binomial probit": (table["am"], F.Binomial(links.Probit()), {}),
    "binomial cloglog": (table["am"], F.Binomial(links.CLogLog()), {}),
    "tweedie": (table["mpg"], F.Tweedie(links.Log(), var_power=1.5), {}),
    "squared": (table["mpg"], F.Gaussian(), {}),
}


def values(y, family, given):
    found = sm.GLM(y, sm.add_constant(X), family, **given).fit(tol=1e-15, maxiter=300)
    return {
        "coefficients": found.params.tolist(),
        "errors": found.bse.tolist(),
        "deviance": found.deviance,
        "null_deviance": found.null_deviance,
        "dispersion": float(found.scale),
        "robust": sm.GLM(y, sm.add_constant(X), family, **given).fit(tol=1e-15, cov_type="HC0").bse.tolist(),
    }


print(json.dumps({name: values(*fit) for name, fit in FITS.items()}, indent=1))
