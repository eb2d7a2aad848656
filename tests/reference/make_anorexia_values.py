"""Write anorexia_values.json: a normal GLM with an offset, glm(Postwt ~ Prewt + Treat + offset(Prewt)), by statsmodels.

Run: python tests/reference/make_anorexia_values.py (statsmodels 0.15, pandas).
"""

import json
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent


def main() -> None:
    import statsmodels.api as sm

    table = pd.read_csv(HERE / "anorexia.csv")
    treated = [(table["Treat"] == name).astype(float) for name in ("Cont", "FT")]
    rows = sm.add_constant(pd.concat([table["Prewt"], *treated], axis=1).to_numpy())
    fit = sm.GLM(table["Postwt"], rows, family=sm.families.Gaussian(), offset=table["Prewt"]).fit()
    values = {
        "estimates": fit.params.tolist(),
        "errors": fit.bse.tolist(),
        "dispersion": fit.scale,
        "deviance": fit.deviance,
        "null_deviance": fit.null_deviance,
        "log_likelihood": fit.llf,
    }
    (HERE / "anorexia_values.json").write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
