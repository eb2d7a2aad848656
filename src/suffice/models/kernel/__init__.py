"""Models that learn by a kernel: similarities of rows that are inner products."""

from .gaussian_process_classifier import GaussianProcessClassifier
from .gaussian_process_regressor import GaussianProcessRegressor
from .kernel_logistic_regression import KernelLogisticRegression
from .kernel_pca import KernelPCA
from .kernel_perceptron import KernelPerceptron
from .kernel_ridge import KernelRidge
from .nu_svc import NuSVC
from .nu_svr import NuSVR
from .one_class_svm import OneClassSVM
from .svc import SVC
from .svr import SVR

__all__ = [
    "SVC",
    "SVR",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "KernelLogisticRegression",
    "KernelPCA",
    "KernelPerceptron",
    "KernelRidge",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
]
