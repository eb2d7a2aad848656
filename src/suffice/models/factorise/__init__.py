"""Factorisations: a table as the product of two small matrices."""

from .latent_dirichlet import LatentDirichletAllocation
from .matrix_factorization import MatrixFactorization
from .nmf import NMF
from .plsa import PLSA
from .topic_words import TopicWords
from .truncated_svd import TruncatedSVD

__all__ = ["NMF", "PLSA", "LatentDirichletAllocation", "MatrixFactorization", "TopicWords", "TruncatedSVD"]
