"""Nets on images, mixed tables, files and several targets; what is drawn, kept, resumed and refused."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter
from suffice.layers import (
    BatchNorm,
    Convolution,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    Flip,
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
    Noise,
    Plan,
    Pooling,
    Shift,
    window_output,
)
from suffice.models.neural.images import changed
from suffice.optimizers import Cosine, ExponentialDecay, InverseTime, StepDecay

RNG = np.random.default_rng(0)
IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits

    found = load_digits()
    return found.images[:600].astype(np.float32), found.target[:600]


@pytest.fixture(scope="module")
def convolutional(digits):
    layers = [Convolution(8, 3, padding=1), BatchNorm(), Pooling(2), Dropout(0.2), Flatten()]
    return sf.NeuralClassifier(layers, learning_rate=0.01, batch_size=50, max_iter=6, random_state=0).fit(*digits)


# ---- shapes ----


@pytest.mark.parametrize(
    ("n", "f", "s", "p", "expected"),
    [(32, 5, 1, 0, 28), (28, 2, 2, 0, 14), (224, 11, 4, 2, 55), (7, 3, 2, 0, 3), (7, 3, 2, 1, 4), (8, 3, 1, 1, 8)],
)
def test_output_sizes(n, f, s, p, expected):
    assert window_output(n, f, s, p) == expected == (n + 2 * p - f) // s + 1
    plan = Plan.of([Convolution(6, f, stride=s, padding=p)], (n, n, 3))
    assert plan.shapes[-1] == (expected, expected, 6)
    assert plan.size == 6 * 3 * f * f + 6


def test_lenet_as_it_is_drawn():
    plan = Plan.of(
        [Convolution(6, 5, padding=2, activation="sigmoid"), Pooling(2, "average"), Convolution(16, 5), Pooling(2),
         Flatten(), Dense(120), Dense(84), Dense(10)],
        (28, 28, 1),
    )  # fmt: skip
    assert plan.shapes[1:6] == ((28, 28, 6), (14, 14, 6), (10, 10, 16), (5, 5, 16), (400,))
    assert plan.size == 61_706
    assert str(plan).splitlines()[-1].split() == ["total", "61,706"]


def test_starts_have_the_variance_they_name():
    for start, variance in (
        (GlorotUniform(), 2 / 700), (GlorotNormal(), 2 / 700), (HeUniform(), 2 / 400), (HeNormal(), 2 / 400)
    ):  # fmt: skip
        begun = Plan.of([Dense(300, start=start)], (400,)).begun(np.random.default_rng(0))[: 300 * 400]
        assert np.var(begun) == pytest.approx(variance, rel=0.02)
        if "Uniform" in type(start).__name__:
            assert np.abs(begun).max() <= np.sqrt(3 * variance)


def test_schedules():
    assert [StepDecay(2, 0.1).factor(e, 9) for e in (0, 1, 2, 4)] == pytest.approx([1, 1, 0.1, 0.01])
    assert ExponentialDecay(0.5).factor(3, 9) == 0.125
    assert InverseTime(1.0).factor(3, 9) == 0.25
    assert Cosine(0.2).factor(5, 10) == pytest.approx(0.6)
    assert Cosine().factor(10, 10) == 1.0  # and anew
    model = sf.NeuralClassifier(schedule="cosine", max_iter=4, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.history_.metric("rate"), [Cosine().factor(e, 4) * 1e-3 for e in range(4)])


# ---- rows ----


def test_images_in_three_shapes(digits, convolutional):
    images, y = digits
    assert convolutional.score(images, y) > 0.9
    wanted = convolutional.predict_proba(images)
    assert wanted.dtype == np.float32
    assert np.array_equal(convolutional.predict_proba(images[..., None]), wanted)
    assert np.array_equal(convolutional.predict_proba(images.reshape(600, -1)), wanted)
    assert np.array_equal(convolutional.predict_proba(list(images)), wanted)
    given = convolutional.get_params() | {"image_shape": (8, 8)}
    table = sf.NeuralClassifier(**given).fit(images.reshape(600, -1), y)
    assert np.array_equal(table.predict_proba(images), wanted)
    assert str(convolutional.plan_).count("8 × 8 × 8") == 2


def test_the_same_seed_gives_the_same_bits(digits, convolutional):
    import torch

    state = torch.random.get_rng_state()
    again = sf.NeuralClassifier(**convolutional.get_params()).fit(*digits)
    assert np.array_equal(again._theta, convolutional._theta)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_a_net_from_a_file_predicts_the_same(digits, convolutional, tmp_path):
    sf.save(convolutional, tmp_path / "net.sff")
    assert b"torch" not in (tmp_path / "net.sff").read_bytes()
    loaded = sf.load(tmp_path / "net.sff")
    assert np.array_equal(loaded.predict_proba(digits[0]), convolutional.predict_proba(digits[0]))


def test_mixed_tables_from_memory_and_from_a_file(tmp_path):
    pd = pytest.importorskip("pandas")
    n = 300
    kind = RNG.choice(["red", "green", "blue"], n)
    x = RNG.normal(size=n)
    frame = pd.DataFrame({"x": np.where(RNG.random(n) < 0.1, np.nan, x), "kind": kind, "y": (kind == "red") * 2.0 + x})
    frame.loc[5, "kind"] = None
    frame.to_csv(tmp_path / "rows.csv", index=False)
    rows = sf.scan(tmp_path / "rows.csv", target="y")
    for layers in ([Dense(8)], [Embedding(2), Dense(8)]):
        model = sf.NeuralRegressor(layers, learning_rate=0.03, max_iter=60, random_state=0, batch_size=64)
        near = model.fit(frame[["x", "kind"]], frame["y"])
        assert near.score(frame[["x", "kind"]], frame["y"]) > 0.8
        wanted = near.predict(frame[["x", "kind"]])
        np.testing.assert_allclose(model.fit(rows).predict(rows), wanted, rtol=1e-6, atol=1e-9)


def test_a_warm_start_knows_the_categories_of_the_fit_before():
    """Whatever order, or part, of them the new table has."""
    pd = pytest.importorskip("pandas")
    kind = RNG.choice(["red", "green", "blue"], 90)
    frame, y = pd.DataFrame({"kind": kind}), (kind == "red") * 3.0 - (kind == "blue")
    model = sf.NeuralRegressor([], learning_rate=0.1, warm_start=True, random_state=0).fit(frame, y)
    wanted = model.predict(frame)
    some = kind != "blue"
    model.set_params(learning_rate=1e-12).fit(frame[some][::-1], y[some][::-1])
    np.testing.assert_allclose(model.predict(frame), wanted, atol=1e-6)
    with pytest.raises(InvalidData, match="held text at the fit; give the columns as they were"):
        model.fit(pd.DataFrame({"kind": np.arange(90.0)}), y)


def test_rows_are_shuffled_in_a_window(monkeypatch):
    """Of more rows than a window holds, each comes once an epoch."""
    from suffice.data import as_source
    from suffice.models.neural import batches

    monkeypatch.setattr(batches, "_WINDOW", 40)
    rows = as_source(np.arange(95.0)[:, None], np.arange(95.0), needs=sf.NeuralRegressor()._fit_needs())
    pieces = type("Pieces", (type(rows),), {"in_memory": None, "chunks": lambda self: self._pieces()})
    pieces._pieces = lambda self: (rows.chunk.rows(first, min(first + 7, 95)) for first in range(0, 95, 7))
    source = pieces(rows.chunk, rows.schema, rows.needs)
    made = batches.Batches(source, lambda c: batches.Batch(c.X, c.y, None), 10, True, seed=3)
    first, second = ([batch.y for batch in made.epoch(number)] for number in (0, 1))
    for epoch in (first, second):
        assert sorted(np.concatenate(epoch)) == list(range(95))
        assert {len(batch) for batch in epoch[:-1]} == {10}
    assert not np.array_equal(first[0], second[0])
    assert np.concatenate(first[:4]).max() < 60  # from near the front


def test_augmentation(digits):
    images = digits[0][:5, :, :, None]
    rng = np.random.default_rng(0)
    assert {*map(float, Flip().of(images, rng).sum(axis=(1, 2, 3)))} == {*map(float, images.sum(axis=(1, 2, 3)))}
    moved = Shift(2).of(np.ones((50, 4, 4, 1)), rng)
    assert moved.sum(axis=(1, 2, 3)).min() == 4.0  # by two cells in both directions
    assert np.std(Noise(0.5).of(np.zeros((20, 8, 8, 1)), rng)) == pytest.approx(0.5, rel=0.1)
    assert changed(images.reshape(5, -1), (8, 8, 1), [Flip(vertical=True)], rng).shape == (5, 64)
    fits = [
        sf.NeuralClassifier([Flatten(), Dense(4)], augment=[Shift(1)], max_iter=2, random_state=0).fit(*digits)
        for _ in range(2)
    ]
    assert np.array_equal(fits[0]._theta, fits[1]._theta)
    with pytest.raises(InvalidParameter, match="augment changes images"):
        sf.NeuralClassifier(augment=[Shift(1)]).fit(X, Y)


# ---- training ----


def test_early_stopping_keeps_the_best_epoch():
    model = sf.NeuralClassifier(
        [Dense(64)], early_stopping=True, validation_fraction=0.3, learning_rate=0.05, max_iter=300, random_state=0
    ).fit(X + RNG.normal(size=X.shape), Y)
    held_out = model.history_.metric("held_out")
    assert model.history_.status == "converged"
    assert len(held_out) == np.argmin(held_out) + 1 + model.n_iter_no_change


def test_epoch_by_epoch():
    given = {"max_iter": 3, "random_state": 0, "batch_size": 32}
    whole = sf.NeuralClassifier([Dense(8)], **given).fit(X, Y)
    pieces = sf.NeuralClassifier([Dense(8)], **given)
    for _ in range(3):
        pieces.partial_fit(X, Y, classes=np.unique(Y))
    assert np.array_equal(pieces._theta, whole._theta)
    warm = sf.NeuralClassifier([Dense(8)], **{**given, "max_iter": 1}, warm_start=True)
    for _ in range(3):
        warm.fit(X, Y)
    assert np.array_equal(warm._theta, whole._theta)


def test_an_epoch_more_is_of_the_same_net():
    model = sf.NeuralRegressor([Dense(3)], random_state=0).partial_fit(X, X[:, 0])
    with pytest.raises(InvalidParameter, match="layers have 27 parameters, and the net so far has 19"):
        model.set_params(layers=[Dense(4), Dense(1)]).partial_fit(X, X[:, 0])
    assert [w.shape for w in model.coefs_] == [(4, 3), (3, 1)]


def test_full_batches_count_weights_as_repetition():
    weight = RNG.integers(0, 3, 150)
    again = np.repeat(np.arange(150), weight)
    given = {"batch_size": 1000, "max_iter": 20, "random_state": 0}
    one = sf.NeuralClassifier([Dense(8, "tanh")], **given).fit(X, Y, sample_weight=weight)
    other = sf.NeuralClassifier([Dense(8, "tanh")], **given).fit(X[again], Y[again])
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-6)


def test_class_costs_and_smoothed_labels():
    flowers = Y != "setosa"
    plain = sf.NeuralClassifier([Dense(4)], max_iter=60, learning_rate=0.02, random_state=0)
    dear = sf.NeuralClassifier(**plain.get_params()).set_params(class_weight={"virginica": 20.0})
    found = [np.sum(m.fit(X[flowers], Y[flowers]).predict(X[flowers]) == "virginica") for m in (plain, dear)]
    assert found[1] > found[0]
    smooth = sf.NeuralClassifier(**plain.get_params()).set_params(label_smoothing=0.3, max_iter=400).fit(X, Y)
    assert smooth.predict_proba(X).max() < 0.97


FIT = """
import os, signal, sys
import suffice as sf
from suffice.layers import BatchNorm, Dense, Dropout
from suffice.observing import Observer, observe

def fitted(path):
    iris = sf.datasets.load("iris")
    model = sf.NeuralClassifier([Dense(8), BatchNorm(), Dropout(0.3)], max_iter=8, batch_size=40, random_state=0)
    with sf.threads(1), sf.checkpoint(path, seconds=0):
        return model.fit(iris.matrix(), iris["species"])

class Killer(Observer):
    def iteration_done(self, done, snapshot):
        if done.number == 5:
            os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    with observe(Killer()):
        fitted(sys.argv[1])
"""


def test_killed_fits_go_on(tmp_path):
    """After kill −9 the same code goes on from its checkpoint, to the same bits."""
    killed = subprocess.run([sys.executable, "-c", FIT, tmp_path / "a.sff"], check=False)
    assert killed.returncode == -signal.SIGKILL
    names = {}
    exec(compile(FIT, "fit.py", "exec"), names)
    again, whole = names["fitted"](tmp_path / "a.sff"), names["fitted"](tmp_path / "b.sff")
    assert again.history_.seconds[3] != whole.history_.seconds[3]  # it was not begun anew
    assert len(again.history_) == 8
    assert np.array_equal(again._theta, whole._theta)
