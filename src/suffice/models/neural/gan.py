"""Generative adversarial networks: a generator of rows, and a discriminator that learns to tell them from real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from ... import params
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import instance, require, whole
from ...layers import Dense, Layer, LeakyReLU, Plan
from ...params import param
from ...randomness import generator
from ...typing import Floats, Reals, TableLike, TargetLike, WeightLike
from .base import Built, NeuralNetwork
from .blocks import in_blocks
from .cells import GaussianCells, sigmoid
from .engine import DType, engine_of, found_device
from .game import DISCRIMINATOR, GAMES, GENERATOR, Game, Players
from .generating import Generator, sample_size
from .inputs import Inputs
from .joined import JoinedEngine, JoinedPlan
from .rebuilding import is_list
from .torch_engine import TorchEngine


@estimator
class GAN(Generator, NeuralNetwork):
    """A generator G and a discriminator D that play min_G max_D E log D(x) + E log(1 − D(G(z))), with z ~ N(0, I).

    For the best D of a given G the value is 2 JS − 2 log 2, with the Jensen–Shannon divergence JS of rows and draws, so
    that −2 log 2 is the end of the game (Goodfellow et al., 2014). `history_` has both losses, the `value`, and
    `jensen_shannon`, (value + 2 log 2) / 2: a lower bound of JS as far as D is the best one. With "non_saturating" the
    generator maximises log D(G(z)) instead, with `Wasserstein` D is a critic without a value.

    Neither loss need fall, and a game may go round and round: look at `diagnose`, which tells rows that are drawn again
    and modes that are left out. Adam with a smaller first mean, `Adam(beta_1=0.5)`, often helps.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> X = np.random.default_rng(0).normal(3.0, 1.0, size=(500, 1))
    >>> model = sf.GAN(n_components=1, max_iter=40, random_state=0).fit(X)
    >>> model.sample(2000).mean().round(0), model.discriminate(X).shape
    (np.float64(3.0), (500,))
    """

    needs: ClassVar = Needs()

    layers: Sequence[Layer] = param(
        (Dense(64), Dense(64)), positional=True, accept=is_list, allowed="a list of layers",
        doc="The hidden layers of the generator.",
    )  # fmt: skip
    discriminator: Sequence[Layer] = param(
        (Dense(64, LeakyReLU(0.2)), Dense(64, LeakyReLU(0.2))), accept=is_list, allowed="a list of layers",
        doc="The hidden layers of the discriminator.",
    )  # fmt: skip
    n_components: int = param(2, integer=True, at_least=1, doc="How many numbers a row is drawn from, k.")
    game: object = param(
        "non_saturating",
        names=GAMES,
        doc="What generator and discriminator play for: a name, or `NonSaturating`, `Minimax` or `Wasserstein`.",
    )
    steps: str = param(
        "alternating", choices=("alternating", "simultaneous"),
        doc="Whether the generator moves after the discriminator, or both at once.",
    )  # fmt: skip
    discriminator_steps: int = param(
        1, integer=True, at_least=1, doc="The discriminator's moves for one of the generator, where they alternate."
    )

    holds: ClassVar = {"_game": instance(Game), "_maker": whole(at_least=1), "_code": whole(at_least=1)}
    small: ClassVar = {"max_iter": 5, "layers": (Dense(8),), "discriminator": (Dense(8),)}

    exemptions: ClassVar = {
        **NeuralNetwork.exemptions,
        **dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "weights_equal_repetition"),
            "rows are drawn for each batch: fits are equal in distribution",
        ),
    }  # fmt: skip

    # ---- learning ----

    def _learn(self, source: Source) -> Outcome[Attributes]:
        if self.early_stopping:
            raise InvalidParameter(
                f"{type(self).__name__}: early_stopping=True needs a loss that tells which epoch is best, which a game "
                "has not; leave it out, and look at diagnose."
            )
        return self._trained_by(source, self.max_iter, self._built)

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """One epoch over these rows, from where the game stands; the first rows decide about scales."""
        return self._one_epoch(
            X, y, sample_weight, lambda source, max_iter: self._trained_by(source, max_iter, self._built)
        )

    def _built(self, rows: Source, inputs: Inputs, dtype: DType) -> Built:
        owner = type(self).__name__
        game = GAMES.member(self.game, owner, "game")
        maker = Plan.of((*self.layers, _last(len(inputs.mean))), (self.n_components,), (), owner)
        judge = Plan.of((*self.discriminator, _last(1)), inputs.shape, (), owner)
        plan = JoinedPlan(("generator", "discriminator"), (maker, judge))
        engines = [engine_of(maker, dtype, self.device, owner)]
        if game.penalty > 0:  # a penalty of gradients has a gradient of its own
            engines.append(TorchEngine(judge, dtype, found_device(self.device), owner))
        else:
            engines.append(engine_of(judge, dtype, self.device, owner))
        engines[DISCRIMINATOR].passes_on = True
        joined, at_once = JoinedEngine(plan, engines, dtype), self.steps == "simultaneous"
        players = Players(joined, game, self.n_components, self.discriminator_steps, at_once)
        known = {"_game": game, "_maker": len(maker.layers), "_code": self.n_components}
        return Built(plan, players, lambda y, kind: np.zeros((0, 0), kind), 1, known)

    # ---- the fitted nets ----

    def _parts(self) -> tuple[Plan, ...]:
        owner, at = type(self).__name__, self._maker
        maker = Plan.of(self._layers[:at], (self._code,), (), owner)
        return maker, Plan.of(self._layers[at:], self._inputs.shape, (), owner)

    def _stack(self) -> JoinedPlan:  # type: ignore[override]
        return JoinedPlan(("generator", "discriminator"), self._parts())

    def sample(self, n_samples: int = 1) -> Floats:
        """Rows drawn from the generator, (n, d)."""
        self._check_fitted("_theta")
        params.check(self)
        n = sample_size(n_samples, type(self).__name__)
        Z = generator(self.random_state).standard_normal((n, self._code))  # type: ignore[arg-type]
        eta = self._engine(GENERATOR).outputs(Z.astype(self._theta.dtype))
        return np.asarray(GaussianCells().rows(eta.astype(np.float64), self._inputs))

    def decision_function(self, X: TableLike) -> Reals:
        """What the discriminator gives for each row, (n,): the log odds that it is a real one; a critic's number."""
        self._check_fitted("_theta")

        def judged(chunk: Chunk) -> Reals:
            answers = lambda X, a: a[:, 0].astype(X.dtype, copy=False)  # noqa: E731
            return in_blocks(chunk.X, self._engine(DISCRIMINATOR), self._inputs, answers)

        return self._rows(X, judged, lean=True)

    def discriminate(self, X: TableLike) -> Reals:
        """The probability by the discriminator that each row is a real one, (n,)."""
        a = self.decision_function(X)
        if not self._game.has_value:
            raise InvalidParameter(
                f"{type(self).__name__}: a critic has no probabilities; use decision_function, or another game."
            )
        return sigmoid(a)

    def check_loaded(self) -> None:
        if hasattr(self, "_theta"):
            require(0 < self._maker < len(self._layers), "_maker must leave layers to the discriminator")
            plan = self._stack()
            require(plan.parts[GENERATOR].outputs == len(self._inputs.mean), "the generator must give all columns")
        super().check_loaded()


def _last(units: int) -> Layer:
    return Dense(units, "identity", "glorot_uniform")
