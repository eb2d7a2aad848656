"""Fitted nets: answers block by block, copies, parameters that are changed, epochs one by one."""

import copy
import pickle

import numpy as np
import pytest

import suffice as sf
from suffice.layers import BatchNorm, Dense, Dropout, LeakyReLU
from suffice.models.neural import fused

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = X @ [1.0, 2.0, 3.0, 4.0]
LAYERS = {
    "numpy": [Dense(6), Dense(5, LeakyReLU(0.1)), Dense(4, "tanh")],
    "torch": [Dense(6), BatchNorm(), Dropout(0.2)],
}


@pytest.fixture(params=LAYERS)
def net(request):
    return sf.NeuralRegressor(LAYERS[request.param], max_iter=2, batch_size=20, random_state=0).fit(X, Y)


def changed(model):
    before = model.predict(X)
    for values in model.parameters_.values():
        values *= -3
    return not np.array_equal(model.predict(X), before)


def test_parameters_are_views_wherever_the_net_went(net, tmp_path):
    wanted, _ = net.predict(X), net.parameters_
    sf.save(net, tmp_path / "net.sff")
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net)), sf.load(tmp_path / "net.sff")):
        assert np.array_equal(other.predict(X), wanted)
        assert changed(other)
    assert np.array_equal(net.predict(X), wanted)
    assert changed(net)


def test_a_new_fit_is_what_predicts(net):
    before = net.predict(X)
    assert not np.array_equal(net.set_params(max_iter=3).fit(X, Y).predict(X), before)


def test_blocks_and_threads_change_nothing(monkeypatch):
    rows = RNG.normal(size=(3000, 4))
    model = sf.NeuralRegressor(LAYERS["numpy"], max_iter=1, random_state=0).fit(X, Y)
    wanted = model.predict(rows)
    monkeypatch.setattr(fused, "_CELLS", 64 * 6)  # blocks of the least height
    found = []
    for n in (1, 2, 3):
        with sf.threads(n):
            found.append(copy.deepcopy(model).predict(rows))
    assert all(np.array_equal(one, found[0]) for one in found)
    np.testing.assert_allclose(found[0], wanted, rtol=1e-12)
    assert np.array_equal(model.predict(np.asfortranarray(rows)), wanted)


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
@pytest.mark.parametrize("cls", [sf.NeuralRegressor, sf.Autoencoder, sf.VariationalAutoencoder, sf.GAN])
def test_epochs_one_by_one_are_a_fit(cls, schedule):
    """Also of a schedule that ends with the last epoch: it is made for `max_iter` of them, not for the one."""
    y = Y if cls is sf.NeuralRegressor else None
    given = {"layers": [Dense(4)], "batch_size": 20, "max_iter": 4, "schedule": schedule, "random_state": 0}
    whole, pieces = cls(**given).fit(X, y), cls(**given)
    for _ in range(4):
        pieces.partial_fit(X, y)
    assert np.array_equal(pieces._theta, whole._theta)
    again = whole.set_params(warm_start=True).fit(X, y)
    assert not np.array_equal(again._theta, pieces._theta)


@pytest.mark.parametrize("cls", [sf.VariationalAutoencoder, sf.GAN])
def test_dropout_in_the_second_net_alone_follows_the_seed(cls):
    torch = pytest.importorskip("torch")
    second = {"decoder" if cls is sf.VariationalAutoencoder else "discriminator": [Dense(4), Dropout(0.5)]}
    state, fits = torch.random.get_rng_state(), []
    for seed in (1, 2):
        torch.manual_seed(seed)
        fits.append(cls([Dense(4)], **second, max_iter=2, random_state=0).fit(X)._theta)
    torch.random.set_rng_state(state)
    assert np.array_equal(*fits)


def test_a_critic_on_whatever_device_there_is():
    pytest.importorskip("torch")
    given = {"layers": [Dense(3)], "discriminator": [Dense(3)], "game": "wasserstein", "max_iter": 2, "random_state": 0}
    found = [sf.GAN(**given, device=device).fit(X).sample(3) for device in ("cpu", "cpu:0")]
    assert np.array_equal(*found)
    assert np.isfinite(sf.GAN(**given, device="auto").fit(X).sample(3)).all()


def test_rows_of_no_weight_leave_whole_batches(tmp_path):
    """A file whose last window has one row that counts: batch normalisation still gets two."""
    rows = np.column_stack([X, Y, np.ones(60)])
    rows[:59:2, 5] = 0
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="a,b,c,d,y,w", comments="")
    model = sf.NeuralRegressor([Dense(3), BatchNorm()], batch_size=29, max_iter=2, random_state=0)
    near = model.fit(X, Y, sample_weight=rows[:, 5])._theta
    far = model.fit(sf.scan(tmp_path / "rows.csv", target="y", weight="w"))._theta
    np.testing.assert_allclose(far, near, rtol=1e-9)
