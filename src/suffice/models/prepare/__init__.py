"""Transformers that prepare columns for other models."""

from ...renamed import names_in, with_former_names
from .discretize import KBinsDiscretizer
from .fourier import FourierFeatures
from .function import FunctionTransformer
from .one_hot import OneHotEncoder
from .outliers import OutlierClipper
from .polynomial import PolynomialFeatures
from .power import PowerTransformer
from .quantile import QuantileTransformer
from .rbf import RBFFeatures
from .sigmoid import SigmoidFeatures
from .spline import SplineTransformer
from .standardize import StandardScaler

__getattr__ = with_former_names(__name__, names_in(__name__, globals()))
__all__ = [
    "FourierFeatures", "FunctionTransformer", "KBinsDiscretizer", "OneHotEncoder", "OutlierClipper",
    "PolynomialFeatures", "PowerTransformer", "QuantileTransformer", "RBFFeatures",
    "SigmoidFeatures", "SplineTransformer", "StandardScaler",
]  # fmt: skip
