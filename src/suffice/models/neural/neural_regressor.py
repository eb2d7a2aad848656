"""Neural networks for numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidData
from ...estimator import Attributes, Regressor, estimator
from ...holds import either, flag, floats, require
from ...losses import LOSSES, AbsoluteLoss, Loss, QuantileLoss, SquaredLoss
from ...params import param
from ...statistics import DiagonalMoments
from ...typing import Floats, Reals, TableLike, TargetLike, WeightLike
from .objective import Objective
from .supervised import SupervisedNetwork

_SCALED = (SquaredLoss, AbsoluteLoss, QuantileLoss)  # in other units they are the same loss times a number


@estimator
class NeuralRegressor(Regressor, SupervisedNetwork):
    """A neural network for numbers: minimises Σ w ℓ(f(x), y) / Σ w + ½ λ ‖W‖² over the layers of f by batches of rows.

    With the squared loss, ℓ = ½ (f(x) − y)². Other losses of numbers can take its place; predictions are its mean,
    such as exp f(x) for counts (poisson). y may have several columns (n, targets), whose losses are summed. With
    `standardize` the squared, absolute and quantile loss are taken of targets with mean 0 and variance 1; predictions
    are in the units of y.

    Dense layers are computed with NumPy, all others with PyTorch (`pip install 'suffice[neural]'`). On the CPU the same
    seed gives the same bits for any number of threads of NumPy's part, and for a fixed number of PyTorch's.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> from suffice.layers import Dense
    >>> x = np.linspace(-3, 3, 200)[:, None]
    >>> model = sf.NeuralRegressor([Dense(32), Dense(32)], learning_rate=0.01, batch_size=20, random_state=0)
    >>> model.fit(x, np.sin(2 * x[:, 0])).score(x, np.sin(2 * x[:, 0])) > 0.95
    True
    """

    complexity = "-weight_decay"

    needs: ClassVar = Needs(target="numbers", missing=True, categories=True)
    in_unit_of_target: ClassVar[bool] = True

    loss: object = param(
        "squared",
        names=LOSSES.only(lambda loss: "" if loss.target == "numbers" else "it is a loss of classes"),
        doc="The loss ℓ of the output and the target.",
    )
    holds: ClassVar = {
        "_shift": either(floats("outputs")),
        "_scale": either(floats("outputs", above=0)),
        "_flat": flag(),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        if hasattr(self, "_theta"):
            require(self._loss.target == "numbers", "_loss must be one of numbers")
            require(self.n_outputs_ == 1 or not self._flat, "_flat is of one output")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return self._with_targets(source, self.max_iter)

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """One epoch over these rows, from where the net stands; the first rows decide about scales."""
        return self._one_epoch(X, y, sample_weight, self._with_targets)

    def _with_targets(self, source: Source, max_iter: int) -> Outcome[Attributes]:
        owner = type(self).__name__
        loss = LOSSES.member(self.loss, owner, "loss")
        sums = source.reduce_targets(lambda chunk: _Targets.of(chunk, loss, owner))
        q = len(sums.moments.mean)
        if self._goes_on():
            if (q, sums.flat) != (self.n_outputs_, self._flat):
                raise InvalidData(f"{owner}: y has {q} columns, and the last fit had {self.n_outputs_}; give as many.")
            shift, scale = self._shift, self._scale
        elif self.standardize and isinstance(loss, _SCALED):
            shift, std = sums.moments.mean, np.sqrt(sums.moments.variance())
            scale = np.where(std > 1e-12 * np.abs(shift), std, 1.0)
            scale = np.where(scale > 0, scale, 1.0)
        else:
            shift, scale = np.zeros(q), np.ones(q)
        objective = Objective(loss, q, 0.0, shift, scale)
        return self._trained_on(source, objective, max_iter, {"_shift": shift, "_scale": scale, "_flat": sums.flat})

    def _fitted_objective(self) -> Objective:
        return Objective(self._loss, self.n_outputs_, 0.0, self._shift, self._scale)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags

    def predict(self, X: TableLike) -> Reals:
        """The expected target of each row, (n,), or (n, targets)."""
        self._check_fitted("_theta")
        loss, shift, scale, flat = self._loss, self._shift, self._scale, self._flat

        def answers(eta: Reals) -> Reals:
            found: Floats = np.asarray(loss.mean(eta.ravel())).reshape(eta.shape) * scale + shift
            return found[:, 0] if flat else found

        found: Reals = self._outputs(X, answers)
        return found


@dataclass(frozen=True)
class _Targets:
    """The moments of the targets, and whether they are one column, (n,)."""

    moments: DiagonalMoments
    flat: bool

    @classmethod
    def of(cls, chunk: Chunk, loss: Loss, owner: str) -> _Targets:
        y: Floats = np.asarray(chunk.y, dtype=np.float64)
        counted = y if chunk.weight is None else y[chunk.weight > 0]
        if counted.size and (refusal := loss.refusal(counted)):
            raise InvalidData(f"{owner}: loss {type(loss).__name__} {refusal}.")
        return cls(DiagonalMoments.of(y if y.ndim == 2 else y[:, None], chunk.weight), y.ndim == 1)

    def __add__(self, other: _Targets) -> _Targets:
        return _Targets(self.moments + other.moments, self.flat)
