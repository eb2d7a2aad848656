"""How much an outlier counts is what the loss says

A line with noise and six wrong values. The squared loss pulls with a force that grows with the residual, the absolute
and Huber's with a constant one; that of Student's t falls again, so that far rows count next to nothing. Powers p of
the residuals between 1 and 2 lie in between.

Rows: G3, G8
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf
from suffice.losses import as_loss

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 60))[:, None]
y = 1 + 2 * x[:, 0] + rng.normal(size=60)
y[-12::2] -= 25
models = {
    "squared": sf.LinearRegression(),
    "absolute, p = 1": sf.LpRegressor(1),
    "p = 1.5": sf.LpRegressor(1.5),
    "Huber": sf.HuberRegressor(),
    "Student's t": sf.StudentTRegressor(),
}
figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 3.8), layout="constrained", width_ratios=[1.5, 1])
left.scatter(x, y, s=12, color="#222222")
slopes = {}
for name, model in models.items():
    slopes[name] = model.fit(x, y).coef_[0]
    left.plot(x, model.predict(x), label=f"{name}: slope {slopes[name]:.2f}")
left.set(xlabel="x", ylabel="y")
left.legend()
r = np.linspace(-4, 4, 401)
for name, loss in {"squared": "squared", "absolute": "absolute", "Huber": "huber", "Student's t": "student_t"}.items():
    colour = f"C{[own.split(',')[0] for own in models].index(name)}"
    right.plot(r, as_loss(loss).gradient(r, 0 * r), color=colour, label=name)
right.set(xlabel="residual", ylim=(-4, 4), title="force on the line: the derivative of the loss")

assert slopes["squared"] < 1.0
assert slopes["squared"] < slopes["p = 1.5"] < slopes["absolute, p = 1"]
assert all(abs(slopes[name] - 2) < 0.15 for name in ("absolute, p = 1", "Huber", "Student's t"))
