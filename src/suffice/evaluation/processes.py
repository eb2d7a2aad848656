"""Folds of models of other libraries, in processes of their own."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterable
from numbers import Integral

from ..errors import InvalidParameter
from ..estimator import Estimator
from ..resampling import Fold
from ..typing import EstimatorLike


def checked_jobs(n_jobs: object, owner: str = "evaluate") -> int:
    """How many processes: None is one, and a number below 0 counts back from the cores, -1 being all of them."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or int(n_jobs) == 0:
        raise InvalidParameter(f"{owner}: n_jobs must be an integer that is not 0, or None; got {n_jobs!r:.80}.")
    jobs = int(n_jobs)
    return jobs if jobs > 0 else max(1, _cores() + 1 + jobs)


def is_foreign(model: EstimatorLike) -> bool:
    """Whether the model, in a pipeline its last step, is of another library: our own use all cores by themselves."""
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if isinstance(steps, list | tuple) and steps else model
    return not isinstance(last, Estimator)


def in_processes(fold: Callable[[int], Fold], places: Iterable[int], jobs: int) -> Generator[Fold]:
    """The folds in order, each as soon as it and those before it are there.

    A process may use as many threads as this one, so that sums are added in the same order and give the same bits.
    """
    from joblib import parallel_config
    from sklearn.utils.parallel import Parallel, delayed

    with parallel_config(backend="loky", inner_max_num_threads=_cores()):
        running = Parallel(n_jobs=jobs, return_as="generator")(delayed(_tried)(fold, at) for at in places)
        try:
            for made in running:
                if isinstance(made, Exception):
                    raise made
                yield made
        finally:
            _ended(running)


def _ended(running: Generator[Fold | Exception]) -> None:
    """No more folds: ended here, and not by the garbage collector in whichever thread; nobody wants to be told."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        running.close()


def _tried(fold: Callable[[int], Fold], at: int) -> Fold | Exception:
    """A fold, or its error, which is raised when it is its turn: whichever process is the first."""
    try:
        return fold(at)
    except Exception as error:
        return error


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
