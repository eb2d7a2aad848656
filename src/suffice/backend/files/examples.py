"""Arguments of the operations on texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case


def records_end(case: Case) -> Iterator[Arguments]:
    """Texts of all that means something in CSV, with quotes and without, in any order."""
    rng = case.rng()
    for letters in (b"ab,\n", b'a",\n', b'a";\r\n'):
        text = np.frombuffer(letters, np.uint8)[rng.integers(len(letters), size=case.n)]
        yield text, ord(",")
        yield text, ord(";")
