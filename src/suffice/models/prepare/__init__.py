"""Transformers that prepare columns for other models."""

from ...renamed import names_in, with_former_names
from .additive_chi2_sampler import AdditiveChi2Sampler
from .discretize import KBinsDiscretizer
from .fourier import FourierFeatures
from .function import FunctionTransformer
from .nystroem import Nystroem
from .one_hot import OneHotEncoder
from .outliers import OutlierClipper
from .polynomial import PolynomialFeatures
from .polynomial_count_sketch import PolynomialCountSketch
from .power import PowerTransformer
from .quantile import QuantileTransformer
from .rbf import RBFFeatures
from .rbf_sampler import RBFSampler
from .sigmoid import SigmoidFeatures
from .skewed_chi2_sampler import SkewedChi2Sampler
from .spline import SplineTransformer
from .standardize import StandardScaler

__getattr__ = with_former_names(__name__, names_in(__name__, globals()))
__all__ = [
    "AdditiveChi2Sampler", "FourierFeatures", "FunctionTransformer", "KBinsDiscretizer", "Nystroem", "OneHotEncoder",
    "OutlierClipper", "PolynomialCountSketch", "PolynomialFeatures", "PowerTransformer", "QuantileTransformer",
    "RBFFeatures", "RBFSampler", "SigmoidFeatures", "SkewedChi2Sampler", "SplineTransformer", "StandardScaler",
]  # fmt: skip
