"""The same nets as loops written by hand in PyTorch, from the same starts and with the same batches."""

import numpy as np
import pytest

import suffice as sf
from suffice.contracts.net_gradients import gradients_are_derivatives
from suffice.errors import InvalidData, InvalidParameter
from suffice.layers import BatchNorm, Convolution, Dense, Dropout, Flatten, Given, Pooling
from suffice.optimizers import SGD, Adam

torch = pytest.importorskip("torch")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
CODES = RNG.integers(0, 3, 90)
WEIGHTS = RNG.uniform(0.5, 2.0, 90)
STARTS = [RNG.normal(size=shape) / 2 for shape in ((7, 4), (7,), (3, 7), (3,))]
OPTIMIZERS = {
    "sgd": (SGD(0.1), lambda p: torch.optim.SGD(p, 0.1)),
    "momentum": (SGD(0.05, 0.9), lambda p: torch.optim.SGD(p, 0.05, momentum=0.9)),
    "nesterov": (SGD(0.05, 0.9, nesterov=True), lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, nesterov=True)),
    "adam": (Adam(0.01), lambda p: torch.optim.Adam(p, 0.01)),
}


def by_hand(net, make, X, loss, epochs, size):
    """Batches in order; the parameters afterwards, one after another."""
    optimizer = make(net.parameters())
    for _ in range(epochs):
        for first in range(0, len(X), size):
            optimizer.zero_grad()
            loss(net, slice(first, first + size)).backward()
            optimizer.step()
    return torch.cat([p.detach().ravel() for p in net.parameters()]).numpy()


def started(net, values):
    net.double()
    with torch.no_grad():
        for p, value in zip(net.parameters(), values, strict=True):
            p.copy_(torch.from_numpy(np.asarray(value)))
    return net


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("hidden", [[], [Dropout(0.0)]], ids=["numpy", "torch"])
def test_dense_nets(name, hidden):
    ours, make = OPTIMIZERS[name]
    layers = [Dense(7, "tanh", Given(*STARTS[:2])), *hidden]
    module = torch.nn.Sequential(torch.nn.Linear(4, 7), torch.nn.Tanh(), torch.nn.Linear(7, 3))
    rows, codes, weight = map(torch.from_numpy, (X, CODES, WEIGHTS))
    model = sf.NeuralClassifier(
        layers, optimizer=ours, standardize=False, shuffle=False, batch_size=32, max_iter=6, random_state=0
    )
    begun = sf.NeuralClassifier(layers, standardize=False, optimizer=SGD(1e-300), max_iter=1, random_state=0)
    last = [begun.fit(X, CODES).parameters_[f"{len(layers) + 1}.{part}"] for part in ("weight", "bias")]
    started(module, [*STARTS[:2], *last])

    def loss(net, at):
        each = torch.nn.functional.cross_entropy(net(rows[at]), codes[at], reduction="none")
        return (each * weight[at]).mean() / weight.mean()

    theirs = by_hand(module, make, rows, loss, 6, 32)
    model.fit(X, CODES, sample_weight=WEIGHTS)
    np.testing.assert_allclose(
        np.concatenate([v.ravel() for v in model.parameters_.values()]), theirs, rtol=1e-6, atol=1e-9
    )


def test_a_convolutional_net():
    images, y = RNG.normal(size=(40, 8, 8, 2)), RNG.normal(size=40)
    layers = [Convolution(4, 3, stride=1, padding=1), BatchNorm(), Pooling(2), Flatten(), Dense(5)]
    settings = {"standardize": False, "shuffle": False, "random_state": 0}
    begun = sf.NeuralRegressor(layers, optimizer=SGD(1e-300), max_iter=1, **settings).fit(images, y)
    nn = torch.nn
    net = started(
        nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.BatchNorm2d(4), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(64, 5), nn.ReLU(), nn.Linear(5, 1),
        ),
        begun.parameters_.values(),
    )  # fmt: skip
    rows, target = torch.from_numpy(images).permute(0, 3, 1, 2), torch.from_numpy(y)[:, None]
    theirs = by_hand(
        net, lambda p: torch.optim.Adam(p, 0.01, weight_decay=0.0), rows,
        lambda net, at: 0.5 * ((net(rows[at]) - target[at]) ** 2).mean(), 5, 16,
    )  # fmt: skip
    model = sf.NeuralRegressor(layers, optimizer=Adam(0.01), batch_size=16, max_iter=5, **settings).fit(images, y)
    np.testing.assert_allclose(
        np.concatenate([v.ravel() for v in model.parameters_.values()]), theirs, rtol=1e-6, atol=1e-8
    )
    net.eval()
    with torch.no_grad():
        np.testing.assert_allclose(model.predict(images), net(rows)[:, 0].numpy(), rtol=1e-6, atol=1e-8)


