"""Pipelines are fitted to sums of folds where their steps allow it, and give what refitting gives."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import suffice as sf
from suffice.data import ArraySource
from suffice.errors import InvalidData

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 4)) @ RNG.normal(size=(4, 4)) * [1, 100, 0.01, 3] + [5, 0, 1, 2]
NUMBERS = X @ [1.0, 0.01, 100.0, 0.0] + RNG.normal(size=150)
CLASSES = np.array(["ant", "bee", "cat"])[np.argsort(np.argsort(NUMBERS)) // 50]
WEIGHT = RNG.integers(0, 3, 150).astype(float)
SUMMED = [
    (sf.make_pipeline(sf.StandardScaler(), sf.PCA(2), sf.Ridge()), NUMBERS),
    (sf.make_pipeline(sf.PolynomialFeatures(2), sf.StandardScaler(), sf.Ridge()), NUMBERS),
    (sf.make_pipeline("passthrough", sf.Whiten(), sf.BayesianRidge()), NUMBERS),
    (sf.make_pipeline(sf.StandardScaler(), sf.LinearDiscriminantAnalysis()), CLASSES),
    (sf.make_pipeline(sf.PCA(3, whiten=True), sf.QuadraticDiscriminantAnalysis()), CLASSES),
    (sf.make_pipeline(sf.FunctionTransformer("arcsinh"), sf.StandardScaler(), sf.GaussianNB()), CLASSES),
]
FITTED = [
    (sf.make_pipeline(sf.PCA(2), sf.GaussianNB()), CLASSES),  # new axes have other variances
    (sf.make_pipeline(sf.StandardScaler(), sf.PolynomialFeatures(2), sf.Ridge()), NUMBERS),
    (sf.make_pipeline(sf.StandardScaler(), sf.LinearDiscriminantAnalysis(shrinkage="auto")), CLASSES),
]


def names(value):
    return "-".join(type(step).__name__ for _, step in value.steps) if hasattr(value, "steps") else ""


@pytest.mark.parametrize(("model", "y"), SUMMED + FITTED, ids=names)
def test_folds_of_pipelines_are_those_of_refitting(model, y):
    found = sf.evaluate(model, X, y, splits=4, sample_weight=WEIGHT)
    assert all(fold.shared for fold in found.folds) == ((model, y) in SUMMED)
    assert ("from sums of folds" in str(found)) == ((model, y) in SUMMED)
    column, method = ("predicted", "predict") if y is NUMBERS else ("probability", "predict_proba")
    for fold in found.folds:
        again = clone(model).fit(X[fold.train], y[fold.train], sample_weight=WEIGHT[fold.train])
        wanted = getattr(again, method)(X[fold.test])
        np.testing.assert_allclose(getattr(fold, column), wanted, rtol=1e-8, atol=1e-9)


def test_a_pipeline_of_sums_reads_its_rows_once_a_step(monkeypatch):
    times, plain = [], ArraySource.reduce
    monkeypatch.setattr(ArraySource, "reduce", lambda source, f: times.append(1) or plain(source, f))
    model, y = SUMMED[0]
    sf.evaluate(model, X, y, splits=10, measures="rmse")
    assert len(times) == 3  # the moments of columns, those of all columns, and those with the target
    times.clear()
    found = sf.search(model, {"ridge__alpha": [0.1, 1.0, 10.0], "pca__n_components": [1, 2]}, X, y, measures="rmse")
    assert len(times) == 3
    assert all(one.summed for one in found.candidates)


def test_pipelines_of_sums_on_files(tmp_path):
    rows = pd.DataFrame(X, columns=list("abcd")).assign(y=NUMBERS)
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=40)
    for model, _ in SUMMED[:2]:
        found = sf.evaluate(model, sf.scan(tmp_path / "rows.parquet", target="y"), splits=4, measures="rmse")
        assert all(fold.shared for fold in found.folds)
        np.testing.assert_allclose(found.predicted, sf.evaluate(model, X, NUMBERS, splits=4).predicted, rtol=1e-9)


def test_missing_cells_behind_a_step_are_refused_by_the_step_that_cannot_use_them():
    gaps = X.copy()
    gaps[5, 2] = np.nan
    with pytest.raises(InvalidData, match="Ridge: column 2, row 5 holds NaN"):
        sf.evaluate(sf.make_pipeline(sf.StandardScaler(), sf.Ridge()), gaps, NUMBERS, splits=4)
    naive = sf.make_pipeline(sf.StandardScaler(), sf.GaussianNB())
    assert all(fold.shared for fold in sf.evaluate(naive, gaps, CLASSES, splits=4).folds)
    full = sf.make_pipeline(sf.StandardScaler(), sf.QuadraticDiscriminantAnalysis())
    assert sum(fold.shared for fold in sf.evaluate(full, gaps, CLASSES, splits=4).folds) == 1  # the one without the gap


def test_selections_take_pipelines_of_sums():
    model = sf.make_pipeline(sf.StandardScaler(), sf.LinearDiscriminantAnalysis())
    found = sf.BackwardSelection(model, folds=3).fit(X, CLASSES)
    wanted = sf.BackwardSelection(sf.LinearDiscriminantAnalysis(), folds=3).fit(X, CLASSES)
    np.testing.assert_array_equal(found.support_, wanted.support_)
    np.testing.assert_allclose(found.path_.value, wanted.path_.value)
