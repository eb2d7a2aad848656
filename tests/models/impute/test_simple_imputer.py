"""Missing values filled by a number, and columns that say where they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import impute

import suffice as sf
from suffice.errors import InvalidData

RNG = np.random.default_rng(0)
X = RNG.integers(0, 9, (90, 4)).astype(float) + 0.5
X[RNG.random(X.shape) < 0.2] = np.nan
X[:, 2] = np.nan
X[:, 3] = np.arange(90.0)
WEIGHT = RNG.integers(0, 4, 90).astype(float)


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("add_indicator", [False, True])
@pytest.mark.parametrize("keep_empty_features", [False, True])
@pytest.mark.filterwarnings("ignore:Skipping features")
def test_equals_scikit_learn(strategy: str, add_indicator: bool, keep_empty_features: bool) -> None:
    options = {"strategy": strategy, "add_indicator": add_indicator, "keep_empty_features": keep_empty_features}
    options |= {"fill_value": -3.0} if strategy == "constant" else {}
    ours, theirs = (module.SimpleImputer(**options).fit(X) for module in (sf, impute))
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent"])
def test_weights_are_repetitions(strategy: str) -> None:
    weighted = sf.SimpleImputer(strategy=strategy).fit(X, sample_weight=WEIGHT)
    repeated = sf.SimpleImputer(strategy=strategy).fit(np.repeat(X, WEIGHT.astype(int), axis=0))
    np.testing.assert_allclose(weighted.statistics_, repeated.statistics_, rtol=1e-12)


def test_files_equal_arrays(tmp_path: Path) -> None:
    rows = X[:, [0, 1, 3]]
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(weight=WEIGHT)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=13)
    source = sf.scan(tmp_path / "rows.parquet", weight="weight")
    for model in (sf.SimpleImputer(strategy="median", add_indicator=True), sf.MissingIndicator()):
        expected = model.fit(rows, sample_weight=WEIGHT).transform(rows)
        np.testing.assert_allclose(model.fit(source).transform(source), expected, rtol=1e-12)


@pytest.mark.parametrize("features", ["missing-only", "all"])
def test_indicators_equal_those_of_scikit_learn(features: str) -> None:
    ours, theirs = (module.MissingIndicator(features=features).fit(X) for module in (sf, impute))
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    np.testing.assert_array_equal(ours.features_, theirs.features_)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_a_missing_value_where_there_was_none() -> None:
    model = sf.MissingIndicator().fit(X)
    new = X[:2].copy()
    new[1, 3] = np.nan
    with pytest.raises(InvalidData, match=r"MissingIndicator: column 3, row 1 is missing, and no value"):
        model.transform(new)
    np.testing.assert_array_equal(model.set_params(error_on_new=False).transform(new), np.isnan(new[:, :3]))
