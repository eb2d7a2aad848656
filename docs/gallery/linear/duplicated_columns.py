"""The same evidence, counted once or ten times

A column that stands in the table ten times says no more than once. Naive Bayes multiplies ten equal likelihoods and
becomes sure of itself; logistic regression spreads one slope over ten columns, and its probabilities stay what they
were. Rows that naive Bayes calls 90 % certain are right far less often.

Rows: D1, G5
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
y = np.arange(4000) % 2
x = rng.normal(size=(4000, 1)) + 0.7 * (2 * y[:, None] - 1)
train, new = slice(0, 2000), slice(2000, 4000)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
line = np.linspace(-3, 3, 201)[:, None]
ways = {"naive Bayes": sf.GaussianNB(), "logistic regression": sf.LogisticRegression(C=1e6)}
losses, sure = {}, {}
for name, model in ways.items():
    for copies, style in ((1, "--"), (10, "-")):
        model.fit(np.tile(x[train], copies), y[train])
        label = f"{name}, {copies} cop{'y' if copies == 1 else 'ies'}"
        colour = "C0" if name == "naive Bayes" else "C1"
        left.plot(line, model.predict_proba(np.tile(line, copies))[:, 1], style, color=colour, label=label)
        p = model.predict_proba(np.tile(x[new], copies))
        losses[name, copies] = -np.log(p[np.arange(2000), y[new]]).mean()
        certain = p.max(axis=1) > 0.9
        sure[name, copies] = (p.argmax(axis=1) == y[new])[certain].mean(), certain.mean()
left.set(xlabel="x", ylabel="P(class 1 | x)")
left.legend(loc="lower right", fontsize=8)
bars = [f"{name.split()[0]}\n× {copies}" for name, copies in sure]
right.bar(bars, [part for _, part in sure.values()], color=["C0", "C0", "C1", "C1"], alpha=0.35)
right.plot(bars, [correct for correct, _ in sure.values()], "o", color="#222222")
right.set(ylim=(0, 1), title="called 90 % certain (bars); right of these (points)")

assert losses["naive Bayes", 10] > 2 * losses["naive Bayes", 1]
assert abs(losses["logistic regression", 10] - losses["logistic regression", 1]) < 1e-3
assert sure["naive Bayes", 10][0] < 0.85 < 0.9 < sure["logistic regression", 10][0]
