"""Films of nets: regions, hidden units and losses are the net's own."""

import numpy as np
import pytest

import suffice as sf
from suffice.layers import Convolution, Dense, Flatten

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2)) * [1.0, 50.0]
Y = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a", "b"), "c")


def filmed(model, X, y):
    with sf.recording() as trace:
        model.fit(X, y)
    return sf.player(trace, X if np.ndim(X) == 2 else None).films[0]


@pytest.mark.parametrize("classes", [Y, Y == "a"], ids=["three", "two"])
def test_regions_are_predictions(classes):
    model = sf.NeuralClassifier([Dense(5, "tanh"), Dense(4)], max_iter=15, learning_rate=0.05, random_state=0)
    film = filmed(model, X, classes)
    assert (film["kind"], film["turn"], len(film["frames"])) == ("net", "epoch", 15)
    across, up = map(np.array, film["cuts"])
    frame = film["frames"][-1]
    assert len(frame["region"]) == len(up) + 1
    middles = [(borders[1:] + borders[:-1]) / 2 for borders in (across, up)]
    places = np.column_stack([np.tile(middles[0], len(middles[1])), np.repeat(middles[1], len(middles[0]))])
    found = np.array([list(row[1:-1]) for row in frame["region"][1:-1]]).ravel().astype(int)
    assert np.array_equal(model.classes_[found], model.predict(places))
    assert [len(frame["tiles"]), len(frame["lines"])] == [4, 5]
    a, b, c = np.array(frame["lines"]).T
    z = model._inputs(X) @ model.parameters_["1.weight"].T + model.parameters_["1.bias"]
    np.testing.assert_allclose(X @ np.array([a, b]) + c, z, atol=2e-3)


def test_losses_of_both_kinds_of_rows():
    film = filmed(sf.NeuralClassifier([Dense(4)], early_stopping=True, max_iter=4, random_state=0), X, Y)
    assert [curve["name"] for curve in film["curves"]] == ["loss of the rows", "loss of rows held out"]
    assert "loss of rows held out" in film["frames"][0]["said"]
    assert len(film["labels"]) == 60


def test_filters_of_a_convolution():
    images = RNG.normal(size=(20, 5, 5))
    film = filmed(
        sf.NeuralRegressor([Convolution(3, 2), Flatten()], max_iter=3, random_state=0), images, images[:, 0, 0]
    )
    assert (film["kind"], film["tiled"]) == ("curve", "filters of the first layer")
    assert [len(tile) for tile in film["frames"][0]["tiles"]] == [2, 2, 2]


def test_images_are_shown_as_they_were_fitted():
    images = RNG.normal(size=(20, 5, 5))
    with sf.recording() as trace:
        sf.NeuralRegressor([Convolution(3, 2), Flatten()], max_iter=2, random_state=0).fit(images, images[:, 0, 0])
    flat, stacked = (sf.player(trace, X).films[0] for X in (images.reshape(20, 25), images))
    assert flat == stacked
    assert stacked["frames"][0]["tiles"]
