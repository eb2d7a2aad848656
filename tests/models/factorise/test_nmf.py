"""Non-negative factors: optimality, missing cells, both losses, pieces; pLSA is the factorisation by the divergence."""

import json
from pathlib import Path

import numpy as np
import pytest
import sklearn.decomposition as sk
from scipy import sparse
from scipy.optimize import nnls

import suffice as sf
from suffice import backend
from suffice.backend.factors import solve_rows
from suffice.errors import InvalidData, InvalidParameter

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")]
REFERENCE = Path(__file__).parents[2] / "reference" / "nmf_values.json"
RNG = np.random.default_rng(3)
W, H = RNG.gamma(0.5, 1, (60, 3)), RNG.gamma(0.5, 1, (3, 12))
X = W @ H + 0.05 * RNG.random((60, 12))
COUNTS = RNG.poisson(5 * W @ H).astype(float)


def divergence(X, Y):
    some = X > 0
    return np.sum(X[some] * np.log(X[some] / Y[some])) - X.sum() + Y.sum()


def test_rows_and_columns_are_best_for_each_other():
    model = sf.NMF(3, tol=1e-12, max_iter=5000, random_state=0).fit(X)
    found = model.transform(X)
    for i in range(10):
        np.testing.assert_allclose(found[i], nnls(model.components_.T, X[i])[0], atol=1e-8)
    for j in range(12):
        np.testing.assert_allclose(model.components_[:, j], nnls(found, X[:, j])[0], atol=1e-4)
    left = np.sum((X - found @ model.components_) ** 2)
    np.testing.assert_allclose(model.reconstruction_err_, np.sqrt(left), rtol=1e-8)
    assert (np.diff(model.history_.objective) <= 0).all()


@pytest.mark.native
@pytest.mark.parametrize("p", [1, 3, 12, 20, 70])
def test_rows_that_share_products_are_scipys_least_squares(p):
    """Whatever is kept from row to row, from a start, in a table of one part, and where no unknown can be above 0."""
    A = RNG.normal(size=(p + 5, p))
    targets = RNG.normal(size=(30, p + 5))
    rights = np.vstack([targets @ A, -np.ones((1, p)), np.zeros((1, p)), (A @ RNG.gamma(0.3, 1, (p, 9))).T @ A])
    gram = (A.T @ A)[None]
    found = solve_rows(rights, gram, np.zeros(len(rights)), True)
    again = solve_rows(rights, gram, np.zeros(len(rights)), True, found + RNG.integers(0, 2, found.shape))
    for each in (found, again):
        slope = each @ gram[0] - rights
        assert (each >= 0).all()
        assert slope.min() > -1e-7 * np.abs(rights).max()
        np.testing.assert_allclose(np.where(each > 0, slope, 0), 0, atol=1e-7 * np.abs(rights).max())
    for i in range(5):
        np.testing.assert_allclose(found[i], nnls(A, targets[i])[0], rtol=1e-6, atol=1e-7 * np.abs(found[i]).max())
    with backend.using("portable"):
        same = solve_rows(rights[-12:], gram, np.zeros(12), True)
    np.testing.assert_allclose(same, found[-12:], rtol=1e-7, atol=1e-9 * np.abs(found).max())


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_is_as_near_as_scikit_learns(loss):
    ours = sf.NMF(3, beta_loss=loss, init="nndsvda", tol=1e-8, max_iter=3000, random_state=0).fit(COUNTS)
    solver = "cd" if loss == "frobenius" else "mu"
    theirs = sk.NMF(3, beta_loss=loss, init="nndsvda", solver=solver, tol=1e-10, max_iter=3000).fit(COUNTS)
    assert ours.reconstruction_err_ <= theirs.reconstruction_err_ * 1.002
    if loss != "frobenius":
        np.testing.assert_allclose(
            0.5 * ours.reconstruction_err_**2, divergence(COUNTS, ours.transform(COUNTS) @ ours.components_), rtol=1e-5
        )


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_missing_cells_are_left_out(loss):
    rows = X if loss == "frobenius" else COUNTS
    gone = RNG.random(rows.shape) < 0.2
    gaps = np.where(gone, np.nan, rows)
    model = sf.NMF(3, beta_loss=loss, tol=1e-9, max_iter=2000, random_state=0).fit(gaps)
    expected = model.transform(gaps) @ model.components_
    known = np.where(gone, 0.0, rows)
    mine = np.where(gone, 0.0, expected)
    left = np.sum((known - mine) ** 2) if loss == "frobenius" else 2 * divergence(known, mine)
    np.testing.assert_allclose(model.reconstruction_err_**2, left, rtol=1e-4)
    if loss == "frobenius":
        assert np.sqrt(np.mean((expected - X)[gone] ** 2)) < 0.15 * X.std()
    stored = sparse.csr_array(np.nan_to_num(gaps, nan=-1.0))
    stored.data[stored.data < 0] = np.nan
    same = sf.NMF(3, beta_loss=loss, tol=1e-9, max_iter=2000, random_state=0).fit(stored)
    np.testing.assert_allclose(same.reconstruction_err_, model.reconstruction_err_, rtol=1e-6)


