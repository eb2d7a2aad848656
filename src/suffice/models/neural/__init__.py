"""Neural networks: nets of layers as estimators."""

from .autoencoder import Autoencoder
from .game import GAMES, Game, Minimax, NonSaturating, Wasserstein
from .gan import GAN
from .neural_classifier import NeuralClassifier
from .neural_regressor import NeuralRegressor
from .variational_autoencoder import VariationalAutoencoder

__all__ = [
    "GAMES", "GAN", "Autoencoder", "Game", "Minimax", "NeuralClassifier", "NeuralRegressor", "NonSaturating",
    "VariationalAutoencoder", "Wasserstein",
]  # fmt: skip
