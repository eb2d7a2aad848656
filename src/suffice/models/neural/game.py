"""The game of a generator and a discriminator: what each of them loses, and the steps that they take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ...choices import Choices, Named, check_number
from ...holds import number
from ...registry import register_member
from ...typing import Floats, Reals
from .batches import Batch
from .cells import sigmoid
from .joined import JoinedEngine
from .torch_engine import TorchEngine, torch
from .training import Move

GENERATOR, DISCRIMINATOR = 0, 1


class Game(Named):
    """Base: a subclass says what the discriminator loses by its outputs for real and drawn rows, and the generator."""

    members: ClassVar[list[type[Game]]] = []
    penalty: float = 0.0  # of gradients of the discriminator whose length is not 1
    has_value: ClassVar[bool] = True  # whether it is played for E log D(x) + E log(1 − D(G(z)))

    def __init_subclass__(cls) -> None:
        Game.members.append(cls)
        GAMES.register(cls)
        register_member(cls, "game")

    def real(self, a: Reals) -> tuple[Reals, Reals]:
        """What the discriminator loses by its output for each real row, and the slope."""
        return _softplus(-a), -sigmoid(-a)

    def drawn(self, a: Reals) -> tuple[Reals, Reals]:
        """What it loses by its output for each drawn row, and the slope."""
        return _softplus(a), sigmoid(a)

    def generator(self, a: Reals) -> tuple[Reals, Reals]:
        """What the generator loses, and the slope."""
        raise TypeError(f"{type(self).__name__} does not define generator")


GAMES: Choices[Game] = Choices("game", Game)


@dataclass(frozen=True)
class NonSaturating(Game):
    """The generator minimises −log D(G(z)): its gradient does not vanish where the discriminator is sure."""

    names: ClassVar = ("non_saturating",)

    def generator(self, a: Reals) -> tuple[Reals, Reals]:
        return _softplus(-a), -sigmoid(-a)


@dataclass(frozen=True)
class Minimax(Game):
    """The generator minimises log(1 − D(G(z))): both play for one value, as the theory has it."""

    names: ClassVar = ("minimax",)

    def generator(self, a: Reals) -> tuple[Reals, Reals]:
        return -_softplus(a), -sigmoid(a)


@dataclass(frozen=True)
class Wasserstein(Game):
    """D is a critic: it minimises E D(G(z)) − E D(x) + penalty · E (‖∇D‖ − 1)² (Gulrajani et al., 2017)."""

    penalty: float = 10.0
    names: ClassVar = ("wasserstein",)
    has_value: ClassVar[bool] = False
    holds: ClassVar = {"penalty": number(at_least=0)}

    def __post_init__(self) -> None:
        check_number(self, "penalty", 0.0)

    def real(self, a: Reals) -> tuple[Reals, Reals]:
        return -a, np.full_like(a, -1)

    def drawn(self, a: Reals) -> tuple[Reals, Reals]:
        return a, np.ones_like(a)

    def generator(self, a: Reals) -> tuple[Reals, Reals]:
        return -a, np.full_like(a, -1)


@dataclass
class Players:
    """Learns from a batch: turns of the discriminator and one of the generator, or both at once."""

    engine: JoinedEngine
    game: Game
    latent: int
    turns: int  # of the discriminator
    simultaneous: bool
    sums: Floats = field(default_factory=lambda: np.zeros(3))  # Σ w of both losses, and Σ w

    def learn(self, batch: Batch, move: Move) -> tuple[float, float]:
        """The turns of one batch."""
        weight = np.ones(len(batch)) if batch.weight is None else batch.weight.astype(np.float64)
        share = (weight / weight.sum()).astype(batch.X.dtype)
        plan = self.engine.plan
        if self.simultaneous:
            lost = self._discriminator(batch.X, share)
            given = self._generator(len(batch), batch.X.dtype)
            move()
        else:
            for turn in range(self.turns):
                lost = self._discriminator(batch.X, share)
                move(plan.parameters(DISCRIMINATOR), turn, self.turns)
            given = self._generator(len(batch), batch.X.dtype)
            move(plan.parameters(GENERATOR))
        total = float(weight.sum())
        self.sums += [total * lost, total * given, total]
        return total * lost, total

    def _drawn(self, rows: int, dtype: np.dtype[np.floating]) -> Reals:
        Z = self.engine.rng.standard_normal((rows, self.latent)).astype(dtype)
        return self.engine.parts[GENERATOR].forward(Z)

    def _discriminator(self, X: Reals, share: Reals) -> float:
        """What the discriminator loses by a batch and as many drawn rows; its gradient is collected."""
        self.engine.spread()
        judge = self.engine.parts[DISCRIMINATOR]
        drawn = self._drawn(len(X), X.dtype)
        a = judge.forward(np.concatenate([X, drawn]))[:, 0]
        real, by_real = self.game.real(a[: len(X)])
        fake, by_fake = self.game.drawn(a[len(X) :])
        even = X.dtype.type(1 / len(X))
        judge.backward(np.concatenate([by_real * share, by_fake * even])[:, None])
        lost = float(real @ share) + float(fake.mean())
        if self.game.penalty > 0:
            between = self.engine.rng.random((len(X), 1)).astype(X.dtype)
            assert isinstance(judge, TorchEngine)
            lost += penalised(judge, between * X + (1 - between) * drawn, self.game.penalty)
        self.engine.collect(DISCRIMINATOR)
        return lost

    def _generator(self, rows: int, dtype: np.dtype[np.floating]) -> float:
        """What the generator loses by new rows; its gradient, which comes through the discriminator, is collected."""
        self.engine.spread()
        maker, judge = self.engine.parts
        a = judge.forward(self._drawn(rows, dtype))[:, 0]
        lost, slope = self.game.generator(a)
        by_rows = judge.backward((slope * slope.dtype.type(1 / rows))[:, None])
        assert by_rows is not None
        maker.backward(by_rows)
        self.engine.collect(GENERATOR)
        return float(lost.mean())

    def loss(self, batch: Batch) -> Floats:
        """What the discriminator loses, as predictions have it."""
        self.engine.spread()
        maker, judge = self.engine.parts
        Z = np.random.default_rng(0).standard_normal((len(batch), self.latent)).astype(batch.X.dtype)
        real, fake = (judge.outputs(rows)[:, 0] for rows in (batch.X, maker.outputs(Z)))
        weight = np.ones(len(batch)) if batch.weight is None else batch.weight.astype(np.float64)
        lost = weight @ self.game.real(real)[0] + weight.sum() * float(self.game.drawn(fake)[0].mean())
        return np.array([lost, weight.sum()])

    def terms(self) -> Mapping[str, float]:
        """Both losses by the mean of an epoch; the value of the game beside its optimum, where it has one."""
        judged, made, weight = self.sums
        self.sums = np.zeros(3)
        if weight <= 0:
            return {}
        found = {"discriminator_loss": float(judged / weight), "generator_loss": float(made / weight)}
        if not self.game.has_value:
            return found
        value = -float(judged / weight)
        return found | {"value": value, "jensen_shannon": max(0.0, 0.5 * (value + 2 * math.log(2)))}


def penalised(critic: TorchEngine, X: Reals, strength: float) -> float:
    """strength · E (‖∇D(x)‖ − 1)²; its gradient is added to the critic's."""
    library = torch()
    rows = critic.tensor(X).requires_grad_(True)
    out = critic.through(critic.in_shape(rows))
    (slope,) = library.autograd.grad(out.sum(), rows, create_graph=True)
    penalty = strength * ((slope.flatten(1).norm(dim=1) - 1) ** 2).mean()
    penalty.backward()
    return float(penalty.detach())


def _softplus(a: Reals) -> Reals:
    return np.asarray(np.logaddexp(0, a), dtype=a.dtype)