def test_sparse_and_single_are_dense():
    one, two = (sf.NMF(3, random_state=0).fit(rows) for rows in (COUNTS, sparse.csr_array(COUNTS)))
    np.testing.assert_allclose(two.components_, one.components_, rtol=1e-6, atol=1e-9)
    assert sf.NMF(3, random_state=0).fit_transform(COUNTS.astype(np.float32)).dtype == np.float32


def test_an_exact_factorisation_is_found():
    model = sf.NMF(3, tol=0, max_iter=3000, random_state=0).fit(W @ H)
    assert model.reconstruction_err_ < 1e-3 * np.linalg.norm(W @ H)
    assert sf.NMF(2).fit(np.zeros((5, 3))).reconstruction_err_ == 0


@pytest.mark.filterwarnings("error::suffice.errors.NotConverged")
@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("k", [3, 6])
def test_a_loss_that_falls_to_nothing_comes_to_an_end(loss, k):
    """Parts enough for the table: what is left falls like 1 / t², and by no small part of itself."""
    model = sf.NMF(k, beta_loss=loss, random_state=0).fit(W @ H)
    assert model.history_.objective[-1] < 1e-3 * model.history_.objective[0]
    assert model.history_.status == "converged"


def test_plsa_is_the_factorisation_by_the_divergence():
    plsa = sf.PLSA(3, random_state=0, tol=1e-12, max_iter=3000).fit(COUNTS)
    start = plsa.components_ * plsa.topic_shares_[:, None]
    nmf = sf.NMF(3, beta_loss="kullback-leibler", init=start, tol=1e-13, max_iter=50).fit(COUNTS)
    own = nmf.components_ / nmf.components_.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(own, plsa.components_, atol=3e-3)
    total = COUNTS.sum()
    rows = COUNTS.sum(axis=1, keepdims=True)
    some = COUNTS > 0
    entropy = np.sum(COUNTS[some] * np.log((COUNTS / np.where(rows > 0, rows, 1))[some]))
    np.testing.assert_allclose(
        plsa.history_.objective[-1] * total, entropy - 0.5 * nmf.reconstruction_err_**2, rtol=1e-5
    )
    np.testing.assert_allclose(plsa.components_.sum(axis=1), 1)
    np.testing.assert_allclose(plsa.transform(COUNTS).sum(axis=1), 1)


def test_refusals():
    with pytest.raises(InvalidData, match=r"NMF: row 1, column 2 holds -1. Negative values"):
        sf.NMF(2).fit([[1, 2, 3], [4, 5, -1]])
    with pytest.raises(InvalidParameter, match="NMF: init must be 'random', an array or None where n_components=5"):
        sf.NMF(5, init="nndsvd").fit(X[:4])
    with pytest.raises(InvalidParameter, match="NMF: alpha_W and alpha_H must be 0 with beta_loss="):
        sf.NMF(2, alpha_W=0.1, beta_loss="kullback-leibler").fit(X)
    with pytest.raises(InvalidParameter, match="NMF: init must hold no number below 0"):
        sf.NMF(2, init=-np.ones((2, 12))).fit(X)
    with pytest.raises(InvalidData, match="PLSA: X holds no words"):
        sf.PLSA(2).fit(np.zeros((3, 2)))


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("loss", ["squares", "divergence"])
def test_the_least_loss_is_that_of_r(at, loss):
    given = json.loads(REFERENCE.read_text())
    V, k = np.array(given["V"], dtype=float), given["k"][at]
    name = "frobenius" if loss == "squares" else "kullback-leibler"
    fits = (
        sf.NMF(k, beta_loss=name, init="random", tol=1e-12, max_iter=2000, random_state=seed).fit(V)
        for seed in range(8)
    )
    least = min(fit.reconstruction_err_**2 for fit in fits)
    least = least if loss == "squares" else least / 2
    assert given[loss][at] * (1 - 2e-4) < least < given[loss][at] * (1 + 1e-6)  # its updates stop a little above


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_units_change_nothing(loss):
    """The divergence is linear in the units, squares are quadratic; the start has no number of its own."""
    one = sf.NMF(3, beta_loss=loss, random_state=0, max_iter=20).fit(X)
    for unit in (1e-30, 1e9):
        other = sf.NMF(3, beta_loss=loss, random_state=0, max_iter=20).fit(X * unit)
        error = other.reconstruction_err_ / (unit if loss == "frobenius" else np.sqrt(unit))
        np.testing.assert_allclose(error, one.reconstruction_err_, rtol=1e-6)
