"""The spectrum kernel of texts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from ..choices import check_number
from ..errors import InvalidData, InvalidParameter, shown
from ..holds import whole
from ..typing import CSR, Floats, Labels, Reals
from .base import Kernel, Rows


@dataclass(frozen=True)
class SpectrumKernel(Kernel):
    """The spectrum kernel of texts, k(s, t) = Σ_u #_u(s) #_u(t), over all u of `length` characters.

    #_u(s) is how often u is in s, at any place. Long texts have large values; `normalized()` takes that off. Of a table
    with several columns of text the kernels of the columns are added. A list of texts is a table of one column.

    >>> SpectrumKernel(2)(["abab", "abc"])
    array([[5., 2.],
           [2., 2.]])
    """

    length: int = 3
    names: ClassVar = ("spectrum",)
    takes: ClassVar = "text"
    holds: ClassVar = {"length": whole(at_least=1, at_most=1000)}

    def __post_init__(self) -> None:
        check_number(self, "length", 1, most=1000)
        if self.length != int(self.length):
            raise InvalidParameter(f"SpectrumKernel: length must be an integer, at least 1; got {self.length!r}.")

    def rows(self, X: Rows) -> Labels:
        cells = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)  # a number does not become a text
        if cells.ndim not in (1, 2):
            raise InvalidData(f"SpectrumKernel: texts must be a list or a table; got {cells.ndim} dimensions.")
        table = cells.reshape(len(cells), -1) if cells.size else cells.reshape(len(cells), 1)
        for (i, j), cell in np.ndenumerate(table):
            if not isinstance(cell, str):
                raise InvalidData(f"SpectrumKernel: column {j}, row {i} must be a text; got {shown(cell)}.")
        return table

    def between(self, X: Labels, Y: Labels) -> Reals:
        known: dict[tuple[int, str], int] = {}
        A = self._counts(X, known)
        B = A if Y is X else self._counts(Y, known)
        A.resize((len(X), max(1, len(known))))  # parts that were new in Y are columns of zeros
        B.resize((len(Y), max(1, len(known))))
        return np.asarray((A @ B.T).toarray())

    def diagonal(self, X: Labels) -> Floats:
        counts = self._counts(X, {})
        return np.asarray(counts.multiply(counts).sum(axis=1), dtype=np.float64).ravel()

    def _counts(self, X: Labels, known: dict[tuple[int, str], int]) -> CSR:
        """How often each part of `length` characters is in each row, (n, parts); new ones become known."""
        starts, parts, counts = [0], [], []
        for row in X:
            found: Counter[tuple[int, str]] = Counter()
            for j, text in enumerate(row):
                found.update((j, str(text[k : k + self.length])) for k in range(len(text) - self.length + 1))
            parts += [known.setdefault(part, len(known)) for part in found]
            counts += list(found.values())
            starts.append(len(parts))
        return csr_array((np.array(counts, dtype=np.float64), parts, starts), shape=(len(X), max(1, len(known))))

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(1)

    def example(self, rng: np.random.Generator, n: int) -> Labels:
        return np.array([["".join(rng.choice(list("ab"), rng.integers(0, 9)))] for _ in range(n)])
