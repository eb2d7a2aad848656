"""Maps of data: places in few coordinates for rows, so that those that are alike are near."""

from .classical_mds import ClassicalMDS
from .diffusion_map import DiffusionMap
from .isomap import Isomap
from .locally_linear_embedding import LocallyLinearEmbedding
from .maximum_variance_unfolding import MaximumVarianceUnfolding
from .mds import MDS
from .spectral_embedding import SpectralEmbedding
from .tsne import TSNE
from .umap import UMAP

__all__ = [
    "MDS", "TSNE", "UMAP", "ClassicalMDS", "DiffusionMap", "Isomap",
    "LocallyLinearEmbedding", "MaximumVarianceUnfolding", "SpectralEmbedding",
]  # fmt: skip
