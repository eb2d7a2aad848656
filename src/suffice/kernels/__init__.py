"""Kernel functions, one a file: similarities that are inner products; and windows, what a row counts by its distance.

>>> from suffice.kernels import GaussianKernel, as_kernel
>>> GaussianKernel(gamma=1.0)([[0.0], [1.0]]).round(3)
array([[1.   , 0.368],
       [0.368, 1.   ]])
>>> as_kernel("poly", degree=2)
PolynomialKernel(degree=2, gamma=None, coef0=1.0)
"""

from .additive_chi2 import AdditiveChi2Kernel
from .anova import AnovaKernel
from .base import KERNELS, Function, Kernel
from .category import CategoryKernel
from .centered import CenteredKernel
from .chi2 import Chi2Kernel
from .columns import ColumnsKernel
from .composed import ComposedKernel
from .constant import ConstantKernel
from .cosine import CosineKernel
from .exponential import ExponentialKernel
from .features import gram_features
from .gaussian import GaussianKernel
from .gram import Gram
from .histogram_intersection import HistogramIntersectionKernel
from .laplacian import LaplacianKernel
from .linear import LinearKernel
from .matern import MaternKernel
from .matrix import MatrixKernel
from .monomial import MonomialKernel
from .named import as_kernel, is_function, names
from .normalized import NormalizedKernel
from .periodic import PeriodicKernel
from .polynomial import PolynomialKernel
from .power import PowerKernel
from .precomputed import PrecomputedKernel
from .product import ProductKernel
from .rational_quadratic import RationalQuadraticKernel
from .scaled import ScaledKernel
from .series import SeriesKernel
from .spectrum import SpectrumKernel
from .sum import SumKernel
from .tanh import TanhKernel
from .white_noise import WhiteNoiseKernel
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
    "KERNELS", "WINDOWS", "AdditiveChi2Kernel", "AnovaKernel", "BiweightWindow", "CategoryKernel", "CenteredKernel",
    "Chi2Kernel", "ColumnsKernel", "ComposedKernel", "ConstantKernel", "ConstantWindow", "CosineKernel", "CosineWindow",
    "EpanechnikovWindow", "ExponentialKernel", "ExponentialWindow", "Function", "GaussianKernel", "GaussianWindow",
    "Gram", "HistogramIntersectionKernel", "Kernel", "LaplacianKernel", "LinearKernel", "MaternKernel", "MatrixKernel",
    "MonomialKernel", "NormalizedKernel", "PeriodicKernel", "PolynomialKernel", "PowerKernel", "PrecomputedKernel",
    "ProductKernel", "RationalQuadraticKernel", "ScaledKernel", "SeriesKernel", "SpectrumKernel", "SumKernel",
    "TanhKernel", "TriangularWindow", "TricubeWindow", "WhiteNoiseKernel", "Window", "as_kernel", "gram_features",
    "is_function", "names",
]  # fmt: skip
