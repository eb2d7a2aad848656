"""Columns of text for models of categories."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Schema
from ...data.recode import UNSEEN
from ...holds import instance
from ...typing import Floats, Numbers, Reals
from .naive import NaiveClassifier


class TextColumns(NaiveClassifier):
    """At `predict` a text that no fit saw is unseen."""

    _schema: Schema
    holds: ClassVar = {"_schema": instance(Schema, d="d")}

    def _text(self) -> dict[int, int]:
        """The columns of text, and how many values each has."""
        return {j: len(self._schema.columns[j].categories) for j in self._schema.text_columns}

    def _with_unseen(self, X: Reals) -> Numbers:
        """X with a code beyond all others for text that is new."""
        text = {j: size for j, size in self._text().items() if np.any(X[:, j] == UNSEEN)}
        if not text:
            return X
        X = X.copy()
        for j, size in text.items():
            X[X[:, j] == UNSEEN, j] = size
        return X

    def _log_unseen(self) -> Floats:
        """log p of a category that no row of the fit had, of each class and column, (k, d)."""
        raise TypeError(f"{type(self).__name__} does not define _log_unseen")

    def _with_unseen_terms(self, X: Numbers, sizes: Floats) -> Floats:
        """log p(x | class), (n, k), where codes from the number of categories of a column on are unseen.

        The size of a column without categories is infinite.
        """
        coded = np.flatnonzero(np.isfinite(sizes))
        if not len(coded):
            return np.asarray(super()._log_densities(X))
        unseen = X[:, coded] >= sizes[coded].astype(X.dtype)
        if not unseen.any():
            return np.asarray(super()._log_densities(X))
        known = X.copy()
        known[:, coded] = np.where(unseen, np.nan, X[:, coded])
        return np.asarray(super()._log_densities(known) + unseen @ self._log_unseen()[:, coded].T)
