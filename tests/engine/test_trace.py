"""Traces: what is recorded can be saved and read back."""

import numpy as np
import pytest

from suffice.engine import FitTrace, Trace, recording
from suffice.errors import InvalidData
from suffice.observing import Iteration, observers


def a_trace():
    iterations = [Iteration(1, 3.5, 0.1, {"moved": 2.0}), Iteration(2, float("nan"), 0.2)]
    snapshots = [{"cluster_centers_": np.array([[1.0, 2.0]])}, {"cluster_centers_": np.array([[3.0, 4.0]])}]
    return Trace([FitTrace("KMeans", {"k": 3, "seed": None}, iterations, snapshots, "converged"), FitTrace("PCA", {})])


@pytest.mark.parametrize("name", ["trace.jsonl", "trace.parquet"])
def test_iteration_trip(tmp_path, name):
    a_trace().save(tmp_path / name)
    back = Trace.load(tmp_path / name)
    fit = back.fits[0]
    assert [f.name for f in back.fits] == ["KMeans", "PCA"]
    assert (fit.params, fit.status) == ({"k": 3, "seed": None}, "converged")
    assert fit.iterations[0] == Iteration(1, 3.5, 0.1, {"moved": 2.0})
    assert np.isnan(fit.iterations[1].objective)
    np.testing.assert_array_equal(fit.snapshots[1]["cluster_centers_"], [[3.0, 4.0]])


def test_unknown_ending(tmp_path):
    with pytest.raises(InvalidData, match=r"saved as \.jsonl or \.parquet; got '\.txt'"):
        a_trace().save(tmp_path / "trace.txt")


@pytest.mark.parametrize("text", ["not json\n", '{"fit": 0}\n', '{"trace": 99, "fit": 0, "name": "x"}\n'])
def test_not_a_trace(tmp_path, text):
    (tmp_path / "t.jsonl").write_text(text)
    with pytest.raises(InvalidData, match="is not a trace this version can read"):
        Trace.load(tmp_path / "t.jsonl")


def test_fits_within_fits_are_kept_apart():
    with recording() as trace:
        (observer,) = observers()
        observer.fit_started("outer", {"model": object})
        observer.fit_started("inner", {})
        observer.iteration_done(Iteration(1, 1.0, 0.0), {})
        observer.fit_ended("converged")
        observer.iteration_done(Iteration(1, 2.0, 0.0), {})
        observer.fit_ended("max_iter")
    assert [(f.name, f.status, len(f.iterations)) for f in trace.fits] == [
        ("outer", "max_iter", 1),
        ("inner", "converged", 1),
    ]
    assert isinstance(trace.fits[0].params["model"], str)
    assert observers() == ()


def test_parameters_of_a_distribution_come_back_as_arrays(tmp_path):
    iterations = [Iteration(1, 1.0, 0.0)]
    trace = Trace([FitTrace("GaussianMixture", {}, iterations, [{"mixture_": {"mean": np.ones((2, 3))}}], "converged")])
    trace.save(tmp_path / "t.jsonl")
    (snapshot,) = Trace.load(tmp_path / "t.jsonl").fits[0].snapshots
    np.testing.assert_array_equal(snapshot["mixture_"]["mean"], np.ones((2, 3)))
