"""Folds in processes: the same answers, and clear refusals."""

import gc

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.evaluation.processes import checked_jobs, in_processes, is_foreign

IRIS = sf.datasets.load("iris")


class Stubborn(RandomForestClassifier):
    """A model that cannot learn."""

    def fit(self, X, y):
        raise ValueError("no rows, please")


def test_processes_give_the_same_bits():
    X, y = IRIS.matrix(), IRIS["species"]
    alone, both = (sf.evaluate(RandomForestClassifier(5), X, y, splits=4, n_jobs=jobs) for jobs in (None, 2))
    assert np.array_equal(alone.probability, both.probability)
    width = make_pipeline(StandardScaler(), Ridge())
    alone, both = (sf.evaluate(width, X[:, :3], X[:, 3], splits=4, train=True, n_jobs=jobs) for jobs in (None, 2))
    assert np.array_equal(alone.predicted, both.predicted)
    assert alone.gap().training == both.gap().training
    assert [type(model) for model in both.models] == [type(width)] * 4


def test_a_comparison_in_processes_is_the_same():
    models = {"forest": sf.prepared(RandomForestClassifier(3), IRIS.matrix()), "bayes": sf.GaussianNB()}
    found = [sf.compare(models, IRIS.matrix(), IRIS["species"], splits=3, n_jobs=jobs) for jobs in (1, 2)]
    assert found[0].table() == found[1].table()


def test_a_journal_keeps_folds_of_processes(tmp_path):
    settings = {"splits": 3, "journal": tmp_path / "folds.journal", "n_jobs": 2}
    first = sf.evaluate(RandomForestClassifier(3), IRIS.matrix(), IRIS["species"], **settings)
    again = sf.evaluate(RandomForestClassifier(3), IRIS.matrix(), IRIS["species"], **settings)
    assert np.array_equal(first.probability, again.probability)


def test_a_failure_says_which_fold():
    with pytest.raises(InvalidData, match=r"failed in fold 1 of 3.*no rows, please"):
        sf.evaluate(Stubborn(), IRIS.matrix(), IRIS["species"], splits=3, n_jobs=2)


def test_folds_that_nobody_waits_for_end_in_silence():
    folds = in_processes(abs, range(6), 2)
    assert next(folds) == 0
    folds.close()
    gc.collect()
    assert list(in_processes(abs, range(3), 2)) == [0, 1, 2]


@pytest.mark.parametrize("jobs", [0, 1.5, "two", True])
def test_other_numbers_of_jobs_are_refused(jobs):
    with pytest.raises(InvalidParameter, match="n_jobs must be an integer that is not 0"):
        sf.evaluate(sf.GaussianNB(), IRIS.matrix(), IRIS["species"], n_jobs=jobs)


def test_jobs_below_zero_count_back_from_the_cores():
    assert checked_jobs(None) == 1
    assert checked_jobs(3) == 3
    assert checked_jobs(-1) >= 1
    assert checked_jobs(-1000) == 1


def test_our_models_are_not_foreign():
    assert is_foreign(Ridge())
    assert is_foreign(make_pipeline(StandardScaler(), Ridge()))
    assert not is_foreign(sf.Ridge())
    assert not is_foreign(make_pipeline(StandardScaler(), sf.Ridge()))
