"""The perceptron finds a plane, where there is one

Each row on the wrong side moves the plane, $w \\leftarrow w + y_i x_i$. On the left a line separates the classes with
a margin of γ: after at most $(R / \\gamma)^2$ mistakes there are no more, R being the length of the longest row. On
the right no line does. Every epoch makes mistakes, and the fit stops and says so instead of going round for ever.

Row: G4
"""

import warnings

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.errors import NotConverged

rng = np.random.default_rng(0)
X = rng.normal((3, 2), 1, (200, 2))
along = X @ [0.8, 0.6] - 3.6
tables = {"separable": np.abs(along) > 0.06, "not separable": np.abs(along) > 0.0}
figure, panels = plt.subplots(1, 3, figsize=(10.4, 3.3), layout="constrained")
for ax, (name, kept) in zip(panels, tables.items(), strict=False):
    rows, y = X[kept], along[kept] > 0
    if name == "not separable":
        y = y ^ (rng.uniform(size=len(y)) < 0.08)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NotConverged)
        model = sf.Perceptron(random_state=0, n_iter_no_change=20).fit(rows, y)
    sf.plots.DecisionRegionsDisplay.from_estimator(model, rows, y, names=("x₁", "x₂"), ax=ax)
    ax.set_title(f"{name}: {model.score(rows, y):.0%} right after {model.mistakes_} mistakes")
    ax.get_legend().remove()
    panels[2].plot(np.arange(1, model.n_iter_ + 1), model.history_.objective, marker=".", label=name)
    if name == "separable":
        longest = np.linalg.norm(np.column_stack([rows, np.ones(len(rows))]), axis=1).max()  # the 1 is the intercept's
        bound = (longest / (0.06 / np.linalg.norm([0.8, 0.6, -3.6]))) ** 2
        assert not caught
        assert 0 < model.mistakes_ < bound
    else:
        assert "no plane that separates the classes" in str(caught[0].message)
panels[2].set(xlabel="epoch", title="loss of the rows on the wrong side", ylim=(0, None))
panels[2].legend()
