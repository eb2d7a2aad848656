"""Neural networks: nets of layers as estimators."""

from .autoencoder import Autoencoder
from .gan import GAN
from .neural_classifier import NeuralClassifier
from .neural_regressor import NeuralRegressor
from .variational_autoencoder import VariationalAutoencoder

__all__ = ["GAN", "Autoencoder", "NeuralClassifier", "NeuralRegressor", "VariationalAutoencoder"]
