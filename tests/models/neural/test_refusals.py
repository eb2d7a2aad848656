"""What nets refuse, and what becomes of fits that cannot go on."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import suffice as sf
from suffice.errors import Diverged, InvalidData, InvalidParameter, MemoryNeeded
from suffice.layers import BatchNorm, Convolution, Dense, Embedding, Flatten, Given, Pooling
from suffice.optimizers import SGD

RNG = np.random.default_rng(0)
IRIS = sf.datasets.load("iris")
X, Y = IRIS.matrix(), IRIS["species"]
IMAGES = RNG.normal(size=(20, 6, 6))
QUICK = {"max_iter": 2, "random_state": 0}


@pytest.fixture(scope="module")
def seen():
    return sf.NeuralClassifier([Convolution(2, 3), Flatten()], **QUICK).fit(IMAGES, np.arange(20) % 2)


@pytest.mark.parametrize(
    ("layers", "shape", "words"),
    [
        ([Dense(4), Convolution(3)], (4,), "layer 2, Convolution needs images.*got 4. Give X as"),
        ([Convolution(3), Dense(4)], (8, 8, 1), "layer 2, Dense needs a vector; got 6 × 6 × 3. Put Flatten"),
        (
            [Pooling(4), Convolution(2, 3)],
            (8, 8, 1),
            "layer 2, Convolution has a window of 3 × 3, larger than the image of 2",
        ),
        ([Dense(4), Embedding()], (4,), "layer 2, Embedding, must be the first"),
    ],
)
def test_layers_that_do_not_fit(layers, shape, words):
    with pytest.raises(InvalidParameter, match=words):
        sf.NeuralRegressor(layers).fit(RNG.normal(size=(20, *shape)), np.arange(20.0))


def of_weight(weight):
    return sf.NeuralRegressor([Dense(3, start=Given(weight, np.zeros(3)))]).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: Dense(0), "Dense: units must be an integer, at least 1; got 0"),
        (lambda: Dense(10**12), "Dense: units must be an integer, below 2,147,483,648; got 10{12}"),
        (lambda: Dense(3, "reluu"), "activation must be an activation, or one of .*; got 'reluu'. Did you mean 'relu'"),
        (lambda: of_weight(np.full((3, 4), np.nan)), r"finite numbers of shape \(3, 4\); got NaN or infinity"),
        (lambda: of_weight(np.zeros((4, 3))), r"finite numbers of shape \(3, 4\); got shape \(4, 3\)"),
    ],
)
def test_layers_that_cannot_be(made, words):
    with pytest.raises(InvalidParameter, match=words):
        made()


def test_bad_input():
    with pytest.raises(InvalidData, match=r"BatchNorm, needs at least 2 rows in a batch; got 1"):
        sf.NeuralClassifier([Dense(3), BatchNorm()], batch_size=1).fit(X, Y)
    with pytest.raises(InvalidData, match=r"images must be of one size; .*image 1 has \(4, 4\)"):
        sf.NeuralRegressor().fit([np.zeros((3, 3)), np.zeros((4, 4))], [1.0, 2.0])
    with pytest.raises(InvalidParameter, match="device 'nowhere' is not there"):
        sf.NeuralClassifier([Dense(3)], device="nowhere").fit(X, Y)
    with pytest.raises(InvalidParameter, match="device 'meta' is not there"):
        sf.NeuralClassifier([Dense(3), BatchNorm()], device="meta").fit(X, Y)
    with pytest.raises(MemoryNeeded, match="the layers have 8,589,934,595 parameters, which would take 384 GiB"):
        sf.NeuralClassifier([Dense(2**30)]).fit(X, Y)
    with pytest.raises(MemoryNeeded, match="what the layers give for a batch of 150 rows would take"):
        sf.NeuralClassifier([Convolution(2**20, 1), Pooling(64), Flatten()], image_shape=(64, 64)).fit(
            np.zeros((150, 4096)), Y
        )
    with pytest.raises(InvalidParameter, match=r"image_shape=\(3, 3\) has 9 cells, but X has 4 columns"):
        sf.NeuralClassifier(image_shape=(3, 3)).fit(X, Y)
    with pytest.raises(InvalidParameter, match="layers must be a list of layers, or a torch"):
        sf.NeuralClassifier([64]).fit(X, Y)
    with pytest.raises(InvalidParameter, match="units must be an integer, at least 1; got 0"):
        Dense(0)
    with pytest.raises(InvalidParameter, match="activation must be"):
        Dense(3, "relo")
    with pytest.raises(InvalidParameter, match="nesterov=True needs a momentum above 0"):
        SGD(0.1, nesterov=True)
    with pytest.raises(InvalidParameter, match="nesterov must be True or False; got 'yes'"):
        SGD(0.1, 0.9, nesterov="yes")
    with pytest.raises(NotFittedError):
        _ = sf.GAN().plan_


def test_images_of_the_fit(seen):
    with pytest.raises(
        InvalidData, match=r"X has images of shape \(5, 6, 1\), but the fit had images of shape \(6, 6, 1"
    ):
        seen.predict(IMAGES[:, 1:])
    with pytest.raises(InvalidData, match="X has no rows"):
        seen.predict(IMAGES[:0])
    with pytest.raises(InvalidData, match=r"column 0, row 0 holds NaN"):
        seen.predict(np.where(IMAGES[0, 0, 0] == IMAGES, np.nan, IMAGES))
    with pytest.raises(InvalidData, match="X has 5 dimensions; give a table"):
        seen.predict(IMAGES[..., None, None])
    with pytest.raises(InvalidData, match="an image must have rows of one length"):
        seen.predict([[[1.0, 2.0], [3.0]]])
    assert np.array_equal(seen.predict_proba(IMAGES.tolist()), seen.predict_proba(IMAGES))


def test_rows_held_out_must_count():
    with pytest.raises(InvalidData, match="early_stopping needs rows that weigh something"):
        sf.NeuralRegressor(early_stopping=True).fit(X, X[:, 0], sample_weight=np.arange(150) == 0)
    with np.errstate(over="ignore"), pytest.raises(InvalidData, match="the sum of the weights overflows"):
        sf.NeuralClassifier(class_weight=dict.fromkeys(np.unique(Y), 1e308)).fit(X, Y)


def test_nets_that_draw():
    model = sf.VariationalAutoencoder([Dense(3)], **QUICK).fit(X)
    for given, words in (({"X": X[:, :2]}, "X has 2 columns"), ({"X": X, "modes": X[:, :3]}, "modes has 3 columns")):
        with pytest.raises(InvalidData, match=f"{words}; rows that are drawn have 4"):
            model.diagnose(**given)
    with pytest.raises(InvalidData, match="row 1 of the codes holds NaN"):
        model.inverse_transform([[0.0, 1.0], [np.nan, 0.0]])


def test_a_batch_of_one_joins_the_one_before():
    model = sf.NeuralClassifier([Dense(3), BatchNorm()], batch_size=149, max_iter=2, random_state=0).fit(X, Y)
    assert np.isfinite(model.history_.objective).all()


def test_a_loss_that_is_no_number_ends_the_fit():
    wild = sf.NeuralRegressor([Dense(8)] * 3, optimizer=SGD(1e4), max_iter=20, random_state=0)
    with pytest.warns(Diverged, match="the loss is no finite number in epoch .*; the last good parameters are kept"):
        wild.fit(X, X[:, 0])
    assert wild.history_.status == "diverged"
    assert np.isfinite(wild.predict(X)).all()


@pytest.mark.parametrize("given", [{"optimizer": SGD(1e300)}, {"loss": "poisson", "learning_rate": 1e3}])
def test_parameters_that_have_burst_are_no_last_good_ones(given):
    """One step throws them so far that their own loss overflows, though that of the epoch, before it, did not."""
    wild = sf.NeuralRegressor([Dense(5)], max_iter=5, random_state=0, **given)
    with pytest.warns(Diverged, match="in epoch 1"):
        wild.fit(X, X[:, 0])
    assert np.isfinite(wild.predict(X)).all()
    assert np.isfinite(wild.mean_loss(X, X[:, 0]))


def test_suffice_does_not_import_pytorch():
    code = (
        "import suffice as sf, sys; iris = sf.datasets.load('iris'); from suffice.layers import Dense; "
        "sf.NeuralClassifier([Dense(3)], max_iter=2).fit(iris.matrix(), iris['species']).predict(iris.matrix()); "
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
