"""Checkpoints: fits that are ended from outside go on where they were."""

import dataclasses
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import suffice as sf
from suffice.checkpoints import Checkpoint
from suffice.contracts.resuming import killed_after
from suffice.data import Chunk, as_source
from suffice.data.digest import RowsDigest, rows_digest
from suffice.errors import InvalidModelFile, InvalidParameter, TimeLimit
from suffice.observing import Observer, observe


class Outermost(Observer):
    """Sees the iterations of a fit, and not those of fits within it."""

    depth = 0

    def fit_started(self, name, params):
        self.depth += 1

    def fit_ended(self, status):
        self.depth -= 1

    def iteration_done(self, done, snapshot):
        if self.depth == 1:
            self.outer_round_done()


class Iterations(Outermost):
    """Counts iterations, and presses Ctrl-C after so many."""

    def __init__(self, last=None):
        self.seen, self.last = 0, last

    def outer_round_done(self):
        self.seen += 1
        if self.seen == self.last:
            raise KeyboardInterrupt


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(400, 3))


def fit_again(path, model, X):
    """Fit under a checkpoint; the model and how many iterations were done."""
    counted = Iterations()
    with sf.checkpoint(path), observe(counted):
        model.fit(X)
    return model, counted.seen


def kmeans():
    return sf.KMeans(6, n_init=3, tol=0, random_state=4)


def mixture():
    return sf.GaussianMixture(4, n_init=2, max_iter=1000, random_state=4)


@pytest.mark.parametrize("make", [kmeans, mixture])
def test_ctrl_c_and_a_finished_checkpoint(make, X, tmp_path):
    path, whole = tmp_path / "fit.sff", make().fit(X)
    last = len(whole.history_) + 2
    with pytest.raises(KeyboardInterrupt), sf.checkpoint(path, seconds=1000), observe(Iterations(last)):
        make().fit(X)
    again, iterations = fit_again(path, make(), X)
    assert iterations > 0
    np.testing.assert_allclose(again.predict(X), whole.predict(X))
    np.testing.assert_allclose(again.history_.finals, whole.history_.finals, rtol=1e-12)
    at_once, iterations = fit_again(path, make(), X)
    assert iterations == 0
    assert at_once.history_ == again.history_
    np.testing.assert_array_equal(at_once.predict(X), again.predict(X))


_CHILD = """
import sys, time
import numpy as np
import suffice as sf
from suffice.observing import Observer, observe

class Told(Observer):
    depth = 0

    def fit_started(self, name, params):
        self.depth += 1

    def fit_ended(self, status):
        self.depth -= 1

    def iteration_done(self, done, snapshot):
        if self.depth == 1:
            sys.stdout.write(f"{done.number}\\n")
            sys.stdout.flush()
            time.sleep(0.02)

X = np.random.default_rng(0).normal(size=(400, 3))
model = MODEL
with sf.checkpoint(sys.argv[1], seconds=0), observe(Told()):
    model.fit(X)
"""


@pytest.mark.parametrize(
    ("model", "make"),
    [
        ("sf.KMeans(6, n_init=3, tol=0, random_state=4)", kmeans),
        ("sf.GaussianMixture(4, n_init=2, max_iter=1000, random_state=4)", mixture),
    ],
)
def test_kill_9(model, make, X, tmp_path):
    path, code = tmp_path / "fit.sff", textwrap.dedent(_CHILD).replace("MODEL", model)
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    for _ in range(4):
        assert child.stdout.readline().strip().isdigit()
    child.kill()
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    assert sf.load(path).fits[0].loops[0].iterations
    again, iterations = fit_again(path, make(), X)
    whole = make().fit(X)
    assert 0 < iterations < sum_of_rounds(make, X) - 3
    np.testing.assert_array_equal(again.predict(X), whole.predict(X))
    np.testing.assert_allclose(again.history_.objective, whole.history_.objective, rtol=1e-12)


def sum_of_rounds(make, X):
    counted = Iterations()
    with observe(counted):
        make().fit(X)
    return counted.seen


def test_two_fits_in_a_block_and_models_inside_models(X, tmp_path):
    y, path = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)], tmp_path / "fits.sff"

    def both(last=None):
        with sf.checkpoint(path, seconds=0), observe(Iterations(last)):
            scaled = sf.StandardScaler().fit_transform(X)
            return sf.KMeans(5, random_state=0).fit(scaled), sf.MixtureBayes(2, random_state=0).fit(scaled, y)

    with pytest.raises(KeyboardInterrupt):
        both(3)
    centres, classes = both()
    assert [fit.name for fit in sf.load(path).fits] == ["KMeans", "MixtureBayes"]
    assert len(sf.load(path).fits[1].loops) == 2
    scaled = sf.StandardScaler().fit_transform(X)
    np.testing.assert_array_equal(centres.labels_, sf.KMeans(5, random_state=0).fit(scaled).labels_)
    whole = sf.MixtureBayes(2, random_state=0).fit(scaled, y)
    np.testing.assert_array_equal(classes.predict_proba(scaled), whole.predict_proba(scaled))


def test_a_seedless_fit_goes_on_with_its_generator(X, tmp_path):
    path = tmp_path / "fit.sff"
    assert killed_after(8, path, sf.MiniBatchKMeans(3, batch_size=20), X)
    kept = sf.load(path).fits[0].loops[0]
    _, iterations = fit_again(path, sf.MiniBatchKMeans(3, batch_size=20), X)
    assert len(kept.iterations) == 8
    assert kept.rng is not None
    assert iterations > 0


class Late(Outermost):
    """Runs out of time after each round."""

    def outer_round_done(self):
        raise TimeLimit("the time is over")


