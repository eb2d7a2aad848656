"""Kernel functions, one a file: similarities that are inner products; and windows, what a row counts by its distance.

>>> from suffice.kernels import GaussianKernel, as_kernel
>>> GaussianKernel(gamma=1.0)([[0.0], [1.0]]).round(3)
array([[1.   , 0.368],
       [0.368, 1.   ]])
>>> as_kernel("poly", degree=2)
PolynomialKernel(degree=2, gamma=None, coef0=1.0)
"""

from .base import KERNELS, Function, Kernel
from .gaussian import GaussianKernel
from .gram import Gram
from .laplacian import LaplacianKernel
from .linear import LinearKernel
from .named import as_kernel, is_function, names
from .polynomial import PolynomialKernel
from .windows import (
    WINDOWS,
    BiweightWindow,
    ConstantWindow,
    CosineWindow,
    EpanechnikovWindow,
    ExponentialWindow,
    GaussianWindow,
    TriangularWindow,
    TricubeWindow,
    Window,
)

__all__ = [
    "KERNELS", "WINDOWS", "BiweightWindow", "ConstantWindow", "CosineWindow", "EpanechnikovWindow",
    "ExponentialWindow", "Function", "GaussianKernel", "GaussianWindow", "Gram", "Kernel", "LaplacianKernel",
    "LinearKernel", "PolynomialKernel", "TriangularWindow", "TricubeWindow", "Window", "as_kernel", "is_function",
    "names",
]  # fmt: skip
