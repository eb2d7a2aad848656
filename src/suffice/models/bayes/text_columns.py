"""Columns of text for models of categories."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Schema
from ...data.recode import UNSEEN
from ...estimator import Estimator
from ...holds import instance
from ...typing import Numbers, Reals


class TextColumns(Estimator):
    """At `predict` a text that no fit saw is unseen."""

    _schema: Schema
    holds: ClassVar = {"_schema": instance(Schema, d="d")}

    def _text(self) -> dict[int, int]:
        """The columns of text, and how many values each has."""
        columns = enumerate(self._schema.columns)
        return {j: len(column.categories) for j, column in columns if column.kind == "categorical"}

    def _with_unseen(self, X: Reals) -> Numbers:
        """X with a code beyond all others for text that is new."""
        text = {j: size for j, size in self._text().items() if np.any(X[:, j] == UNSEEN)}
        if not text:
            return X
        X = X.copy()
        for j, size in text.items():
            X[X[:, j] == UNSEEN, j] = size
        return X
