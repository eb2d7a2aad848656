"""Conformal intervals and sets: against brute force, coverage by simulation, and around models of any library."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, QuantileRegressor
from sklearn.neighbors import KNeighborsRegressor

import suffice as sf
from suffice.data import Chunk
from suffice.errors import InvalidData, InvalidParameter, TooFewRows
from suffice.models.conformal import ConformalScores
from suffice.models.conformal.units import Copies

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")


def numbers(n, seed, noise=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    spread = 0.3 + np.abs(X[:, 0]) if noise == "unequal" else 1.0
    return X, 2 * X[:, 0] - X[:, 1] + spread * rng.standard_t(4, size=n)


def classes(n, seed, shares=(0.5, 0.3, 0.2)):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=shares)
    return rng.normal(size=(n, 2)) + 1.2 * np.array([[0, 0], [1, 1], [2, 0]])[y], np.array(["ant", "bee", "cat"])[y]


# -- against brute force ----------------------------------------------------------------------------------------------
def test_the_quantile_of_a_split_is_that_of_the_definition():
    """The ⌈level (n + 1)⌉-th smallest score."""
    rng = np.random.default_rng(0)
    for n in (9, 10, 19, 57):
        scores = rng.exponential(size=n)
        found = ConformalScores.of(scores, np.ones(n), np.zeros(n, dtype=np.int64), 1)
        for level in (0.5, 0.8, 0.9):
            k = int(np.ceil(round(level * (n + 1), 9)))
            wanted = np.sort(scores)[k - 1] if k <= n else np.inf
            assert_allclose(found.upper(np.zeros((1, 1)), np.ones((1, 1)), level), wanted, rtol=1e-12)


def test_ends_of_several_fits_are_those_of_all_sums():
    """Barber et al. (2021): quantiles of ŷ₋ᵢ(x) ± Rᵢ over all rows i."""
    rng = np.random.default_rng(1)
    n, folds, m = 57, 5, 40
    scores, fold = rng.exponential(size=n), rng.integers(0, folds, n)
    said = rng.normal(size=(m, folds))
    found = ConformalScores.of(scores, np.ones(n), fold, folds)
    for level in (0.5, 0.9):
        k = int(np.ceil(round(level * (n + 1), 9)))
        wanted = np.sort(said[:, fold] + scores, axis=1)[:, k - 1]
        assert_allclose(found.upper(said, np.ones_like(said), level), wanted, rtol=1e-12)
        weight = rng.integers(1, 4, n).astype(float)
        weighted = ConformalScores.of(scores, weight, fold, folds)
        again = np.repeat(np.arange(n), weight.astype(int))
        k = int(np.ceil(round(level * (len(again) + 1), 9)))
        wanted = np.sort(said[:, fold[again]] + scores[again], axis=1)[:, k - 1]
        assert_allclose(weighted.upper(said, np.ones_like(said), level), wanted, rtol=1e-12)


def test_jackknife_plus_is_that_of_its_paper():
    X, y = numbers(31, 2)
    new, _ = numbers(20, 3)
    model = sf.ConformalRegressor(LinearRegression(), method="jackknife+", level=0.8).fit(X, y)
    fits = [LinearRegression().fit(np.delete(X, i, 0), np.delete(y, i)) for i in range(31)]
    errors = np.array([abs(y[i] - fits[i].predict(X[[i]])[0]) for i in range(31)])
    said = np.column_stack([fit.predict(new) for fit in fits])
    k = int(np.ceil(round(0.8 * 32, 9)))
    high = np.sort(said + errors, axis=1)[:, k - 1]
    low = -np.sort(-(said - errors), axis=1)[:, k - 1]
    assert_allclose(model.predict_interval(new), np.column_stack([low, high]), rtol=1e-9)
    assert model.guarantee_ == pytest.approx(0.6)


def test_split_is_that_of_its_definition():
    X, y = numbers(80, 4)
    new, _ = numbers(20, 5)
    model = sf.ConformalRegressor(LinearRegression(), level=0.9).fit(X, y)
    parts = Copies.of(Chunk(X, y), y, 1).rows  # all rows differ, in their order
    assert_array_equal(parts.X, X)
    (inner,) = model.models_
    left_out = np.setdiff1d(np.round(np.abs(y - inner.predict(X)), 9), [])
    kept = model.scores_.scores
    assert len(kept) == 20
    assert np.isin(np.round(kept, 9), left_out).all()
    k = int(np.ceil(round(0.9 * 21, 9)))
    half = np.sort(kept)[k - 1]
    assert_allclose(model.predict_interval(new), inner.predict(new)[:, None] + [-half, half])
    assert_allclose(model.predict(new), inner.predict(new))


@pytest.mark.parametrize("sets", ["least", "adaptive"])
def test_sets_of_several_fits_are_those_of_their_definition(sets):
    """Romano et al. (2020): classes with fewer than level (n + 1) rows whose score is smaller."""
    X, y = classes(90, 6)
    new, _ = classes(30, 7)
    model = sf.ConformalClassifier(sf.LinearDiscriminantAnalysis(), method="cross", folds=6, sets=sets, level=0.8)
    model.fit(X, y)
    starts, scores = model.scores_.starts, model.scores_.scores

    def score(chance):
        if sets == "least":
            return 1 - chance
        return np.array([[row[row >= p].sum() for p in row] for row in chance])

    for i, row in enumerate(new):
        for c in range(3):
            below = 0
            for k, fit in enumerate(model.models_):
                own = score(fit.predict_proba(row[None]))[0, c]
                below += (scores[starts[k] : starts[k + 1]] < own - 1e-12).sum()
            assert model.predict_set(new)[i, c] == (below < 0.8 * 91 - 1e-9)


def test_classes_by_themselves():
    X, y = classes(2000, 8, (0.8, 0.15, 0.05))
    model = sf.ConformalClassifier(sf.GaussianNB(), by_class=True, level=0.8, share=0.5).fit(X, y)
    pooled = sf.ConformalClassifier(sf.GaussianNB(), level=0.8, share=0.5).fit(X, y)
    new, truth = classes(4000, 9, (0.8, 0.15, 0.05))
    rare = truth == "cat"
    assert pooled.coverage(new[rare], truth[rare]).inside.value < 0.7
    assert model.coverage(new[rare], truth[rare]).inside.value > 0.7


# -- coverage by simulation -------------------------------------------------------------------------------------------
def covered(make, model, size, tables=60, new=400, **given):
    shares = []
    for seed in range(tables):
        X, y = make(size + new, [seed, 17], **given)
        fitted = model.fit(X[:size], y[:size])
        shares.append(fitted.coverage(X[size:], y[size:]).inside.value)
    return np.mean(shares), np.std(shares, ddof=1) / np.sqrt(tables)


@pytest.mark.slow
@pytest.mark.parametrize("errors", ["absolute", "quantile"])
@pytest.mark.parametrize("noise", [None, "unequal"])
def test_split_covers_what_it_says(errors, noise):
    """At least the level, and at most that and 1 / (n + 1) more, in the mean over tables to four standard errors."""
    inner = sf.QuantileRegressor(alpha=0.0) if errors == "quantile" else sf.LinearRegression()
    model = sf.ConformalRegressor(inner, level=0.8, share=0.4, errors=errors)
    mean, error = covered(numbers, model, 100, tables=40, noise=noise)
    assert 0.8 - 4 * error <= mean <= 0.8 + 1 / 41 + 4 * error


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cross", "jackknife+"])
def test_fits_that_leave_out_little_cover_more_than_their_guarantee(method):
    """A model that overfits: the residuals of its training rows are 0, those of rows left out are not."""
    model = sf.ConformalRegressor(KNeighborsRegressor(1), level=0.8, method=method)
    mean, error = covered(numbers, model, 30, tables=12)
    assert mean >= model.guarantee_ - 4 * error
    assert mean >= 0.72
    assert 0.4 <= model.guarantee_ <= 0.6 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("sets", ["least", "adaptive"])
@pytest.mark.parametrize("method", ["split", "cross"])
def test_sets_cover_what_they_say(sets, method):
    model = sf.ConformalClassifier(sf.GaussianNB(), level=0.8, sets=sets, method=method, share=0.4)
    mean, error = covered(classes, model, 100, tables=40)
    assert mean >= (0.8 if method == "split" else model.guarantee_) - 4 * error
    assert mean <= 0.8 + 0.15


def test_quantiles_are_wide_where_the_noise_is():
    X, y = numbers(2000, 10, "unequal")
    plain = sf.ConformalRegressor(sf.LinearRegression()).fit(X, y)
    forest = sf.HistGradientBoostingRegressor(loss="quantile", quantile=0.5, max_iter=50, random_state=0)
    model = sf.ConformalRegressor(forest, errors="quantile").fit(X, y)
    still, wild = np.array([[0.0, 0.0], [0.1, 0.3]]), np.array([[2.5, 0.0], [-2.5, 0.3]])
    width = lambda fitted, rows: np.diff(fitted.predict_interval(rows), axis=1).mean()  # noqa: E731
    assert width(plain, still) == pytest.approx(width(plain, wild))
    assert width(model, wild) > 2 * width(model, still)
    new, truth = numbers(4000, 11, "unequal")
    assert model.coverage(new, truth).inside.value == pytest.approx(0.9, abs=0.035)


def test_scaled_by_what_the_model_says():
    rng = np.random.default_rng(12)
    X = rng.uniform(0, 10, (120, 1))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=120)
    process = sf.GaussianProcessRegressor(alpha=0.04, optimizer=None)
    model = sf.ConformalRegressor(process, errors="scaled").fit(X, y)
    near, far = np.diff(model.predict_interval([[5.0], [30.0]]), axis=1)[:, 0]
    assert far > 2 * near
    with pytest.raises(InvalidParameter, match="needs predict with return_std=True, which Ridge does not have"):
        sf.ConformalRegressor(sf.Ridge(), errors="scaled").fit(X, y)


# -- any model, any source --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "inner",
    [
        LinearRegression(),
        KNeighborsRegressor(5),
        sf.RandomForestRegressor(10, random_state=0),
        sf.make_pipeline(sf.StandardScaler(), sf.Ridge()),
        sf.SVR(),
        None,
    ],
    ids=lambda inner: type(inner).__name__,
)
def test_any_regressor(inner):
    X, y = numbers(120, 13)
    new, truth = numbers(500, 14)
    for method in ("split", "cross"):
        model = sf.ConformalRegressor(inner, method=method, folds=4, level=0.8).fit(X, y)
        found = model.coverage(new, truth)
        assert found.inside.value > 0.6  # of 30 rows left out, with a standard deviation of 0.07
        assert np.isfinite(found.size)


@pytest.mark.parametrize(
    "inner", [LogisticRegression(), RandomForestClassifier(10, random_state=0), sf.LogisticRegression(), None],
    ids=lambda inner: type(inner).__name__,
)  # fmt: skip
def test_any_classifier(inner):
    X, y = classes(150, 15)
    new, truth = classes(500, 16)
    for method in ("split", "cross"):
        model = sf.ConformalClassifier(inner, method=method, folds=4, level=0.8).fit(X, y)
        assert model.coverage(new, truth).inside.value > 0.6
    assert all(isinstance(one, tuple) for one in model.named_sets(new))


@pytest.mark.parametrize(
    "inner",
    [QuantileRegressor(alpha=0.0), GradientBoostingRegressor(loss="quantile", n_estimators=20, random_state=0)],
    ids=lambda inner: type(inner).__name__,
)
def test_quantiles_of_other_libraries(inner):
    X, y = numbers(200, 17)
    model = sf.ConformalRegressor(inner, errors="quantile", level=0.8).fit(X, y)
    new, truth = numbers(1000, 18)
    assert 0.65 < model.coverage(new, truth).inside.value < 0.95


def test_weights_are_copies_even_of_rows_that_are_alike():
    """Few different rows: copies of one row go to both parts, as those of different rows do."""
    rng = np.random.default_rng(19)
    X = rng.integers(0, 2, (300, 1)).astype(float)
    y = X[:, 0] + rng.integers(0, 3, 300)
    model = sf.ConformalRegressor(sf.Ridge(), level=0.7).fit(X, y)
    pairs, count = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    weighted = sf.ConformalRegressor(sf.Ridge(), level=0.7).fit(pairs[:, :1], pairs[:, 1], sample_weight=count)
    assert_allclose(weighted.predict_interval(X), model.predict_interval(X), rtol=1e-9)
    assert model.scores_.weight.sum() == pytest.approx(75)
    assert len(model.scores_.scores) == len(pairs)


def test_files_frames_and_model_files(tmp_path):
    X, y = classes(200, 20)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=y)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=60)
    source = sf.scan(tmp_path / "rows.parquet", target="y")
    for model in (sf.ConformalClassifier(method="cross"), sf.ConformalClassifier(by_class=True, level=0.7)):
        inside = model.fit(frame[["a", "b"]], frame["y"]).predict_set(frame[["a", "b"]])
        model.fit(source)
        assert_array_equal(model.predict_set(source), inside)
        sf.save(model, tmp_path / "model.sff")
        again = sf.load(tmp_path / "model.sff")
        assert_array_equal(again.predict_set(frame[["a", "b"]]), inside)
        assert again.guarantee == model.guarantee
    rows, target = numbers(100, 21)
    for given in ({"errors": "quantile", "model": sf.QuantileRegressor(alpha=0.0)}, {"method": "cross"}):
        fitted = sf.ConformalRegressor(**given).fit(rows, target)
        sf.save(fitted, tmp_path / "model.sff")
        assert_array_equal(sf.load(tmp_path / "model.sff").predict_interval(rows), fitted.predict_interval(rows))


def test_a_class_that_a_fit_has_not_seen():
    """It has no probability, and is in the sets of rows where its own rows say so."""
    X, y = classes(60, 22)
    y = y.astype(object)
    y[3] = "rare"
    model = sf.ConformalClassifier(sf.GaussianNB(), method="cross", folds=5, level=0.8).fit(X, y)
    assert model.predict_set(X).shape == (60, 4)
    assert {len(fit.classes_) for fit in model.models_} == {3, 4}


def test_by_class_each_class_is_left_out_in_the_same_share():
    """However few rows it has, so that a rare one is among the rows learned from and those left out."""
    X, y = classes(200, 25)
    y = np.where(np.arange(200) < 4, "rare", "often")
    for seed in range(5):
        model = sf.ConformalClassifier(sf.LogisticRegression(), by_class=True, random_state=seed, level=0.5).fit(X, y)
        starts = model.scores_.starts
        assert np.diff(starts).tolist() == [49, 1]
        model = sf.ConformalClassifier(sf.GaussianNB(), by_class=True, method="cross", folds=4, level=0.5).fit(X, y)
        assert np.diff(model.scores_.starts).tolist() == [49, 1] * 4
    with pytest.warns(TooFewRows, match="with 0 rows left out"):
        one = sf.ConformalClassifier(sf.GaussianNB(), by_class=True).fit(X, np.where(np.arange(200) < 1, "one", y))
    assert one.predict_set(X)[:, 1].all()  # of which no row is left out: nothing speaks against it
    with pytest.raises(InvalidData, match=r"rows that are learned from are of one class.*by_class=True"):
        sf.ConformalClassifier(sf.LogisticRegression(), share=0.99).fit(X, y)


def test_a_split_fits_once(monkeypatch):
    X, y = numbers(60, 26)
    fits = []
    monkeypatch.setattr(
        sf.Ridge, "solve", lambda self, summary, whole=sf.Ridge.solve: fits.append(1) or whole(self, summary)
    )
    sf.ConformalRegressor().fit(X, y)
    assert len(fits) == 1


def test_other_levels_and_words():
    X, y = numbers(200, 23)
    model = sf.ConformalRegressor(sf.LinearRegression(), level=0.9, method="cross", folds=10).fit(X, y)
    narrow, wide = (np.diff(model.predict_interval(X, level), axis=1) for level in (0.5, 0.95))
    assert np.all(narrow < wide)
    # 1 − 2 α less what folds cost: min(2 (1 − 1/K) / (n/K + 1), (1 − K/n) / (K + 1))
    assert model.guarantee_ == pytest.approx(0.8 - min(2 * 0.9 / 21, 0.95 / 11))
    assert "with a probability of at least 0.7143" in model.guarantee
    assert "were asked for; mean width" in str(model.coverage(X, y))


def test_refusals():
    X, y = numbers(40, 24)
    with pytest.raises(InvalidParameter, match="model must be None or a regressor"):
        sf.ConformalRegressor(sf.GaussianNB()).fit(X, y)
    with pytest.raises(InvalidParameter, match="level must be"):
        sf.ConformalRegressor(level=1.0).fit(X, y)
    with pytest.raises(InvalidParameter, match="needs a model with a parameter for the quantile, which Ridge has not"):
        sf.ConformalRegressor(sf.Ridge(), errors="quantile").fit(X, y)
    with pytest.raises(InvalidParameter, match="has no predict_proba; put it into Calibrated"):
        sf.ConformalClassifier(sf.LinearSVC()).fit(X, y > 0)
    with pytest.raises(InvalidData, match="one sample"):
        sf.ConformalRegressor().fit(X[:1], y[:1])
    with pytest.warns(TooFewRows, match="with 5 rows left out nothing is surely outside at level 0.9, which needs 9"):
        model = sf.ConformalRegressor().fit(X[:20], y[:20])
    assert np.isinf(model.predict_interval(X)).all()
    with pytest.raises(InvalidParameter, match="level must be"):
        model.predict_interval(X, 2.0)
    with pytest.raises(InvalidData, match="one number a row"):
        model.coverage(X, y[:3])
