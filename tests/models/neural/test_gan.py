"""The game of generator and discriminator: gradients by finite differences, its end, and what is drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.layers import Dense, LeakyReLU, Plan
from suffice.models.neural.batches import Batch
from suffice.models.neural.engine import engine_of
from suffice.models.neural.game import DISCRIMINATOR, GENERATOR, Players
from suffice.models.neural.joined import JoinedEngine, JoinedPlan
from suffice.models.neural.torch_engine import TorchEngine
from suffice.optimizers import Adam

TURN = np.arange(8) * np.pi / 4
MODES = 2 * np.column_stack([np.cos(TURN), np.sin(TURN)])


def _players(game):
    plan = JoinedPlan(
        ("generator", "discriminator"),
        (
            Plan.of([Dense(5, "tanh"), Dense(2, "identity")], (3,)),
            Plan.of([Dense(6, "tanh"), Dense(1, "identity")], (2,)),
        ),
    )
    kind = TorchEngine if game.penalty else engine_of
    engines = [
        engine_of(plan.parts[0], np.dtype(float), "cpu", "test"),
        kind(plan.parts[1], np.dtype(float), "cpu", "test"),
    ]
    engines[DISCRIMINATOR].passes_on = True
    joined = JoinedEngine(plan, engines, np.dtype(float))
    joined.load(plan.begun(np.random.default_rng(1)), plan.begun_running(np.random.default_rng(1)))
    return Players(joined, game, 3, 1, False)


@pytest.mark.parametrize(
    "game", [sf.NonSaturating(), sf.Minimax(), sf.Wasserstein(2.0)], ids=lambda game: game.names[0]
)
@pytest.mark.parametrize("who", [GENERATOR, DISCRIMINATOR])
def test_both_gradients_are_those_of_finite_differences(game, who):
    players = _players(game)
    X = np.random.default_rng(0).normal(size=(7, 2))
    share = np.full(7, 1 / 7)

    def lost(theta):
        players.engine.theta[...] = theta
        players.engine.rng = np.random.default_rng(3)
        if who == DISCRIMINATOR:
            return players._discriminator(X, share)
        return players._generator(7, np.dtype(float))

    theta = players.engine.theta.copy()
    lost(theta)
    part = players.engine.plan.parameters(who)
    gradient = players.engine.slope[part].copy()
    for j in range(part.start, part.stop, 3):
        step = np.zeros(len(theta))
        step[j] = 1e-6
        assert (lost(theta + step) - lost(theta - step)) / 2e-6 == pytest.approx(gradient[j - part.start], abs=1e-6)


def test_a_discriminator_that_knows_nothing_gives_the_end_of_the_game():
    players = _players(sf.Minimax())
    players.engine.theta[...] = 0
    batch = Batch(np.random.default_rng(0).normal(size=(9, 2)), np.zeros((9, 0)), None)
    players.learn(batch, lambda part=None, turn=0, turns=1: None)
    found = players.terms()
    assert found["value"] == pytest.approx(-2 * math.log(2))
    assert found["jensen_shannon"] == pytest.approx(0, abs=1e-12)
    assert players.terms() == {}


@pytest.mark.parametrize("steps", ["alternating", "simultaneous"])
def test_one_gaussian_is_learned(steps):
    X = np.random.default_rng(0).normal([3.0, -1.0], [1.0, 0.5], size=(600, 2))
    model = sf.GAN(
        [Dense(16)], discriminator=[Dense(16, LeakyReLU(0.2))], steps=steps, optimizer=Adam(beta_1=0.5),
        learning_rate=2e-3, batch_size=100, max_iter=60, random_state=0,
    ).fit(X)  # fmt: skip
    drawn = model.sample(2000)
    np.testing.assert_allclose(drawn.mean(axis=0), [3, -1], atol=0.3)
    assert model.discriminate(X).mean() == pytest.approx(0.5, abs=0.1)
    assert model.diagnose(X).distance < 0.5


def test_all_modes_of_a_ring_are_drawn():
    rng = np.random.default_rng(0)
    ring = MODES[rng.integers(0, 8, 2000)] + 0.1 * rng.normal(size=(2000, 2))
    model = sf.GAN(optimizer=Adam(beta_1=0.5), batch_size=100, max_iter=60, random_state=0).fit(ring)
    found = model.diagnose(ring, modes=MODES)
    assert found.covered >= 7 / 8
    assert found.stray < 0.2
    assert model.history_.iterations[-1].metrics["jensen_shannon"] < 0.1


def test_what_a_game_cannot_do_is_said():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(InvalidParameter, match="which a game has not"):
        sf.GAN(early_stopping=True).fit(X)
    critic = sf.GAN([Dense(4)], discriminator=[Dense(4)], game="wasserstein", max_iter=1, random_state=0).fit(X)
    assert critic.decision_function(X).shape == (20,)
    with pytest.raises(InvalidParameter, match="a critic has no probabilities"):
        critic.discriminate(X)
    with pytest.raises(InvalidParameter, match="game must be"):
        sf.GAN(game="chess").fit(X)
