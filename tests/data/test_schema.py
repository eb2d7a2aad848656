"""What columns are: those of a plain array are made when they are looked at, and every one has its kind"""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import random_array

import suffice as sf
from suffice.data import Column, Schema, as_source
from suffice.data.schema import unnamed
from suffice.errors import InvalidData


def test_columns_without_names_are_made_when_they_are_looked_at() -> None:
    X = random_array((40, 30_011), density=1e-3, format="csr", rng=0)
    sf.LogisticRegression(l1_ratio=1, C=10.0).fit(X, np.arange(40) % 2)
    schema = as_source(X, needs=sf.LogisticRegression.needs.but(target="none")).schema
    assert len(schema) == 30_011
    assert "columns" not in vars(schema)


def test_they_are_as_any_others() -> None:
    plain = Schema((Column("x0"), Column("x1")), named=False)
    assert unnamed(2) == plain
    assert plain == unnamed(2)
    assert hash(unnamed(2)) == hash(plain)
    assert unnamed(2) != Schema(plain.columns)
    assert unnamed(2) != unnamed(3)
    assert pickle.loads(pickle.dumps(unnamed(2))) == plain
    assert unnamed(2).names == ("x0", "x1")
    assert unnamed(2).text_columns == ()


def test_a_model_file_holds_them_as_before(tmp_path: object) -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = sf.DecisionTreeClassifier().fit(X, X[:, 0] > 0)
    sf.save(model, f"{tmp_path}/model.sff")
    loaded = sf.load(f"{tmp_path}/model.sff")
    assert type(loaded._schema) is Schema
    assert loaded._schema == model._schema
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("model", [sf.KMeans(2), sf.Ridge(), sf.LogisticRegression()])
def test_text_is_refused_where_columns_are_numbered(model: sf.KMeans) -> None:
    frame = pd.DataFrame({0: ["a", "b", "a"], 1: [1.0, 2.0, 3.0]})
    with pytest.raises(InvalidData, match=r"column 0 is categorical"):
        model.fit(frame, [1, 0, 1])
    fitted = type(model)(**model.get_params()).fit(pd.DataFrame({0: [1.0, 2.0, 4.0], 1: [1.0, 2.0, 3.0]}), [1, 0, 1])
    with pytest.raises(InvalidData, match=r"column 0 is categorical"):
        fitted.predict(frame)
