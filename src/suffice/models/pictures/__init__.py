"""Pictures: vector quantisation, compression, segmentation, and bags of visual words."""

from .compression import compress_image, rate_distortion
from .segmentation import segment_image
from .vector_quantizer import VectorQuantizer
from .visual_words import VisualWords

__all__ = ["VectorQuantizer", "VisualWords", "compress_image", "rate_distortion", "segment_image"]
