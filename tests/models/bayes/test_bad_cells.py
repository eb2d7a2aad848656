"""Rows that are wide beside their scores are searched for bad cells only where these show in the scores."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidData


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("bad", [[np.inf], [-np.inf], [np.inf, -np.inf], [np.inf, np.nan], [-np.inf, np.nan]])
@pytest.mark.parametrize("cls", [sf.MultinomialNB, sf.LinearDiscriminantAnalysis])
def test_infinite_cells_that_show_in_the_scores(rng, cls, bad, threads):
    X, y = rng.poisson(3.0, (2000, 80)).astype(float), rng.integers(0, 3, 2000)
    model = cls().fit(X, y)
    X[1500, 7 : 7 + len(bad)] = bad
    X[1900, 3] = np.inf
    with sf.threads(threads):
        for answer in (model.predict, model.predict_proba, model.predict_log_proba, model.predict_joint_log_proba):
            for rows in (X, X.astype(np.float32)):
                with pytest.raises(InvalidData, match=r"row 1500 holds -?inf \(infinity\)"):
                    answer(rows)


@pytest.mark.parametrize("cls", [sf.MultinomialNB, sf.LinearDiscriminantAnalysis])
def test_wide_rows_in_pieces(rng, cls):
    X, y = rng.poisson(3.0, (1500, 80)).astype(float), rng.integers(0, 3, 1500)
    model = cls().fit(X, y)
    X[700, :3] = np.nan  # left out
    pieces = [model.predict_log_proba(X[i : i + 500]) for i in (0, 500, 1000)]
    assert_allclose(model.predict_log_proba(X), np.concatenate(pieces), rtol=1e-10, atol=1e-12)
