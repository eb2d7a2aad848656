"""Rows come and go

Naive Bayes keeps sums: a row is added or removed at a cost of O(d), and the model is the same as one fitted anew.

Row: D1
"""

import numpy as np

import suffice as sf

iris = sf.datasets.load("iris")
X, y = iris.matrix(), iris["species"].astype(str)
model = sf.GaussianNB()
lines = [f"{'':<24}{'rows':>6}{'classes':>9}{'accuracy':>10}"]


def note(what):
    """One line of the table: the accuracy on all flowers of the classes that the model knows."""
    known = np.isin(y, model.classes_)
    accuracy = model.score(X[known], y[known])
    lines.append(f"{what:<24}{model.class_count_.sum():6.0f}{len(model.classes_):9}{accuracy:10.3f}")


for first in (0, 50, 100):
    model.partial_fit(X[first : first + 50], y[first : first + 50])
    note(f"add rows {first} to {first + 49}")
assert np.allclose(model.theta_, sf.GaussianNB().fit(X, y).theta_)
model.remove(X[100:], y[100:])
note("remove rows 100 to 149")
assert np.allclose(model.theta_, sf.GaussianNB().fit(X[:100], y[:100]).theta_)
table = "\n".join(lines)
