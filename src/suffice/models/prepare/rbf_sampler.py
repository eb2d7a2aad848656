"""Random Fourier features."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from ...data import Chunk, Needs, Source
from ...errors import InvalidData
from ...estimator import estimator
from ...kernels import KERNELS, Kernel, as_kernel
from ...params import param
from ...scikit_learn import Counterpart
from ...statistics import DiagonalMoments
from ...typing import Floats, Whole
from .base import selected
from .waves import RandomWaves


def _no_frequencies(kernel: Kernel) -> str:
    return "" if kernel.has_frequencies else f"{type(kernel).__name__} has no density of frequencies to draw from"


@estimator
class RBFSampler(RandomWaves):
    """Random Fourier features: φ(x) = √(2/D) cos(xᵀω + b), so that φ(x)·φ(y) is near k(x, y) = k(x − y).

    The frequencies ω are drawn from the density of which k is the Fourier transform (Bochner's theorem): normal for the
    Gaussian kernel exp(−gamma ‖x − y‖²), Cauchy for the Laplacian, Student's t for a Matérn kernel. The error falls as
    1/√D. A linear model of the features is a kernel machine whose work grows with the number of rows, not its square.
    Nothing is learned from the rows but their spread for gamma="scale". Units matter: scale the columns first.

    Examples
    --------
    >>> import suffice as sf
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> phi = sf.RBFSampler(gamma=0.2, n_components=2000, random_state=0).fit_transform(X)
    >>> bool(np.abs(phi @ phi.T - sf.kernels.GaussianKernel(0.2)(X)).max() < 0.1)
    True
    """

    complexity = "n_components"

    counterpart: ClassVar = Counterpart("sklearn.kernel_approximation")
    needs = Needs(scaled=True, one_hot=True, sparse=True)

    gamma: object = param(
        1.0,
        number=True,
        above=0,
        below=np.inf,
        choices=("scale",),
        doc="The scale of a kernel by name; scale: 1 / (m · variance of all cells).",
    )
    kernel: object = param(
        "gaussian", names=KERNELS.only(_no_frequencies), doc="The kernel: a name, or a kernel of x − y."
    )

    def _drawn(self, rng: np.random.Generator, source: Source, chosen: Whole) -> Floats:
        gamma = self._variance_scale(source, chosen) if self.gamma == "scale" else self.gamma
        kernel = as_kernel(self.kernel, type(self).__name__, gamma=gamma)
        if not isinstance(kernel, Kernel):
            raise TypeError("only kernels have frequencies")
        return kernel.frequencies(rng, self.n_components, len(chosen))

    def _variance_scale(self, source: Source, chosen: Whole) -> float:
        moments = source.reduce(partial(_moments, chosen=chosen))
        spread = float(np.mean(moments.variance()) + np.var(moments.mean))
        if not np.isfinite(spread):
            raise InvalidData(f"{type(self).__name__}: the variance of X overflows; scale the columns down.")
        return 1 / (len(chosen) * spread) if spread > 0 else 1.0


def _moments(chunk: Chunk, chosen: Whole) -> DiagonalMoments:
    part = selected(chunk, chosen)
    return DiagonalMoments.of(part.X, part.weight)
