"""What many tests share."""

import gc
import json
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import passive_waiting  # noqa: F401
from kernel_calls import (  # noqa: F401 (hooks of pytest)
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_runtest_protocol,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)

# The same commit, the same verdict, however busy the machine; `--hypothesis-profile=random` hunts with new examples.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.register_profile("random", deadline=None, max_examples=300)
hypothesis.settings.load_profile("same")


def pytest_collection_finish():
    """What was collected stays to the end: the garbage collector, which took a fifteenth of the time, leaves it out."""
    gc.collect()
    gc.freeze()


REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture(scope="session")
def r_values():
    """Values that R computed; tests/reference/make_r_values.R made them."""
    return json.loads((REFERENCE / "r_values.json").read_text())


@pytest.fixture(scope="session")
def nist():
    """The NIST StRD linear problems; see tests/reference/NIST.md."""
    return json.loads((REFERENCE / "nist.json").read_text())


@pytest.fixture
def rng():
    return np.random.default_rng(20)


_STATES: dict[str, dict[str, object]] = {}  # of a module's generators, as its import left them


@pytest.fixture(autouse=True)
def _same_draws(request):
    """A generator that a module's tests share starts every test in the same state, whichever ran before."""
    module = request.module
    generators = {name: value for name, value in vars(module).items() if isinstance(value, np.random.Generator)}
    states = _STATES.setdefault(module.__name__, {name: each.bit_generator.state for name, each in generators.items()})
    for name, each in generators.items():
        each.bit_generator.state = states[name]
