"""Matrix factorisation: the truncated SVD where nothing is missing, triples, counts, descent, rows that are new."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded, SufficeWarning
from suffice.models.factorise.pairs import largest_first

pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
RNG = np.random.default_rng(7)
FULL = RNG.normal(size=(40, 3)) @ RNG.normal(size=(3, 9)) + 0.1 * RNG.normal(size=(40, 9)) + 5
GAPS = np.where(RNG.random(FULL.shape) < 0.3, np.nan, FULL)


def triples(X):
    i, j = np.nonzero(~np.isnan(X))
    return i, j, X[i, j]


def test_nothing_missing_is_the_truncated_svd():
    model = sf.MatrixFactorization(3, l2=0, biases=False, tol=0, max_iter=400, random_state=1).fit(FULL)
    svd = sf.TruncatedSVD(3).fit(FULL)
    np.testing.assert_allclose(model.predict(FULL), svd.inverse_transform(svd.transform(FULL)), rtol=1e-6)
    left = np.sum(FULL**2) - np.sum(svd.singular_values_**2)
    np.testing.assert_allclose(model.history_.objective[-1], left, rtol=1e-9)


def loss(X, model, l2, per_cell=True):
    known = ~np.isnan(X)
    U, V = model.row_factors_, model.components_.T
    expected = model.mean_ + model.row_bias_[:, None] + model.column_bias_ + U @ V.T
    own, other = (known.sum(axis=1), known.sum(axis=0)) if per_cell else (np.ones(len(U)), np.ones(len(V)))
    squares = own @ (np.sum(U**2, axis=1) + model.row_bias_**2) + other @ (np.sum(V**2, axis=1) + model.column_bias_**2)
    return np.sum((X - expected)[known] ** 2) + l2 * squares


@pytest.mark.parametrize("per", ["cell", "vector"])
def test_the_objective_is_the_loss_and_has_no_slope(per):
    model = sf.MatrixFactorization(2, l2=0.1, l2_per=per, tol=1e-13, max_iter=3000, random_state=0).fit(GAPS)
    at = loss(GAPS, model, 0.1, per == "cell")
    np.testing.assert_allclose(model.history_.objective[-1], at, rtol=1e-7)
    assert (np.diff(model.history_.objective) <= 1e-9 * at).all()
    for name in ("row_factors_", "components_", "row_bias_", "column_bias_"):
        for _ in range(3):
            value, step = getattr(model, name), 1e-4 * RNG.normal(size=getattr(model, name).shape)
            ends = []
            for sign in (1, -1):
                setattr(model, name, value + sign * step)
                ends.append(loss(GAPS, model, 0.1, per == "cell"))
            setattr(model, name, value)
            assert min(ends) >= at - 1e-7, name
            assert abs(ends[0] - ends[1]) < 1e-5, name


def test_triples_are_the_table_and_repeated_ones_are_weights():
    i, j, x = triples(GAPS)
    table = sf.MatrixFactorization(2, random_state=0).fit(GAPS)
    order = RNG.permutation(len(x))
    names = np.array([f"row {r:02}" for r in range(len(GAPS))])
    listed = sf.MatrixFactorization(2, random_state=0).fit_triples(names[i[order]], j[order], x[order])
    np.testing.assert_allclose(listed.components_, table.components_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(listed.predict(["row 03"], [4]), table.predict([3], [4]))
    np.testing.assert_allclose(table.predict([3], [4]), table.predict(GAPS[3:4])[0, 4])
    weight = RNG.integers(0, 3, len(x))
    weighted = sf.MatrixFactorization(2, random_state=0).fit_triples(i, j, x, sample_weight=weight)
    again = np.repeat(np.arange(len(x)), weight)
    repeated = sf.MatrixFactorization(2, random_state=0).fit_triples(i[again], j[again], x[again])
    pairs = repeated.rows_[:5], repeated.columns_[:5]
    np.testing.assert_allclose(weighted.predict(*pairs), repeated.predict(*pairs), rtol=1e-8)
    stored = sparse.csr_array((x, (i, j)), shape=GAPS.shape)
    np.testing.assert_allclose(
        sf.MatrixFactorization(2, random_state=0).fit(stored).components_, table.components_, rtol=1e-9, atol=1e-12
    )


def test_descent_ends_where_least_squares_does():
    options = {"l2": 0.05, "random_state": 0}
    least = sf.MatrixFactorization(2, tol=1e-12, max_iter=2000, **options).fit(GAPS)
    walk = sf.MatrixFactorization(2, solver="sgd", tol=1e-9, max_iter=3000, **options).fit(GAPS)
    assert (np.diff(walk.history_.objective) <= 0).all()
    assert loss(GAPS, walk, 0.05) <= 1.02 * least.history_.objective[-1]
    again = sf.MatrixFactorization(2, solver="sgd", tol=1e-9, max_iter=3000, **options).fit(GAPS)
    np.testing.assert_array_equal(again.components_, walk.components_)


def test_counts_are_those_of_the_dense_formula():
    X = RNG.poisson(0.6, (12, 7)).astype(float)
    model = sf.MatrixFactorization(2, implicit=True, alpha=3.0, l2=0.2, l2_per="vector", random_state=0).fit(X)
    assert (np.diff(model.history_.objective) <= 1e-9).all()
    V = model.components_.T
    for i, row in enumerate(X):
        confidence = 1 + 3.0 * row
        u = np.linalg.solve((V.T * confidence) @ V + 0.2 * np.eye(2), (V.T * confidence) @ (row > 0))
        np.testing.assert_allclose(model.row_factors_[i], u, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(sf.MatrixFactorization(
        2, implicit=True, alpha=3.0, l2=0.2, l2_per="vector", random_state=0).fit(sparse.csr_array(X)).components_,
        model.components_, rtol=1e-9)  # fmt: skip
    with pytest.raises(InvalidData, match="MatrixFactorization: some cells are below 0"):
        sf.MatrixFactorization(2, implicit=True).fit(X - 1)


def test_held_out_cells_are_predicted():
    hidden = ~np.isnan(FULL) & (RNG.random(FULL.shape) < 0.2)
    model = sf.MatrixFactorization(3, l2=0.01, max_iter=500, random_state=0).fit(np.where(hidden, np.nan, FULL))
    i, j = np.nonzero(hidden)
    assert model.score(i, FULL[hidden], columns=j) > -0.4 * FULL.std()
    assert model.score(FULL) > -0.3


def test_new_rows_and_columns():
    model = sf.MatrixFactorization(2, random_state=0).fit_triples(
        ["a", "a", "b", "c"], ["x", "y", "x", "z"], [1, 2, 3, 4]
    )
    with pytest.warns(SufficeWarning, match="1 of 2 rows were not in the fit"):
        found = model.predict(["a", "new"], ["x", "y"])
    np.testing.assert_allclose(found[1], model.mean_ + model.column_bias_[1])
    row = np.array([[2.0, np.nan, np.nan]])
    assert np.isfinite(model.predict(row)).all()
    columns, scores = model.recommend(table=row, n=2)
    assert set(columns[0]) == {"y", "z"}
    assert scores[0, 0] >= scores[0, 1]
    columns, scores = model.recommend(["a"], n=3)
    assert columns[0, 0] == "z"
    assert np.isinf(scores[0, 1:]).all()
    assert set(model.recommend(["a"], n=3, known=True)[0][0]) == {"x", "y", "z"}
    empty = model.predict(np.full((1, 3), np.nan))
    np.testing.assert_allclose(empty[0], model.mean_ + model.column_bias_)


def test_the_same_bits_for_any_number_of_threads():
    X = sparse.random_array((3000, 400), density=0.02, rng=RNG, format="csr")
    found = []
    for threads in (1, 2, 3):
        with sf.threads(threads):
            found.append(sf.MatrixFactorization(5, max_iter=3, random_state=0).fit(X).row_factors_.tobytes())
    assert len(set(found)) == 1


def test_refusals(tmp_path):
    make = sf.MatrixFactorization
    with pytest.raises(InvalidData, match=r"MatrixFactorization: no cell of X is known"):
        make().fit(np.full((3, 3), np.nan))
    with pytest.raises(InvalidData, match=r"MatrixFactorization: values, entry 1 is nan"):
        make().fit_triples([1, 2], [1, 2], [1.0, np.nan])
    with pytest.raises(InvalidData, match="must have one entry a triple; got 2, 1 and 2"):
        make().fit_triples([1, 2], [1], [1.0, 2.0])
    with pytest.raises(InvalidData, match="rows, entry 1 has no label"):
        make().fit_triples(["a", None], ["x", "y"], [1.0, 2.0])
    with pytest.raises(InvalidParameter, match="solver must be 'als' with implicit=True"):
        make(implicit=True, solver="sgd").fit(np.ones((3, 3)))
    np.savetxt(tmp_path / "rows.csv", FULL, delimiter=",", header=",".join("abcdefghi"), comments="")
    rows = sf.scan(tmp_path / "rows.csv")
    with pytest.raises(MemoryNeeded, match="MatrixFactorization: the sums of 9 columns take"):
        make(2, memory=10).fit(rows)
    pieces = make(2, random_state=0).fit(rows)
    np.testing.assert_allclose(pieces.components_, make(2, random_state=0).fit(FULL).components_, rtol=1e-7)
    with pytest.raises(InvalidData, match="which were read in pieces"):
        pieces.recommend([0])
    with pytest.raises(InvalidParameter, match="takes rows of the fit or a table; got both"):
        pieces.recommend([0], table=FULL)
    with warnings.catch_warnings(), pytest.raises(InvalidData, match="as many rows as columns; got 1 and 2"):
        make(2).fit(FULL).predict([0], [0, 1])


@pytest.mark.parametrize(
    "labels",
    [["a", None], ["a", float("nan")], pd.Series(["a", pd.NA], dtype="string"), pd.to_datetime(["2020", None])],
)
def test_a_label_that_is_missing_is_none(labels):
    with pytest.raises(InvalidData, match="MatrixFactorization: rows, entry 1 has no label; drop the triple"):
        sf.MatrixFactorization(1).fit_triples(labels, [1, 2], [3.0, 4.0])


@pytest.mark.parametrize(
    ("values", "weight", "said"),
    [
        (["x", "y"], None, "values must be numbers"),
        ([1, np.nan], None, "values, entry 1 is nan"),
        ([1], None, r"one value a pair, shape \(2,\); got shape \(1,\)"),
        (None, None, r"one value a pair, shape \(2,\); got shape \(0,\)"),
        ([1, 2], [1, -1], "sample_weight must be finite and not negative"),
        ([1, 2], [1], r"sample_weight must have one number a row, shape \(2,\)"),
        ([1, 2], [0, 0], "sample_weight is zero in every row"),
    ],
)
def test_scores_of_pairs_are_of_numbers(values, weight, said):
    model = sf.MatrixFactorization(1, random_state=0).fit(FULL)
    with pytest.raises(InvalidData, match=f"MatrixFactorization: .*{said}"):
        model.score([0, 1], values, weight, columns=[0, 1])


def test_recommendations_are_the_largest_predictions(monkeypatch):
    """In blocks of rows of any height, equal predictions in the order of the columns."""
    model = sf.MatrixFactorization(2, biases=False, random_state=0).fit(np.repeat(GAPS, 2, axis=1))
    scores = model.row_factors_ @ model.components_
    for size in (1, 1 << 24):
        monkeypatch.setattr("suffice.models.factorise.pairs._BLOCK_BYTES", size)
        columns, found = model.recommend(n=5, known=True)
        np.testing.assert_allclose(found, -np.sort(-scores, axis=1)[:, :5])
        np.testing.assert_allclose(np.take_along_axis(scores, columns, axis=1), found)
    tied = np.array([[1.0, 3.0, 1.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0, 2.0], [-np.inf, 0.0, -np.inf, 5.0, -np.inf]])
    for n in range(1, 7):
        np.testing.assert_array_equal(largest_first(tied, n), np.argsort(-tied, axis=1, kind="stable")[:, :n])