def test_weight_decay_is_of_weights_alone():
    start = Given(STARTS[0], STARTS[1])
    given = {"standardize": False, "optimizer": SGD(0.1), "max_iter": 1, "random_state": 0, "batch_size": 90}
    plain, decayed = (sf.NeuralClassifier([Dense(7, "tanh", start)], weight_decay=d, **given) for d in (0.0, 0.5))
    for model in (plain, decayed):
        model.fit(X, CODES)
    gap = decayed.parameters_["1.weight"] - plain.parameters_["1.weight"]
    np.testing.assert_allclose(gap, -0.1 * 0.5 * STARTS[0])
    np.testing.assert_allclose(decayed.parameters_["1.bias"], plain.parameters_["1.bias"])


class Skip(torch.nn.Module):
    """A module of a user's: two layers with a way around them."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.out = torch.nn.Linear(4, 6), torch.nn.Linear(6, 4), torch.nn.Linear(4, 3)
        self.drop = torch.nn.Dropout(0.3)

    def forward(self, x):
        return self.out(x + self.second(self.drop(torch.relu(self.first(x)))))


def test_a_module_of_the_users(tmp_path):
    torch.manual_seed(1)
    module = Skip()
    before = module.first.weight.clone()
    state = torch.random.get_rng_state()
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3], axis=1)]
    model = sf.NeuralClassifier(module, learning_rate=0.02, max_iter=60, random_state=0).fit(X, y)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(module.first.weight, before)  # a copy was trained
    assert model.score(X, y) > 0.9
    again = sf.NeuralClassifier(module, learning_rate=0.02, max_iter=60, random_state=0).fit(X, y)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="which a model file cannot hold"):
        sf.save(model, tmp_path / "net.sff")
    with pytest.raises(ValueError, match="must give 2 numbers a row; it gives shape"):
        sf.NeuralRegressor(Skip()).fit(X, X[:, :2])
    with pytest.raises(ValueError, match="the module cannot use rows of shape"):
        sf.NeuralClassifier(Skip()).fit(X[:, :3], y)


def test_a_module_tells_its_parameters():
    nn = torch.nn
    module = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))
    module[0].bias.requires_grad_(False)
    model = sf.NeuralClassifier(module, max_iter=3, random_state=0).fit(X, CODES)
    assert {name: values.shape for name, values in model.parameters_.items()} == {
        "0.weight": (5, 4), "2.weight": (3, 5), "2.bias": (3,)
    }  # fmt: skip
    assert str(model.plan_).splitlines()[-1].split() == ["total", "38"]
    assert {"weight_norm_0", "gradient_norm_2"} <= model.history_.iterations[-1].metrics.keys()
    gradients_are_derivatives(model, X, CODES, WEIGHTS)


def test_a_fit_of_a_module_goes_on_from_its_checkpoint(tmp_path):
    module = Skip()
    fits = []
    for _ in range(2):
        with sf.checkpoint(tmp_path / "a.sff", seconds=0):
            fits.append(sf.NeuralClassifier(module, max_iter=3, random_state=0).fit(X, CODES))
    one, other = fits
    assert np.array_equal(one._theta, other._theta)
    assert one.history_.seconds.tolist() == other.history_.seconds.tolist()  # it was not made again


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (torch.nn.Linear(4, 3).requires_grad_(False), "has no parameters that are learned"),
        (torch.nn.LazyLinear(3), "does not know the shape of weight yet"),
        (type("Pair", (Skip,), {"forward": lambda self, x: (x, x)})(), "the module cannot use rows of shape"),
    ],
)
def test_modules_that_cannot_be_learned(module, words):
    with pytest.raises(InvalidParameter, match=words):
        sf.NeuralClassifier(module).fit(X, CODES)


def test_batch_normalisation_of_a_module_gets_no_batch_of_one():
    nn = torch.nn
    module = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 3))
    sf.NeuralClassifier(module, batch_size=89, max_iter=2, random_state=0).fit(X, CODES)
    with pytest.raises(InvalidData, match="the module's batch normalisation needs at least 2 rows in a batch; got 1"):
        sf.NeuralClassifier(module, batch_size=1).fit(X, CODES)
