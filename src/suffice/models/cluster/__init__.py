"""Clustering: groups of rows that belong together."""

from .affinity import AffinityPropagation
from .bisecting import BisectingKMeans
from .dp_means import DPMeans
from .features import ClusterFeatures
from .kernel_kmeans import KernelKMeans
from .kmeans import KMeans
from .kmedians import KMedians
from .kmedoids import KMedoids
from .kmodes import KModes
from .kprototypes import KPrototypes
from .minibatch import MiniBatchKMeans
from .per_cluster import PerCluster
from .soft import SoftKMeans
from .spectral_clustering import SpectralClustering

__all__ = [
    "AffinityPropagation", "BisectingKMeans", "ClusterFeatures", "DPMeans", "KMeans", "KMedians", "KMedoids", "KModes",
    "KPrototypes", "KernelKMeans", "MiniBatchKMeans", "PerCluster", "SoftKMeans", "SpectralClustering",
]  # fmt: skip
