"""A small model file."""

import numpy as np
import pytest

import suffice as sf


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.sff"
    sf.save(sf.KMeans(2, random_state=0).fit(np.arange(12.0).reshape(6, 2)), path)
    return path
