"""A fit that was ended from outside goes on from its checkpoint, to the same answer."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from .. import params
from ..checkpoints import CheckpointFile, checkpoint
from ..engine.keeping import kept_by
from ..estimator import Estimator
from ..typing import EstimatorLike, TableLike, TargetLike
from .results import assert_same, fresh, results


class Killed(BaseException):
    """What nobody handles, as a signal that ends the process."""


class DyingFile(CheckpointFile):
    """A checkpoint whose process ends as soon as it was written so many times."""

    def __init__(self, path: Path, writes: int) -> None:
        self.left = writes + 1  # the first is made before any fit
        super().__init__(path, seconds=0.0, iterations=1)

    def write_if_new(self) -> None:
        was_new = self.is_new
        super().write_if_new()
        self.left -= was_new
        if self.left == 0:
            raise Killed


def killed_after(writes: int, path: Path, model: EstimatorLike, X: TableLike, y: TargetLike = None) -> bool:
    """Fit until the checkpoint was written so many times; whether that came before the fit was over."""
    try:
        with kept_by(DyingFile(path, writes)):
            model.fit(X, y)
    except Killed:
        return True
    return False


def goes_on_from_a_checkpoint(cls: type[Estimator]) -> None:
    """A fit that is killed twice and goes on from its checkpoint gives what one without a break gives."""
    X, y = cls.example(np.random.default_rng(9), 200)
    given = {"n_init": 2} if "n_init" in params.declared(cls) else {}
    whole = fresh(cls).set_params(**given).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fit.sff"
        deaths = sum(killed_after(writes, path, fresh(cls).set_params(**given), X, y) for writes in (2, 3))
        again = fresh(cls).set_params(**given)
        with checkpoint(path):
            again.fit(X, y)
    assert deaths or len(whole.history_) < 4, f"{cls.__name__} fits by iterations, of which none is kept"
    assert_same(results(again, X), results(whole, X), rtol=1e-9)
    assert len(again.history_) == len(whole.history_)
    np.testing.assert_allclose(again.history_.objective, whole.history_.objective, rtol=1e-9)
