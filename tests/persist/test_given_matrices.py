"""Models of a matrix of all pairs, with whichever parameter says that X is one, are saved and loaded."""

import dataclasses
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import suffice as sf
from suffice.errors import SufficeWarning
from suffice.models.registry import estimators

X = np.random.default_rng(0).normal(size=(24, 2))
APART = np.linalg.norm(X[:, None] - X, axis=2)
ALIKE = np.exp(-(APART**2))


def _given():
    """Every estimator and parameter with a choice that X is given in pairs."""
    for cls in estimators().values():
        for field in dataclasses.fields(cls):
            for choice in getattr(field.metadata.get("rule"), "choices", ()):
                if isinstance(choice, str) and choice.startswith("precomputed"):
                    yield pytest.param(cls, field.name, choice, id=f"{cls.__name__}-{field.name}-{choice}")


@pytest.mark.parametrize(("cls", "name", "choice"), list(_given()))
def test_is_saved_and_loaded(cls, name, choice, tmp_path):
    pairs = ALIKE if choice == "precomputed" and name in ("kernel", "affinity") else APART
    model = cls(**{name: choice})
    some = {"random_state": 0, "max_iter": 30}
    model.set_params(**{key: value for key, value in some.items() if key in model.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SufficeWarning)
        model.fit(pairs, np.arange(24) % 2)
    sf.save(model, tmp_path / "model.sff")
    again = sf.load(tmp_path / "model.sff")
    for method in ("predict", "transform"):
        if hasattr(model, method):
            assert_array_equal(getattr(again, method)(pairs), getattr(model, method)(pairs))


def test_they_are_found():
    assert {param.values[0].__name__ for param in _given()} >= {"MDS", "Isomap", "SVC", "KMedoids", "SpectralEmbedding"}
