"""Choosing the number of principal components: simulations of known rank, scikit-learn's likelihood, plain algebra."""

import numpy as np
import pytest
import sklearn.decomposition as sk
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.selection import select_components


def _of_rank(r, n=150, d=10, noise=0.5, seed=0):
    rng = np.random.default_rng([r, seed])
    return rng.normal(size=(n, r)) @ rng.normal(size=(r, d)) + noise * rng.normal(size=(n, d)) + 5 * rng.normal(size=d)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rank", [1, 2, 4])
def test_the_rank_of_simulated_rows_is_found(rank, seed):
    found = select_components(sf.PCA(), _of_rank(rank, seed=seed))
    assert found.best == {"cv": rank, "cells": rank}
    assert found.recommended == rank
    assert found.ks == tuple(range(1, 10))


def test_more_columns_than_rows():
    assert select_components(sf.PCA(), _of_rank(3, n=40, d=100)).best == {"cv": 3, "cells": 3}


def test_plain_reconstruction_of_new_rows_always_prefers_all_columns():
    for X in (_of_rank(2, d=6), np.random.default_rng(0).normal(size=(60, 6))):
        found = select_components(sf.PCA(), X, range(1, 7), ["reconstruction", "cells"])
        errors = found.table["reconstruction"]
        assert np.all(np.diff(errors) < 0)
        assert errors[-1] == pytest.approx(0, abs=1e-20)
        assert list(found.best) == ["cells"]
    assert "reconstruction is shown, but chooses no k" in str(found)


def _folds(n, folds=5):
    return np.random.default_rng(0).permutation(n) % folds


def test_cv_is_the_score_of_scikit_learn():
    X, ks = _of_rank(2, d=5), range(1, 5)
    found = select_components(sf.PCA(), X, ks, "cv")
    fold = _folds(len(X))
    scores = [[sk.PCA(k).fit(X[fold != f]).score(X[fold == f]) for k in ks] for f in range(5)]
    assert_allclose(found.table["cv"], np.mean(scores, axis=0), rtol=1e-9)
    assert_allclose(select_components(sk.PCA(), X, ks, "cv").table["cv"], found.table["cv"], rtol=1e-9)


def test_cv_of_correlations_is_in_the_units_of_the_columns():
    X = _of_rank(2, d=5)
    found = select_components(sf.PCA(scaling="correlation"), X, [2], "cv", folds=3).table["cv"]
    fold, scores = _folds(len(X), 3), []
    for f in range(3):
        inside, outside = X[fold != f], X[fold == f]
        scale = inside.std(axis=0, ddof=1)
        scores.append(sk.PCA(2).fit(inside / scale).score(outside / scale) - np.log(scale).sum())
    assert_allclose(found, np.mean(scores), rtol=1e-9)


@pytest.mark.parametrize("scaling", ["covariance", "correlation"])
def test_cells_are_predicted_by_least_squares_on_the_others(scaling):
    X, ks = _of_rank(2, n=30, d=4), range(1, 5)
    found = select_components(sf.PCA(scaling=scaling), X, ks, "cells", folds=3)
    fold, errors = _folds(30, 3), np.zeros((3, 4))
    for f in range(3):
        for k in ks:
            pca = sf.PCA(k, scaling=scaling).fit(X[fold != f])
            rows = (X[fold == f] - pca.mean_) / (1.0 if pca.scale_ is None else pca.scale_)
            V, squares = pca.components_.T, []
            for row in rows:
                for j in range(4):
                    others = np.arange(4) != j
                    z = np.linalg.lstsq(V[others], row[others], rcond=1e-10)[0]
                    squares.append((row[j] - V[j] @ z) ** 2)
            errors[f, k - 1] = np.mean(squares)
    assert_allclose(found.table["cells"], errors.mean(axis=0), rtol=1e-8)


def test_weights_are_repeated_rows_for_the_fit():
    X = _of_rank(2, n=40, d=5)
    weight = np.random.default_rng(0).integers(1, 3, 40)
    weighted = select_components(sf.PCA(), X, [1, 2], "cv", sample_weight=weight)
    repeated = select_components(sf.PCA(), X.repeat(weight, axis=0), [1, 2], "cv")
    assert_allclose(weighted.table["explained_variance_ratio"], repeated.table["explained_variance_ratio"])


def test_constant_columns_and_one_column():
    X = np.column_stack([_of_rank(1, d=3), np.ones(150)])
    assert select_components(sf.PCA(), X).best == {"cv": 1, "cells": 1}
    assert select_components(sf.PCA(), X[:, :1]).ks == (1,)


def test_bad_arguments_are_one_sentence(tmp_path):
    X = _of_rank(2, d=4)
    with pytest.raises(InvalidParameter, match="n_components=5 must be at most the number of columns, 4"):
        select_components(sf.PCA(), X, [5])
    with pytest.raises(InvalidParameter, match=r"criteria must be among .*cells.*; got 'bic'"):
        select_components(sf.PCA(), X, [2], "bic")
    with pytest.raises(InvalidParameter, match="FastICA is not a density"):
        select_components(sk.FastICA(), X)
    np.savetxt(tmp_path / "rows.csv", X, delimiter=",", header="a,b,c,d", comments="")
    with pytest.raises(InvalidData, match=r"cv needs the rows in memory.*; give a sample of the rows"):
        select_components(sf.PCA(), sf.scan(tmp_path / "rows.csv"))


def test_a_k_without_a_value_is_not_chosen():
    X = np.random.default_rng(0).normal(size=(12, 40))
    found = select_components(sf.PCA(), X, folds=2)  # six rows have no seventh component
    assert np.isnan(found.table["cells"]).tolist() == [k > 6 for k in found.ks]
    assert found.best == {"cv": 1, "cells": 1}


def test_all_columns_are_not_chosen_for_predicting_cells_by_their_mean():
    X = np.random.default_rng(1).normal(size=(60, 5))  # nothing predicts a cell better than its mean
    assert select_components(sf.PCA(), X, range(1, 6), "cells").best == {"cells": 1}


def test_rows_in_a_plane_have_its_rank():
    X = _of_rank(2, n=40, d=6, noise=0.0)
    found = select_components(sf.PCA(), X)
    assert found.best == {"cv": 2, "cells": 2}
    assert found.table["cv"][1:].tolist() == [np.inf] * 4
    assert "inf ±" not in str(found)


@pytest.mark.parametrize("n", [3, 5])
@pytest.mark.parametrize("model", [sf.PCA(), sf.PPCA(), sf.FactorAnalysis(), sf.GaussianMixture()])
@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
def test_what_is_tried_suits_few_rows_and_columns(model, n):
    X = np.random.default_rng(n).normal(size=(n, 4))
    criteria = ["cv"] if isinstance(model, sf.PCA) else ["bic"]
    most = n if isinstance(model, sf.GaussianMixture) else 3
    assert select_components(model, X, criteria=criteria, random_state=0).ks == tuple(range(1, most + 1))


def test_columns_that_follow_from_others_do_not_raise_the_rank():
    X = _of_rank(2, d=4)
    found = select_components(sf.PCA(), np.hstack([X, X]))  # a warning is an error
    assert np.isfinite(found.table["cv"][:3]).all()
    assert np.isinf(found.table["cv"][4:]).all()
    line = select_components(sf.PCA(), np.outer(np.arange(30.0), [1.0, 2.0, 3.0]))
    assert line.best["cv"] == 1
