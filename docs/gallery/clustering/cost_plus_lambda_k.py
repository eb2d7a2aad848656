"""Cost + λK

A price λ for each cluster makes the number of clusters part of the objective $J + \\lambda K$. For each price the
minimum over K is marked: a high price gives few clusters, a low one many. For any λ between the gain from 2 to 3
clusters and that from 3 to 4 the answer is 3, which is the elbow in other words.

Row: B7
"""

from matplotlib import pyplot as plt

import suffice as sf

X = sf.datasets.load("xclara").matrix()[::3]
K = list(range(1, 9))
costs = [sf.KMeans(k, n_init=5, random_state=0).fit(X).inertia_ for k in K]
prices = {"λ = 700,000": 7e5, "λ = 50,000": 5e4, "λ = 3,000": 3e3}

figure, ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
chosen = {}
for name, price in prices.items():
    total = [(cost + price * k) / 1e6 for cost, k in zip(costs, K, strict=True)]
    chosen[name] = K[total.index(min(total))]
    (line,) = ax.plot(K, total, marker=".", label=f"{name}: K = {chosen[name]}")
    ax.plot(chosen[name], min(total), "o", ms=9, color=line.get_color())
ax.set(xlabel="K", ylabel="J + λK, in millions")
ax.legend()

assert list(chosen.values()) == [2, 3, 8]
assert costs[1] - costs[2] > 5e4 > costs[2] - costs[3]
