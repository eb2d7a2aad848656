"""Many classes by classifiers of two."""

from .one_vs_one import OneVsOneClassifier
from .one_vs_rest import OneVsRestClassifier
from .output_code import OutputCodeClassifier

__all__ = ["OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"]
