"""Ctrl-C in a part of a fit that is a fit of its own: it ends the whole, which keeps what there is."""

import numpy as np
import pytest

import suffice as sf
from suffice.observing import Observer, observe
from suffice.solvers import smoothing


class _CtrlC(Observer):
    """Pressed once."""

    pressed = False

    def iteration_done(self, done, snapshot):
        if not self.pressed:
            self.pressed = True
            raise KeyboardInterrupt


def test_ctrl_c_while_few_of_many_rows_are_fitted():
    X = np.random.default_rng(0).normal(size=(60_000, 3))
    model = sf.LogisticRegression()
    with pytest.raises(KeyboardInterrupt), observe(_CtrlC()):
        model.fit(X, X[:, 0] > 0.3 * X[:, 1] + 0.1)
    assert model.history_.status == "interrupted"
    assert len(model.history_) == 1
    assert model.coef_.shape == (1, 3)


def test_ctrl_c_within_the_plane_of_a_class(monkeypatch):
    calls = []
    least = smoothing._least

    def pressed(*given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return least(*given)

    monkeypatch.setattr(smoothing, "_least", pressed)
    iris = sf.datasets.load("iris")
    model = sf.LinearSVC(loss="hinge")
    with pytest.raises(KeyboardInterrupt):
        model.fit(iris.matrix(), iris["species"])
    assert model.history_.status == "interrupted"
    assert len(calls) == 3
