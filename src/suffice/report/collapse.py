"""Components of a mixture that have shrunk onto a few rows, whose likelihood grows without end."""

from __future__ import annotations

import numpy as np

from ..typing import Floats

THIN = 0.01  # the deviation of a component along its thinnest direction, of that of all rows


def flat_ones(chosen: int, drawn: int) -> str:
    """Why fewer components are drawn than most criteria choose.

    >>> flat_ones(6, 2)[:52]
    'With 6 components some are flat, which likelihood, B'
    """
    return (
        f"With {chosen} components some are flat, which likelihood, BIC and AIC reward without end and rows left out "
        f"do not: {drawn} are drawn, by cross-validation."
    )


def collapsed(covariances: Floats) -> list[str]:
    """A sentence where components are thin, of covariances (k, d, d) in units in which all rows have variance 1.

    >>> collapsed(np.array([np.eye(2), np.diag([1.0, 1e-6])]))[0][:28]
    'Component 1 is almost flat: '
    """
    thin = [j for j, own in enumerate(covariances) if float(np.linalg.eigvalsh(own)[0]) < THIN**2]
    if not thin:
        return []
    which = f"Component {thin[0]} is" if len(thin) == 1 else f"Components {', '.join(map(str, thin))} are"
    return [
        f"{which} almost flat: along one direction the rows hardly vary. Likelihood, BIC and AIC reward that without "
        "end, so they say little about how many components there are."
    ]
