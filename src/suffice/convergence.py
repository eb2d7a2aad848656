"""Warnings of fits that did not converge, which are scikit-learn's `ConvergenceWarning` as well.

They stand in `suffice.errors`, which imports them when they are first asked for: the command line needs its errors
before it needs scikit-learn.
"""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from .errors import SufficeWarning


class NotConverged(SufficeWarning, ConvergenceWarning):  # type: ignore[misc]
    """The fit stopped at `max_iter` before its own rule said so."""

    __module__ = "suffice.errors"


class Diverged(NotConverged):
    """The steps of the fit led ever further away from the minimum: they are too large for the columns."""

    __module__ = "suffice.errors"
