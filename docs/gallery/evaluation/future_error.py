"""An interval for the future error

After n test rows with error E the true error lies in E ± z √(E(1 − E)/n), with 95 % confidence for z = 1.96. For few
rows or few errors Wilson's interval is better: the first has no width where no error was seen. How often each covers
a true error of 0.05, by counting all outcomes:

Corrected: the course multiplies by "Φ⁻¹ × (1 − p)/2"; the factor is the quantile Φ⁻¹((1 + p)/2) = 1.96 for p = 0.95.

Row: K2
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.stats import binom

from suffice.resampling import wald, wilson

truth, sizes = 0.05, np.arange(10, 251, 20)
covered = {"E ± 1.96 √(E(1 − E)/n)": wald, "Wilson": wilson}
figure, ax = plt.subplots(figsize=(5.2, 3.3), layout="constrained")
means = {}
for name, interval in covered.items():
    shares = []
    for n in sizes:
        found = [interval(int(k), int(n)) for k in range(n + 1)]
        shares.append(sum(binom.pmf(k, n, truth) for k, each in enumerate(found) if each.low <= truth <= each.high))
    means[name] = np.mean(shares)
    ax.plot(sizes, shares, marker=".", label=name)
ax.axhline(0.95, color="#8a8a8a", linestyle="--", linewidth=0.8)
ax.set(xlabel="test rows", ylabel="coverage", ylim=(0.3, 1.02))
ax.legend(loc="lower right")

example = wald(10, 100)
assert np.allclose((example.low, example.high), 0.1 + np.array([-1, 1]) * 1.96 * np.sqrt(0.09 / 100), atol=1e-4)
assert means["Wilson"] > 0.94 > means["E ± 1.96 √(E(1 − E)/n)"]
