"""Files are written whole or not at all."""

import io
import threading
from functools import partial

import numpy as np
import pytest

import suffice as sf


def test_many_threads_may_save_to_one_path(tmp_path):
    path = tmp_path / "model.sff"
    models = [sf.KMeans(k + 1, random_state=0).fit(np.arange(200.0).reshape(100, 2)) for k in range(8)]
    threads = [threading.Thread(target=partial(_save_often, model, path)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sf.load(path).n_clusters in range(1, 9)
    assert list(tmp_path.iterdir()) == [path]


def _save_often(model, path):
    for _ in range(5):
        sf.save(model, path)
        sf.load(path)  # somebody's, but whole


def test_a_full_disk_leaves_the_old_file(saved, monkeypatch):
    class Full(io.BytesIO):
        def write(self, content):
            raise OSError(28, "No space left on device")

        def fileno(self):
            raise AssertionError("it is never flushed")

    before = saved.read_bytes()
    monkeypatch.setattr("suffice.replacing.open", lambda *_: Full(), raising=False)
    with pytest.raises(OSError, match="No space left"):
        sf.save(sf.KMeans(3), saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]
