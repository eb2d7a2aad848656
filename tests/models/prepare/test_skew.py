"""Maps against skew and outliers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import preprocessing

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

RNG = np.random.default_rng(0)
X = np.column_stack([np.exp(RNG.normal(size=300)), RNG.exponential(size=300), RNG.gamma(3, size=300) + 10])
SIGNED = X - [1.0, 0.5, 12.0]
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, SIGNED)
WEIGHT = RNG.integers(0, 4, 300).astype(float)
MAPS = [
    sf.PowerTransformer(),
    sf.QuantileTransformer(n_quantiles=50),
    sf.QuantileTransformer(output_distribution="normal"),
    sf.FunctionTransformer("arcsinh"),
    sf.OutlierClipper(),
    sf.OutlierClipper("mad", action="missing", add_indicator=True),
]


@pytest.mark.parametrize("method", ["yeo-johnson", "box-cox"])
@pytest.mark.parametrize("standardize", [False, True])
def test_powers_equal_those_of_scikit_learn(method: str, standardize: bool) -> None:
    rows = X if method == "box-cox" else GAPS
    options = {"method": method, "standardize": standardize}
    ours, theirs = (module.PowerTransformer(**options).fit(rows) for module in (sf, preprocessing))
    np.testing.assert_allclose(ours.lambdas_, theirs.lambdas_, rtol=1e-5)  # theirs are found to about six digits
    np.testing.assert_allclose(ours.transform(rows), theirs.transform(rows), atol=1e-4)
    theirs.lambdas_ = ours.lambdas_
    if not standardize:
        np.testing.assert_allclose(ours.transform(rows), theirs.transform(rows), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(rows)), rows, rtol=1e-9, atol=1e-9)


def test_the_power_has_the_largest_likelihood() -> None:
    model = sf.PowerTransformer().fit(SIGNED)
    for x, power in zip(SIGNED.T, model.lambdas_, strict=True):
        best = stats.yeojohnson_llf(power, x)
        assert all(stats.yeojohnson_llf(power + step, x) < best for step in (-1e-3, 1e-3))
    np.testing.assert_allclose(model.transform(SIGNED).mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(model.transform(SIGNED).std(axis=0), 1)


def test_what_powers_refuse() -> None:
    with pytest.raises(InvalidData, match="column 'b' holds -1, and box-cox needs numbers above 0"):
        sf.PowerTransformer("box-cox").fit(pd.DataFrame({"a": [1.0, 2.0], "b": [-1.0, 3.0]}))
    constant = sf.PowerTransformer().fit([[4.0], [4.0]])
    np.testing.assert_array_equal(constant.transform([[4.0]]), [[0.0]])


@pytest.mark.parametrize("output", ["uniform", "normal"])
@pytest.mark.parametrize("count", [10, 1000])
def test_quantiles_equal_those_of_scikit_learn(output: str, count: int) -> None:
    rows = np.column_stack([GAPS, np.random.default_rng(1).integers(0, 5, 300)])  # a column with ties
    options = {"n_quantiles": min(count, 300), "output_distribution": output, "subsample": None}
    ours, theirs = (module.QuantileTransformer(**options).fit(rows) for module in (sf, preprocessing))
    np.testing.assert_allclose(ours.quantiles_, theirs.quantiles_, rtol=1e-12)
    assert set(ours.quantiles_[:, -1]) <= set(range(5)) or count == 10  # between ties nothing is rounded
    theirs.quantiles_ = ours.quantiles_  # theirs are off by a rounding among ties, which moves a share by 1/600
    new = np.concatenate([rows, 2 * rows])
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-10, atol=1e-12)
    back = ours.transform(rows)
    np.testing.assert_allclose(ours.inverse_transform(back), theirs.inverse_transform(back), rtol=1e-9)


@pytest.mark.parametrize("name", ["log", "log1p", "sqrt", "cbrt", "arcsinh", "arctan"])
def test_functions_by_name(name: str) -> None:
    model = sf.FunctionTransformer(name, columns=[2, 0]).fit(X)
    expected = X.copy()
    expected[:, [0, 2]] = getattr(np, name)(X[:, [0, 2]])
    np.testing.assert_array_equal(model.transform(X), expected)
    np.testing.assert_allclose(model.inverse_transform(expected), X, rtol=1e-9)
    assert model.get_feature_names_out().tolist() == ["x0", "x1", "x2"]


def test_functions_outside_their_domain() -> None:
    model = sf.FunctionTransformer("log").fit([[1.0, -3.0]])
    with pytest.raises(InvalidData, match="column 1 holds -3, and log needs numbers above 0; use arcsinh"):
        model.transform([[1.0, -3.0]])
    with pytest.raises(InvalidData, match="column 0 holds -1, and sqrt needs numbers at least 0"):
        sf.FunctionTransformer("sqrt").fit_transform([[-1.0]])
    with pytest.raises(TypeError, match="functions are called by name"):
        sf.FunctionTransformer(inverse_func=np.exp)


def test_bounds_by_their_definitions() -> None:
    low, high = np.quantile(X, [0.25, 0.75], axis=0)
    model = sf.OutlierClipper(limit=2).fit(X)
    np.testing.assert_allclose([model.lower_, model.upper_], [low - 2 * (high - low), high + 2 * (high - low)])
    np.testing.assert_array_equal(model.transform(X), np.clip(X, model.lower_, model.upper_))
    model = sf.OutlierClipper("quantile", limit=0.05).fit(X)
    np.testing.assert_allclose([model.lower_, model.upper_], np.quantile(X, [0.05, 0.95], axis=0))
    model = sf.OutlierClipper("mad").fit(X)
    spread = stats.median_abs_deviation(X, scale="normal")
    np.testing.assert_allclose(model.upper_, np.median(X, axis=0) + 3.5 * spread, rtol=1e-4)
    with pytest.raises(InvalidParameter, match=r"limit must be at most 0\.5 for quantiles; got 0\.7"):
        sf.OutlierClipper("quantile", limit=0.7).fit(X)


def test_flags_and_gaps_of_outliers() -> None:
    rows = np.array([[0.0, 5.0]] * 9 + [[np.nan, 5.0], [99.0, 6.0]]) + np.arange(11)[:, None] % 3 * [[1.0, 0.0]]
    model = sf.OutlierClipper(action="missing", add_indicator=True).fit(rows)
    found = model.transform(rows)
    assert model.get_feature_names_out().tolist() == ["x0", "x1", "outlierindicator_x0", "outlierindicator_x1"]
    assert found[10].tolist()[1:] == [6.0, 1.0, 0.0]  # the quartiles of the second column are equal: no outliers
    assert np.isnan(found[[9, 10], 0]).all()
    assert found[9, 2] == 0
    kept = sf.OutlierClipper(action="keep").fit(rows)
    np.testing.assert_array_equal(kept.transform(rows), rows)


@pytest.mark.parametrize("model", MAPS, ids=lambda model: type(model).__name__)
def test_files_equal_arrays(model, tmp_path: Path) -> None:
    frame = pd.DataFrame(GAPS, columns=["a", "b", "c"]).assign(weight=WEIGHT)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=37)
    source = sf.scan(tmp_path / "rows.parquet", weight="weight")
    expected = model.fit(GAPS, sample_weight=WEIGHT).transform(GAPS)
    np.testing.assert_allclose(model.fit(source).transform(source), expected, rtol=1e-7, atol=1e-9)
    single = GAPS.astype(np.float32)
    assert model.fit(single).transform(single).dtype == np.float32


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
@settings(deadline=None, max_examples=60)
def test_order_is_kept(values: list[float]) -> None:
    """All of them are monotone."""
    x = np.sort(np.array(values))[:, None]
    for model in (
        sf.PowerTransformer(),
        sf.QuantileTransformer(),
        sf.FunctionTransformer("arctan"),
        sf.OutlierClipper(),
    ):
        made = model.fit(x).transform(x).ravel()
        assert np.all(np.diff(made) >= -1e-9 * np.abs(made).max())
