"""A game that learns a ring of eight Gaussians

A generator and a discriminator of two hidden layers each. Right, the value of the game on its way to −2 log 2, where
the discriminator can no longer tell drawn rows from real ones, and the losses of both. What `diagnose` counts stands
above: whether all of the ring is drawn.

Row: J5
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.optimizers import Adam

rng = np.random.default_rng(0)
turn = np.arange(8) * np.pi / 4
modes = 2 * np.column_stack([np.cos(turn), np.sin(turn)])
X = modes[rng.integers(0, 8, 2000)] + 0.1 * rng.normal(size=(2000, 2))
gan = sf.GAN(optimizer=Adam(beta_1=0.5), learning_rate=2e-3, batch_size=100, max_iter=120, random_state=0).fit(X)
found, drawn = gan.diagnose(X, modes=modes, radius=0.4), gan.sample(800)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained", width_ratios=(1, 1.3))
left.scatter(*X[:800].T, s=4, color="0.75", label="real")
left.scatter(*drawn.T, s=4, label="drawn")
left.set(aspect="equal", title=f"{found.covered:.0%} of the modes, {found.stray:.0%} astray")
left.legend(loc="center")
for name in ("value", "discriminator_loss", "generator_loss"):
    right.plot([one.metrics[name] for one in gan.history_.iterations], label=name.replace("_", " "))
right.axhline(-2 * np.log(2), color="0.6", linewidth=1, linestyle="--", label="−2 log 2")
right.set(xlabel="epoch", title="the game")
right.legend(loc="center right")

assert found.covered >= 7 / 8
assert abs(gan.history_.iterations[-1].metrics["value"] + 2 * np.log(2)) < 0.15
