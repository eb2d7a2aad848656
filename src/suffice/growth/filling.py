"""The coded rows of a source, put where they shall lie: in memory, or in temporary files."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

import numpy as np

from ..backend.arrays import Array
from ..backend.growth.values import Bytes
from ..data import Chunk, Source
from ..data.labels import encode, united
from ..data.scratch import Room
from ..typing import Floats, Labels, Whole
from .cuts import Cuts


@dataclass(eq=False)
class Filling:
    """Codes (n, d), targets and weights of n rows while they are filled in, in any order and by several threads.

    Labels of classes become their places among `classes`.
    """

    codes: Bytes
    cuts: Cuts
    room: Room
    y: Array = None
    weight: Floats | None = None
    classes: Labels | None = None
    _numbers: dict[object, int] = field(default_factory=dict)  # of labels, in the order in which they were met
    _lock: Lock = field(default_factory=Lock)

    def fill(self, source: Source) -> Filling:
        """Put all rows in."""
        put = partial(self._put, are_labels=source.needs.target == "classes")
        if source.elsewhere or source.n_rows is None:
            with closing(source.watched()) as chunks:
                for chunk in chunks:
                    put(chunk)
        else:
            source.reduce(put)
        if self.classes is not None:
            order = {label: place for place, label in enumerate(self.classes.tolist())}
            places = np.array([order[label] for label in self._numbers])
            for block in self.room.blocks(len(self.y)):
                self.y[block] = places[self.y[block]]
        return self

    def _put(self, chunk: Chunk, are_labels: bool) -> int:
        rows = slice(chunk.start, chunk.start + len(chunk))
        self.codes[rows] = self.cuts.coded(chunk.X).codes.T
        y = self._numbered(chunk.y) if are_labels else chunk.y
        with self._lock:
            n = len(self.codes)
            if y is not None and self.y is None:
                self.y = self.room.empty((n, *y.shape[1:]), np.int64 if are_labels else np.float64)
            if chunk.weight is not None and self.weight is None:
                self.weight = self.room.empty((n,), np.float64)
        if y is not None:
            self.y[rows] = y
        if self.weight is not None:
            self.weight[rows] = chunk.weight
        self.room.leave()
        return len(chunk)

    def _numbered(self, y: Labels) -> Whole:
        """A number for each label."""
        labels, codes = encode(np.asarray(y))
        with self._lock:
            if len(labels):
                self.classes = labels if self.classes is None else united(self.classes, labels)
            numbers = [self._numbers.setdefault(label, len(self._numbers)) for label in labels.tolist()]
        return np.array(numbers, dtype=np.int64)[codes]
