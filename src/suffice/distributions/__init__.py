"""Families of distributions, one in each file, with `log_prob`, `sample`, `statistic` and `mle`; and their priors."""

from .base import FAMILIES, Distribution
from .bernoulli import Bernoulli
from .categorical import Categorical
from .conjugate import Prior
from .diagonal import DiagonalGaussian, SphericalGaussian
from .dirichlet_multinomial import DirichletMultinomial
from .exponential import Exponential
from .factor import FactorGaussian
from .gamma import GammaDistribution
from .gaussian import Gaussian, TiedGaussian
from .gradient import ByGradient
from .independent import Independent
from .information import entropy, jensen_shannon, kl
from .laplace import Laplace
from .lomax import Lomax
from .low_rank import LowRankGaussian
from .mixture import Mixture
from .multinomial import Multinomial
from .named import as_distribution, names
from .negative_binomial import NegativeBinomial
from .normal_priors import NormalInverseGamma, NormalInverseWishart
from .poisson import Poisson
from .priors import Beta, Dirichlet, Gamma
from .student_t import StudentT
from .von_mises import VonMises

__all__ = [
    "FAMILIES", "Bernoulli", "Beta", "ByGradient", "Categorical", "DiagonalGaussian", "Dirichlet",
    "DirichletMultinomial", "Distribution", "Exponential", "FactorGaussian", "Gamma", "GammaDistribution", "Gaussian",
    "Independent", "Laplace", "Lomax", "LowRankGaussian", "Mixture", "Multinomial", "NegativeBinomial",
    "NormalInverseGamma", "NormalInverseWishart", "Poisson", "Prior", "SphericalGaussian", "StudentT", "TiedGaussian",
    "VonMises", "as_distribution", "entropy", "jensen_shannon", "kl", "names",
]  # fmt: skip
