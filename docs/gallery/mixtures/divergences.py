"""How far apart two distributions are

The Kullback–Leibler divergence of two Gaussians, as their means move apart: it is never negative, 0 only where they
are equal, and not symmetric where the variances differ. The Jensen–Shannon divergence is symmetric and at most log 2.

Corrected: the course prints KL with a minus sign, $-\\sum x \\log (x / x')$, which is never positive.

Row: C12
"""

import numpy as np
from matplotlib import pyplot as plt

from suffice.distributions import DiagonalGaussian, jensen_shannon, kl

moves = np.linspace(-4, 4, 33)
wide, narrow = DiagonalGaussian([0.0], [4.0]), [DiagonalGaussian([m], [1.0]) for m in moves]
there = [kl(wide, other) for other in narrow]
back = [kl(other, wide) for other in narrow]
both = [float(jensen_shannon([p, 1 - p], [1 - p, p])) for p in np.linspace(0.01, 0.99, 33)]

assert min(there) > 0
assert min(back) > 0
assert np.isclose(there[16], np.log(1 / 2) + 4 / 2 - 1 / 2)  # equal means
assert max(both) < np.log(2)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
left.plot(moves, there, label="KL(N(0, 2²) ‖ N(m, 1))")
left.plot(moves, back, label="KL(N(m, 1) ‖ N(0, 2²))")
left.set(xlabel="m", ylabel="nats", ylim=(0, None))
left.legend(loc="upper center")
right.plot(np.linspace(0.01, 0.99, 33), both, color="#009E73")
right.axhline(np.log(2), color="#8a8a8a", linestyle="--", linewidth=0.8)
right.annotate("log 2", (0.5, np.log(2)), xytext=(0, -11), textcoords="offset points", ha="center")
right.set(xlabel="p", title="Jensen–Shannon of (p, 1 − p) and (1 − p, p)")
