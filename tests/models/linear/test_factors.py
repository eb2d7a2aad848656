"""Tables with text against R's lm and glm with factors, through the preparation that `prepared` makes."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import suffice as sf

FITS = json.loads((Path(__file__).parents[2] / "reference" / "factor_values.json").read_text(encoding="utf-8"))["fits"]
LOSSES = {"poisson": "poisson", "binomial": "binomial", "Gamma": "gamma"}


def fitted(known):
    """The model of an entry, its table, and what it is fitted with beside it."""
    table = pd.DataFrame(known["table"])
    y = table.pop(known["target"])
    weight = {} if known["weight"] is None else {"sample_weight": table.pop(known["weight"]).to_numpy(float)}
    model = sf.LinearRegression()
    if known["family"] != "lm":
        model = sf.GeneralizedLinearRegressor(LOSSES[known["family"]], exposure=known["exposure"], tol=1e-12)
    return sf.prepared(model, table).fit(table, y, **weight), table


@pytest.mark.parametrize("name", FITS)
def test_factors_are_coded_as_in_r(name):
    known = FITS[name]
    model, table = fitted(known)
    assert_allclose(model.predict(table), known["fitted"], rtol=3e-6)
    own = model[-1]
    where = [0]  # of the intercept, and of each of R's terms, which are a column's name and a level
    columns = [one.replace("_", "") for one in own.feature_names_in_]
    where += [columns.index(term) + 1 for term in known["terms"][1:]]
    found = own.coefficients()
    assert_allclose(found.estimate[where, 0], known["estimate"], rtol=1e-5, atol=1e-8)
    assert_allclose(found.standard_error[where, 0], known["error"], rtol=1e-5)
    if known["family"] != "lm":
        assert_allclose(own.deviance_, known["deviance"], rtol=1e-9)


@pytest.mark.parametrize("name", ["warpbreaks", "carbon"])
def test_levels_in_a_file_are_those_of_a_frame(name, tmp_path):
    known = FITS[name]
    model, table = fitted(known)
    path = tmp_path / "table.csv"
    pd.DataFrame(known["table"]).to_csv(path, index=False)
    rows = sf.scan(path, target=known["target"])
    again = sf.prepared(model[-1], rows).fit(rows)
    assert_allclose(again.predict(table), model.predict(table), rtol=1e-9)
    assert np.isfinite(again[-1].coefficients().standard_error).all()
