"""Random generators from their states, each number of which is checked: NumPy would read out of bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..holds import require

_HALF = {"has_uint32": 2, "uinteger": 2**32}
_PCG = {"state": {"state": 2**128, "inc": 2**128}, **_HALF}
# A number is the limit of a whole number, a pair type and length of an array.
_STATES: dict[str, dict[str, object]] = {
    "PCG64": _PCG,
    "PCG64DXSM": _PCG,
    "MT19937": {"state": {"key": (np.uint32, 624), "pos": 625}},
    "Philox": {
        "state": {"counter": (np.uint64, 4), "key": (np.uint64, 2)},
        "buffer": (np.uint64, 4),
        "buffer_pos": 5,
        **_HALF,
    },
    "SFC64": {"state": {"state": (np.uint64, 4)}, **_HALF},
}
GENERATORS = tuple(_STATES)


def generator(name: Any, state: Any) -> np.random.Generator:
    """The generator of a name in a state."""
    require(isinstance(name, str) and name in _STATES, f"there is no generator {name!r}")
    require(isinstance(state, dict) and state.get("bit_generator") == name, f"there is no state of {name}")
    _check(_STATES[name], {key: value for key, value in state.items() if key != "bit_generator"}, name)
    bits = getattr(np.random, name)()
    bits.state = state
    return np.random.Generator(bits)


def _check(form: Any, value: Any, name: str) -> None:
    if isinstance(form, dict):
        good = isinstance(value, dict) and value.keys() == form.keys()
    elif isinstance(form, tuple):
        good = isinstance(value, np.ndarray) and value.dtype == form[0] and value.shape == form[1:]
    else:
        good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < form
    require(good, f"the state of {name} is none")
    if isinstance(form, dict):
        for key, inner in form.items():
            _check(inner, value[key], name)
