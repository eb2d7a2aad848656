"""The words of each topic as a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...text import aligned, html_table
from ...typing import Floats


@dataclass(frozen=True, repr=False)
class TopicWords:
    """The most likely words of each topic, likeliest first, and their probabilities.

    >>> words = np.array([["ball", "goal"], ["vote", "law"]], dtype=object)
    >>> print(TopicWords(words, np.array([[0.5, 0.25], [0.4, 0.3]]), np.ones(2) / 2))
    topic  share  words
    0       0.5   ball 0.50, goal 0.25
    1       0.5   vote 0.40, law 0.30
    """

    words: NDArray[np.object_]  # (k, n)
    probability: Floats  # (k, n)
    share: Floats  # (k,): how much of all words is of each topic

    @classmethod
    def of(cls, probability: Floats, share: Floats, names: NDArray[np.object_], n: int) -> TopicWords:
        """The n likeliest of the words (d,) of topics (k, d)."""
        best = np.argsort(-probability, axis=1, kind="stable")[:, :n]
        return cls(names[best], np.take_along_axis(probability, best, axis=1), share)

    def table(self) -> dict[str, NDArray[np.generic]]:
        """One row a word: its topic, its place there from 1, and its probability in the topic."""
        k, n = self.words.shape
        return {
            "topic": np.repeat(np.arange(k), n),
            "rank": np.tile(np.arange(1, n + 1), k),
            "word": self.words.ravel(),
            "probability": self.probability.ravel(),
        }

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("topic", "share", "words")]
        for z, (words, each) in enumerate(zip(self.words, self.probability, strict=True)):
            said = ", ".join(f"{word} {p:.2f}" for word, p in zip(words, each, strict=True))
            rows.append((str(z), f"{self.share[z]:.2g}".ljust(4), said))
        return rows

    def __str__(self) -> str:
        return aligned(self._rows(), words=3)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._rows(), words=3)
