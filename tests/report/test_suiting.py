"""Models for counts, codes and flags are proposed where the table holds such cells, and one model under one name."""

import numpy as np
import pyarrow as pa
import pytest

import suffice as sf
from suffice.report import candidates
from suffice.report.suiting import unsuited

SIZES, COUNTS, CODES = [0.5, 1.25, 2.0, 3.5], [0, 3, 1, 40], [1, 3, 2, 5]
YEARS, FLAGS, TEXT = [2007, 2008, 2009, 2010], [0, 1, 1, 0], ["p", "q", "r", "p"]


@pytest.mark.parametrize(
    ("model", "columns", "is_proposed"),
    [
        (sf.PoissonNB(), {"a": COUNTS}, True),
        (sf.PoissonNB(), {"a": [0.0, None, 2.0, float("nan")]}, True),
        (sf.PoissonNB(), {"a": COUNTS, "b": SIZES}, False),
        (sf.PoissonNB(), {"a": COUNTS, "year": YEARS}, False),
        (sf.PoissonNB(), {"a": [-1, 0, 1, 2]}, False),
        (sf.PoissonNB(), {"a": [0.0, 1.0, 2.0, float("inf")]}, False),
        (sf.PoissonNB(), {"a": TEXT}, False),
        (sf.MultinomialNB(), {"a": COUNTS, "b": CODES}, True),
        (sf.MultinomialNB(), {"a": SIZES}, False),
        (sf.CategoricalNB(), {"a": CODES, "t": TEXT}, True),
        (sf.CategoricalNB(), {"a": CODES}, True),
        (sf.CategoricalNB(), {"a": COUNTS}, False),
        (sf.CategoricalNB(), {"t": TEXT}, False),
        (sf.CategoricalNB(), {"a": FLAGS}, False),
        (sf.CategoricalNB(), {"a": FLAGS, "t": TEXT}, True),
        (sf.BernoulliNB(), {"a": FLAGS, "t": TEXT}, True),
        (sf.BernoulliNB(), {"t": TEXT}, True),
        (sf.BernoulliNB(), {"a": CODES}, False),
        (sf.GaussianNB(), {"a": SIZES, "t": TEXT}, True),
    ],
)
def test_a_model_is_proposed_for_the_cells_it_is_meant_for(model, columns, is_proposed):
    assert (unsuited(model, pa.table(columns)) == "") is is_proposed


@pytest.mark.parametrize("model", [sf.SVC(), sf.SVR(), sf.GaussianProcessClassifier(), sf.GaussianProcessRegressor()])
def test_a_model_for_few_rows_is_left_out_of_larger_tables(model):
    at_most = pa.table({"a": np.zeros(model.most_rows)})
    assert unsuited(model, at_most) == ""
    more = pa.table({"a": np.zeros(model.most_rows + 1)})
    assert unsuited(model, more) == f"It is for tables of up to {model.most_rows:,} rows."


def test_models_for_few_rows_are_tried_last(rng):
    small, large = (pa.table({"a": rng.normal(size=n), "b": rng.normal(size=n)}) for n in (300, 3000))
    assert list(candidates(small, "classes").models)[-2:] == ["SVC", "GaussianProcessClassifier"]
    assert list(candidates(small, "numbers").models)[-2:] == ["SVR", "GaussianProcessRegressor"]
    found = candidates(large, "numbers")
    assert list(found.models)[-1] == "SVR"
    assert found.left_out["GaussianProcessRegressor"] == "It is for tables of up to 1,000 rows."


def test_a_process_is_proposed_with_noise(rng):
    X = rng.normal(size=(120, 2))
    y = 50 + 10 * np.sin(X[:, 0]) + 3 * rng.normal(size=120)
    model = sf.GaussianProcessRegressor.as_proposed().fit(X[:80], y[:80])
    assert model.score(X[80:], y[80:]) > 0.7
    assert model.predict(X, return_std=True)[1].min() > 1


def test_the_models_said_to_be_the_same_are(rng):
    """CategoricalNB on text is NaiveBayes, and on flags BernoulliNB."""
    y = rng.choice(["x", "y"], 80)
    text = pa.table({"s": rng.choice(["p", "q", "r"], 80).tolist(), "t": rng.choice(["u", "v"], 80).tolist()})
    categorical, naive = (model.fit(text, y).predict_proba(text) for model in (sf.CategoricalNB(), sf.NaiveBayes()))
    np.testing.assert_allclose(categorical, naive, rtol=1e-12)
    flags = rng.integers(0, 2, (80, 3))
    categorical, bernoulli = (m.fit(flags, y).predict_proba(flags) for m in (sf.CategoricalNB(), sf.BernoulliNB()))
    np.testing.assert_allclose(categorical, bernoulli, rtol=1e-12)


def test_ratings_are_tried_as_categories_and_every_model_that_is_proposed_can_learn(rng):
    ratings = rng.integers(1, 6, (60, 2)).astype(float)
    table = pa.table({"a": ratings[:, 0], "b": ratings[:, 1]})
    found = candidates(table, "classes")
    assert {"CategoricalNB", "PoissonNB", "MultinomialNB", "NaiveBayes"} <= set(found.models)
    y = np.where(ratings[:, 0] > ratings[:, 1], "more", "less")
    for model in ("CategoricalNB", "PoissonNB", "MultinomialNB"):
        assert found.pipelines[model].fit(table, y).score(table, y) > 0.6
