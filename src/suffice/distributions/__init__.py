"""Families of distributions, one in each file, with `log_prob`, `sample`, `statistic` and `mle`; and their priors."""

from .base import Distribution
from .bernoulli import Bernoulli
from .categorical import Categorical
from .diagonal import DiagonalGaussian, SphericalGaussian
from .exponential import Exponential
from .gaussian import Gaussian, TiedGaussian
from .independent import Independent
from .information import entropy, jensen_shannon, kl
from .laplace import Laplace
from .mixture import Mixture
from .multinomial import Multinomial
from .normal_priors import NormalInverseGamma, NormalInverseWishart
from .poisson import Poisson
from .priors import Beta, Dirichlet, Gamma, Prior
from .student_t import StudentT

__all__ = [
    "Bernoulli", "Beta", "Categorical", "DiagonalGaussian", "Dirichlet", "Distribution", "Exponential", "Gamma",
    "Gaussian", "Independent", "Laplace", "Mixture", "Multinomial", "NormalInverseGamma", "NormalInverseWishart",
    "Poisson", "Prior", "SphericalGaussian", "StudentT", "TiedGaussian", "entropy", "jensen_shannon", "kl",
]  # fmt: skip
