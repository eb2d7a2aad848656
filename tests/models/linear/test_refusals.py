"""What linear models and the pipelines before them say of targets and parameters that they cannot use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

X = np.arange(24.0).reshape(12, 2) % 7
Y = np.array(["no", "yes", "no"] * 4)


def test_a_class_that_weighs_nothing_has_no_intercept():
    with pytest.raises(InvalidParameter, match="gives the class 'yes' no weight"):
        sf.LogisticRegression(class_weight={"yes": 0}).fit(X, Y)


@pytest.mark.parametrize("model", [sf.LogisticRegression, sf.LinearSVC, sf.Perceptron, sf.SGDClassifier])
def test_weights_of_classes_are_numbers(model):
    with pytest.raises(InvalidParameter, match="class_weight must hold numbers"):
        model(class_weight={"yes": "2"}).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [
        sf.Lasso(np.inf), sf.ElasticNet(np.inf), sf.PoissonRegressor(alpha=np.inf), sf.HuberRegressor(alpha=np.inf),
        sf.QuantileRegressor(alpha=np.inf), sf.SGDRegressor(alpha=np.inf), sf.LpRegressor(np.inf),
    ],
)  # fmt: skip
def test_infinite_strengths_are_refused_by_the_model_itself(model):
    with pytest.raises(InvalidParameter, match=rf"{type(model).__name__}: \w+ must be a number"):
        model.fit(X, np.arange(12.0))


def test_a_pipeline_speaks_of_its_target_and_a_step_of_its_columns():
    table = pd.DataFrame(X, columns=["a", "b"]).assign(town=["Ely", "York", None] * 4)
    pipeline = sf.prepared(sf.LogisticRegression(), table)
    assert type(pipeline[0]) is sf.OneHotEncoder
    with pytest.raises(InvalidData, match="Pipeline: y, row 3 has no label"):
        pipeline.fit(table, np.where(np.arange(12) == 3, None, Y.astype(object)))
    with pytest.raises(InvalidData, match="Pipeline requires y"):
        pipeline.fit(table)
    with pytest.raises(InvalidData, match="Pipeline: y must be numbers"):
        sf.prepared(sf.Ridge(), table).fit(table, Y)


def test_missing_text_of_pandas_is_missing():
    town = pd.array(["Ely", None, "York"] * 4, dtype="string")
    table = pd.DataFrame(X, columns=["a", "b"]).assign(town=town)
    fitted = sf.prepared(sf.LogisticRegression(), table).fit(table, Y)
    other = table.assign(town=table["town"].astype(object).where(table["town"].notna(), None))
    np.testing.assert_array_equal(fitted.predict_proba(table), fitted.predict_proba(other))
    with pytest.raises(InvalidData, match="row 1 has no label"):
        sf.LogisticRegression().fit(X, pd.Series(town))
    sf.plots.MissingnessDisplay.from_table(table, ax=False)
