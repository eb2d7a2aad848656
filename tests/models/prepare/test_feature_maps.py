"""Feature maps: monomials, harmonics, steps, bumps and splines of columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline
from sklearn import preprocessing

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

RNG = np.random.default_rng(0)
X = np.column_stack([RNG.normal(size=200), RNG.exponential(size=200), RNG.integers(0, 9, 200)])
NEW = X * 1.5 - 0.3  # also beyond the bounds of X
GIVEN = [[-3.0, 0.0, 0.0], [0.0, 1.0, 5.0], [1.0, 2.5, 6.0], [9.0, 9.0, 9.0]]  # knots
MAPS = [
    sf.PolynomialFeatures(3),
    sf.FourierFeatures([0.5, 2.0], period=[1.0, 2.0, 9.0]),
    sf.SigmoidFeatures(4),
    sf.RBFFeatures(6, random_state=0),
    sf.RBFFeatures(6, centers="k-means", random_state=0),
    sf.SplineTransformer(knots="quantile", extrapolation="linear"),
    sf.SplineTransformer(natural=True, include_bias=False),
]


@pytest.mark.parametrize("degree", [0, 1, 2, 4, (2, 3), (0, 2)])
@pytest.mark.parametrize("interaction_only", [False, True])
@pytest.mark.parametrize("include_bias", [False, True])
def test_polynomials_equal_those_of_scikit_learn(degree, interaction_only: bool, include_bias: bool) -> None:
    if degree == 0 and not include_bias:
        return
    options = {"degree": degree, "interaction_only": interaction_only, "include_bias": include_bias}
    ours, theirs = (module.PolynomialFeatures(**options).fit(X) for module in (sf, preprocessing))
    np.testing.assert_allclose(ours.transform(NEW), theirs.transform(NEW), rtol=1e-12)
    np.testing.assert_array_equal(ours.powers_, theirs.powers_)
    assert ours.n_output_features_ == theirs.n_output_features_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@given(st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_there_are_so_many_monomials(d: int, k: int) -> None:
    from math import comb

    assert sf.PolynomialFeatures(k).fit(np.ones((2, d))).n_output_features_ == comb(d + k, k)


def test_products_that_overflow_are_refused() -> None:
    model = sf.PolynomialFeatures(3).fit(X)
    with pytest.raises(
        InvalidData, match=r"PolynomialFeatures: products of columns overflow, whose cells reach 1e\+200"
    ):
        model.transform(np.full((1, 3), 1e200))
    with pytest.raises(InvalidParameter, match=r"degree=9 of 100 columns makes .* monomials, and at most 1,000,000"):
        sf.PolynomialFeatures(9).fit(np.ones((2, 100)))
    with pytest.raises(InvalidParameter, match="degree must be above 0 where include_bias is False"):
        sf.PolynomialFeatures(0, include_bias=False).fit(X)


def test_interactions_of_chosen_columns() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = sf.PolynomialFeatures(interaction_only=True, include_bias=False, columns=["c", "a"]).fit(frame)
    assert model.get_feature_names_out().tolist() == ["c", "a", "c a", "b"]
    expected = np.column_stack([X[:, 2], X[:, 0], X[:, 2] * X[:, 0], X[:, 1]])
    np.testing.assert_array_equal(model.transform(frame), expected)
    shown = model.set_output(transform="pandas").transform(frame)
    assert list(shown.columns) == ["c", "a", "c a", "b"]


@pytest.mark.parametrize("columns", [["d"], [3], [-1], [0, 0]])
def test_columns_that_are_not_there(columns: list) -> None:
    with pytest.raises((InvalidData, InvalidParameter), match="SigmoidFeatures: "):
        sf.SigmoidFeatures(columns=columns).fit(pd.DataFrame(X, columns=["a", "b", "c"]))


def test_harmonics_by_their_formula() -> None:
    model = sf.FourierFeatures(2, period=24, columns=[1]).fit(X)
    turn = 2 * np.pi * NEW[:, 1] / 24
    waves = np.column_stack([np.cos(turn), np.sin(turn), np.cos(2 * turn), np.sin(2 * turn)])
    np.testing.assert_allclose(model.transform(NEW), np.column_stack([waves, NEW[:, [0, 2]]]), atol=1e-12)


@given(st.floats(-1e6, 1e6), st.integers(-1000, 1000))
@settings(deadline=None)
def test_harmonics_repeat_themselves(t: float, periods: int) -> None:
    model = sf.FourierFeatures(3, period=7.0).fit([[0.0]])
    np.testing.assert_allclose(model.transform([[t + 7.0 * periods]]), model.transform([[t]]), atol=1e-7)


def test_a_fourier_series_finds_its_coefficients() -> None:
    t = np.linspace(0, 10, 300)[:, None]
    y = 2 + 3 * np.cos(2 * np.pi * t[:, 0] / 5) - np.sin(4 * np.pi * t[:, 0] / 5)
    model = sf.make_pipeline(sf.FourierFeatures(2, period=5), sf.LinearRegression()).fit(t, y)
    np.testing.assert_allclose(model[1].coef_, [3, 0, 0, -1], atol=1e-9)
    assert model[1].intercept_ == pytest.approx(2)


def test_steps_by_their_formula() -> None:
    model = sf.SigmoidFeatures(centers=[1.0, -1.0], scale=0.5).fit(X[:, :1])
    x = NEW[:, :1]
    np.testing.assert_allclose(model.transform(x), 1 / (1 + np.exp(-(x - [-1.0, 1.0]) / 0.5)), rtol=1e-12)
    weighted = sf.SigmoidFeatures(3).fit([[0.0], [5.0], [9.0]], sample_weight=[1, 5, 1])
    np.testing.assert_array_equal(weighted.centers_.ravel(), [0.0, 5.0, 9.0])


def test_bumps_by_their_formula() -> None:
    model = sf.RBFFeatures(5, random_state=1).fit(X)
    assert all((centre == X).all(axis=1).any() for centre in model.centers_)
    apart = np.linalg.norm(model.centers_[:, None] - model.centers_, axis=2)[np.triu_indices(5, 1)]
    assert model.width_ == pytest.approx(np.median(apart))
    squares = ((NEW[:, None] - model.centers_) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.transform(NEW), np.exp(-squares / (2 * model.width_**2)), atol=1e-12)
    groups = sf.RBFFeatures(3, centers="k-means", random_state=0).fit(X)
    expected = sf.KMeans(3, random_state=np.random.default_rng(0)).fit(X).cluster_centers_
    np.testing.assert_allclose(np.sort(groups.centers_, axis=0), np.sort(expected, axis=0))


def test_fewer_different_rows_than_centres() -> None:
    model = sf.RBFFeatures(5, random_state=0).fit([[1.0], [1.0], [2.0]], sample_weight=[1, 1, 0])
    np.testing.assert_array_equal(model.centers_, [[1.0]])
    assert model.width_ == 1.0


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("knots", ["uniform", "quantile", GIVEN], ids=["uniform", "quantile", "given"])
@pytest.mark.parametrize("extrapolation", ["constant", "linear", "continue", "periodic"])
@pytest.mark.parametrize("include_bias", [False, True])
def test_splines_equal_those_of_scikit_learn(degree: int, knots, extrapolation: str, include_bias: bool) -> None:
    columns = [0] if degree <= 1 and extrapolation == "linear" else [0, 1, 2]  # theirs is wrong in all but the first
    knots = knots if isinstance(knots, str) else np.array(knots)[:, columns]
    rows = (X + RNG.normal(size=X.shape) / 9)[:, columns]  # no quantiles that tie
    options = {"degree": degree, "knots": knots, "extrapolation": extrapolation, "include_bias": include_bias}
    ours, theirs = (module.SplineTransformer(**options).fit(rows) for module in (sf, preprocessing))
    new = NEW[:, columns]
    if degree == 0 and extrapolation in ("constant", "linear"):  # theirs fails beyond the knots
        new = np.clip(new, [knots[0] for knots in ours.knots_], [knots[-1] for knots in ours.knots_])
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), rtol=1e-11, atol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.n_features_out_ == theirs.n_features_out_


def test_splines_beyond_the_knots_are_refused_on_demand() -> None:
    model = sf.SplineTransformer(extrapolation="error").fit(X)
    np.testing.assert_allclose(model.transform(X)[:, :7].sum(axis=1), 1)
    with pytest.raises(InvalidData, match=r"mapped column 0 holds .*, beyond its outer knots"):
        model.transform(X * 9)


@pytest.mark.parametrize("include_bias", [False, True])
def test_natural_splines_are_those_that_interpolate(include_bias: bool) -> None:
    """A natural cubic spline through any values at the knots is a combination of them, and goes on straight."""
    knots = np.array([0.0, 1.0, 2.5, 3.0, 7.0])
    values = np.array([0.0, 3.0, -1.0, 2.0, 5.0])
    model = sf.SplineTransformer(knots=knots[:, None], natural=True, include_bias=include_bias).fit(knots[:, None])
    at = np.linspace(0, 7, 50)
    basis = model.transform(knots[:, None])
    assert basis.shape == (5, 5 - (not include_bias))
    assert include_bias or np.all(np.abs(basis[0]) < 1e-12)  # no constant: all are 0 at the first knot
    coefficients = np.linalg.lstsq(basis, values, rcond=None)[0]
    expected = CubicSpline(knots, values, bc_type="natural")
    np.testing.assert_allclose(model.transform(at[:, None]) @ coefficients, expected(at), atol=1e-9)
    beyond = model.transform([[8.0], [9.0], [10.0]]) @ coefficients
    np.testing.assert_allclose(np.diff(beyond), expected(7.0, 1), rtol=1e-9)


def test_tied_quantiles_are_one_knot() -> None:
    model = sf.SplineTransformer(6, knots="quantile").fit([[0.0]] * 8 + [[1.0], [2.0], [3.0]])
    assert np.all(np.diff(model.knots_[0]) > 0)
    assert np.isfinite(model.transform([[0.0], [2.5]])).all()


@pytest.mark.parametrize("model", MAPS, ids=lambda model: type(model).__name__)
def test_missing_values_stay_missing(model) -> None:
    gaps = X.copy()
    gaps[3, 1] = np.nan
    if not model._needs().missing:
        with pytest.raises(InvalidData, match="NaN"):
            model.fit(gaps)
        return
    found = model.fit(gaps).transform(gaps)
    assert np.isnan(found[3]).any()
    assert not np.isnan(found[4]).any()


@pytest.mark.parametrize("model", MAPS, ids=lambda model: type(model).__name__)
def test_files_give_what_arrays_give(model, tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(weight=RNG.integers(0, 3, len(X)).astype(float))
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=37)
    source = sf.scan(tmp_path / "rows.parquet", weight="weight")
    expected = model.fit(X, sample_weight=frame["weight"]).transform(X)
    np.testing.assert_allclose(model.fit(source).transform(source), expected, rtol=1e-9, atol=1e-12)


def test_quantile_knots_of_memory_are_those_of_sorted_values():
    """Without sorting a column, to the bit what pieces of a file give: ties, missing values and few rows too."""
    from suffice.statistics.sorted_values import SortedValues

    rng = np.random.default_rng(0)
    for n in (2, 3, 7, 100, 1001):
        X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), rng.normal(size=n).round(1)])
        X[rng.random((n, 3)) < 0.1] = np.nan
        X[0] = 1.5
        for rows in (X, X.astype(np.float32)):
            model = sf.SplineTransformer(n_knots=6, degree=1, knots="quantile").fit(rows)
            for j, found in enumerate(model.knots_):
                known = np.unique(SortedValues.of(rows[:, j]).quantile(np.linspace(0, 1, 6)))
                if len(known) > 1:
                    np.testing.assert_array_equal(found, known)


@pytest.mark.parametrize("interaction", [True, False])
@pytest.mark.parametrize("degree", [1, 2, 3, 4, (2, 3)])
def test_monomials_stand_in_the_order_of_scikit_learn(interaction, degree):
    X = np.ones((2, 4))
    ours = sf.PolynomialFeatures(degree, interaction_only=interaction).fit(X)
    theirs = preprocessing.PolynomialFeatures(degree, interaction_only=interaction).fit(X)
    np.testing.assert_array_equal(ours.powers_, theirs.powers_)
