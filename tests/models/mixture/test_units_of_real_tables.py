"""Answers about real tables do not depend on the units of their columns; where the tables come from: TABLES.md."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf

REFERENCE = Path(__file__).parents[2] / "reference"


def table(name):
    return np.genfromtxt(REFERENCE / f"{name}.csv", delimiter=",", skip_header=1)


def test_the_tables_are_those_of_their_sources():
    """Counts, and means as R's summary(airquality) prints them."""
    air, thyroid = table("airquality"), table("thyroid")
    assert np.isnan(air).sum(axis=0).tolist() == [37, 7, 0, 0]
    assert_allclose(np.nanmean(air, axis=0), [42.13, 185.9, 9.958, 77.88], rtol=5e-4)
    assert np.bincount(thyroid[:, 0].astype(int)).tolist() == [0, 150, 35, 30]


@pytest.mark.parametrize("unit", [[1e-4, 1.0, 1e3, 1.0], [1e-5] * 4, [1e6] * 4])
@pytest.mark.parametrize("model", [sf.GaussianImputer(), sf.MixtureImputer(2, random_state=0)], ids=["one", "two"])
def test_imputed_ozone_has_the_same_value_in_any_unit(model, unit):
    air = table("airquality")
    expected = model.fit_transform(air)
    assert np.isnan(air[4, :2]).all()
    assert_allclose(model.fit_transform(air * unit) / unit, expected, rtol=1e-7)


@pytest.mark.parametrize("unit", [1e-4, 1e4])
def test_mixtures_of_classes_tell_thyroids_apart_in_any_unit(unit):
    thyroid = table("thyroid")
    X, y = thyroid[:, 1:], thyroid[:, 0].astype(int)
    model, other = (sf.MixtureBayes(2, random_state=0).fit(rows, y) for rows in (X, X * unit))
    assert model.score(X, y) == pytest.approx(0.972, abs=5e-4)
    assert_allclose(other.predict_proba(X * unit), model.predict_proba(X), atol=1e-9)
