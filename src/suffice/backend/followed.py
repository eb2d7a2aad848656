"""What kernels follow from place to place, such as the nodes of a tree: looked at once, not at every call.

Looking at all of it would cost more than some calls do. So it is checked before its first use, and cannot be written
from then on. A copy, also one that was pickled, is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol, TypeVar
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ..holds import check


class Followed(Protocol):
    """What holds arrays of places that a kernel follows unseen; compared by identity."""

    @property
    def places(self) -> Iterable[NDArray[np.generic]]:
        """Those arrays, which nobody else holds."""

    def check_places(self) -> None:
        """Raise an error unless no place leads out of the arrays."""


class Declared:
    """Base of those that say in `holds` and `check_loaded` what they hold, as model files need it."""

    holds: ClassVar[dict[str, object]]

    def check_places(self) -> None:
        """Raise an error unless it holds what its class declares."""
        check(type(self), vars(self))
        self.check_loaded()

    def check_loaded(self) -> None:
        """Raise an error where shapes and ranges do not say enough."""


F = TypeVar("F", bound=Followed)
_sound: WeakSet[Followed] = WeakSet()


def sound(held: F) -> F:
    """The same, checked if it is used for the first time."""
    if held not in _sound:
        held.check_places()
        just_made(held)
    return held


def just_made(held: F) -> F:
    """The same, as what was made a line above: there is nothing to check."""
    for array in held.places:
        array.flags.writeable = False
    _sound.add(held)
    return held
