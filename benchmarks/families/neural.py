"""Neural networks."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.neural_network import MLPClassifier, MLPRegressor

import suffice as sf

from .contest import UNGROUPED, Contest, as_accurate, at_most
from .tables import Table, classes, numbers

OTHERWISE = "two fits begin at other parameters, and end at other nets"
UNLIKE = dict.fromkeys(("predict", "predict_proba", "predict_log_proba", "score", "partial_fit"), OTHERWISE)


def _options(table: Table) -> dict[str, Any]:
    return {"batch_size": min(256, len(table.X)), "max_iter": 20, "random_state": 0}


def _all_epochs(peer: Any) -> Any:
    """The peer with all of its epochs; its hidden layer of 100 ReLU is ours by default."""
    return partial(peer, tol=0.0, n_iter_no_change=1000)


CONTESTS = [
    Contest(
        sf.NeuralClassifier, {"scikit-learn": _all_epochs(MLPClassifier)}, as_accurate(0.1), rows=classes,
        options=_options, shape=at_most(100_000, 200), unlike=UNLIKE,
    ),
    Contest(
        sf.NeuralRegressor, {"scikit-learn": _all_epochs(MLPRegressor)}, as_accurate(0.1), rows=numbers,
        options=_options, shape=at_most(100_000, 200), unlike=UNLIKE, axes=UNGROUPED,
    ),
]  # fmt: skip

ALONE = {
    sf.GAN: "none of the peers has generative adversarial networks as estimators",
    sf.Autoencoder: "none of the peers has autoencoders as estimators",
    sf.VariationalAutoencoder: "none of the peers has variational autoencoders as estimators",
}