def test_a_time_limit_is_no_end(X, tmp_path):
    iterations = -1
    for _ in range(1000):
        iterations += 1
        with sf.checkpoint(tmp_path / "fit.sff", seconds=1000), observe(Late()):
            model = mixture().fit(X)
        if model.history_.status != "time_limit":
            break
    assert iterations == sum_of_rounds(mixture, X)
    np.testing.assert_array_equal(model.history_.objective, mixture().fit(X).history_.objective)


def test_from_files(X, tmp_path):
    lines = "\n".join(",".join(map(repr, row)) for row in X.tolist())
    (tmp_path / "rows.csv").write_text(f"a,b,c\n{lines}\n")
    rows = sf.scan(tmp_path / "rows.csv")
    assert killed_after(3, tmp_path / "fit.sff", mixture(), rows)
    again, _ = fit_again(tmp_path / "fit.sff", mixture(), rows)
    np.testing.assert_array_equal(again.means_, mixture().fit(rows).means_)


def test_distributions(tmp_path):
    counts = np.random.default_rng(0).poisson(4, (200, 1)).astype(float)
    family = sf.distributions.Mixture("poisson", 2)
    with sf.checkpoint(tmp_path / "fit.sff"):
        found = family.fit(counts)
    assert sf.load(tmp_path / "fit.sff").fits[0].name == "Mixture"
    with sf.checkpoint(tmp_path / "fit.sff"):
        np.testing.assert_array_equal(family.fit(counts).weights, found.weights)


@pytest.mark.parametrize(
    ("model", "change", "words"),
    [
        (sf.KMeans(5, random_state=4), 0.0, "other parameters"),
        (sf.KMeans(6, n_init=3, tol=0, random_state=4), 1e-9, "other data"),
        (sf.MiniBatchKMeans(6, random_state=4), 0.0, "another model, KMeans"),
    ],
)
def test_another_fit_is_refused(model, change, words, X, tmp_path):
    path = tmp_path / "fit.sff"
    assert killed_after(2, path, kmeans(), X)
    before = path.read_bytes()
    with pytest.raises(InvalidParameter, match=words), sf.checkpoint(path):
        model.fit(X + change)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"my diary", None])
def test_a_foreign_file_is_refused_and_left(content, X, tmp_path):
    path = tmp_path / "fit.sff"
    if content is None:
        sf.save(sf.KMeans(2, random_state=0).fit(X), path)
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    words = r"checkpoint: .* is no checkpoint .* left as it is"
    with pytest.raises(InvalidModelFile, match=words), sf.checkpoint(path):
        raise AssertionError
    assert path.read_bytes() == before


def test_every_damaged_file_is_refused(X, tmp_path):
    path = tmp_path / "fit.sff"
    assert killed_after(2, path, kmeans(), X)
    whole = path.read_bytes()
    for at in range(0, len(whole), 211):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        try:
            with sf.checkpoint(path):
                kmeans().fit(X)
        except (InvalidModelFile, InvalidParameter):
            pass


def test_a_state_of_another_shape_is_refused(X, tmp_path):
    path = tmp_path / "fit.sff"
    assert killed_after(2, path, kmeans(), X)
    fit = sf.load(path).fits[0]
    loop = dataclasses.replace(fit.loops[0], state=np.zeros((6, 30)))
    sf.save(Checkpoint((dataclasses.replace(fit, loops=(loop,)),)), path)
    with pytest.raises(InvalidModelFile, match="must have a length of 3"), sf.checkpoint(path):
        kmeans().fit(X)


def test_where_nothing_can_be_written_is_said_at_once(tmp_path):
    with pytest.raises(OSError, match="nowhere"), sf.checkpoint(tmp_path / "nowhere" / "fit.sff"):
        raise AssertionError
    with pytest.raises(InvalidParameter, match="seconds"), sf.checkpoint(tmp_path / "fit.sff", seconds=-1):
        raise AssertionError


def test_how_often(X, tmp_path):
    for every, expected in ((1, 5), (2, 4), (1000, 0)):
        path = tmp_path / f"{every}.sff"
        reads = Reads(path, 5)
        with pytest.raises(KeyboardInterrupt), sf.checkpoint(path, seconds=0, iterations=every), observe(reads):
            kmeans().fit(X)
        assert reads.iterations == expected


class Reads(Observer):
    """Reads the checkpoint after each iteration, and presses Ctrl-C after the last."""

    def __init__(self, path, last):
        self.path, self.last, self.iterations = path, last, 0

    def iteration_done(self, done, snapshot):
        fits = sf.load(self.path).fits
        self.iterations = len(fits[0].loops[0].iterations) if fits and fits[0].loops else 0
        if done.number == self.last:
            raise KeyboardInterrupt


def test_the_digest_of_rows_does_not_depend_on_how_they_are_cut():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(50, 3)), np.array(["a", "b"])[rng.integers(0, 2, 50)], rng.random(50)
    whole = Chunk(X, y, w)
    for cut in (1, 17, 49):
        assert RowsDigest.of(whole.rows(0, cut)) + RowsDigest.of(whole.rows(cut, 50)) == RowsDigest.of(whole)
    others = [Chunk(X[::-1], y, w), Chunk(X, y[::-1], w), Chunk(X, y, w[::-1]), Chunk(X, y), Chunk(X, None, w)]
    others += [Chunk(X + np.spacing(X), y, w), Chunk(X[:, ::-1], y, w), whole.rows(0, 49)]
    found = {RowsDigest.of(chunk) for chunk in [whole, *others]}
    assert len(found) == len(others) + 1
    assert rows_digest(as_source(X)) != rows_digest(as_source(X, sample_weight=w))
