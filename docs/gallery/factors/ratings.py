"""Ratings: what somebody would give to a film not seen yet

150 people and 40 films of four kinds, and a third of all ratings, as triples of names and stars; who likes what is
drawn here, with a noise of half a star, below which no error can fall. Matrix factorisation gives everybody and every
film a bias and a few factors: four kinds less their mean, which is a bias, are three. The error of ratings set aside
says so too. The table is what it recommends to those who like one kind, among films that they have not rated.

Row: E6
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

rng = np.random.default_rng(0)
kinds = ["space", "love", "crime", "nature"]
films = np.array([f"{kind} {number}" for kind in kinds for number in range(1, 11)])
people = np.array([*(f"{kind} fan" for kind in kinds), *(f"person {i}" for i in range(146))])
taste = np.vstack([1.5 * np.eye(4) - 0.5, rng.normal(size=(146, 4))])
stars = 3 + 0.3 * rng.normal(size=40) + np.repeat(taste, 10, axis=1) + 0.5 * rng.normal(size=(150, 40))
i, j = np.nonzero(rng.random(stars.shape) < 0.33)
known, aside = np.array_split(rng.permutation(len(i)), [int(0.8 * len(i))])


def fitted(k):
    model = sf.MatrixFactorization(k, l2=0.1, random_state=0)
    return model.fit_triples(people[i[known]], films[j[known]], stars[i, j][known])


error = {k: -fitted(k).score(people[i[aside]], stars[i, j][aside], columns=films[j[aside]]) for k in range(1, 9)}
best = min(error, key=error.get)
found, expected = fitted(best).recommend(people[:4], 3)
assert best == 3
assert 0.5 < error[best] < 0.75 < error[1]
assert all(film.startswith(kind) for kind, row in zip(kinds, found, strict=True) for film in row)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", width_ratios=[4, 5])
left.plot(list(error), list(error.values()), marker="o")
left.axhline(0.5, color="black", linestyle="--", label="noise")
left.set(xlabel="factors", ylabel="error of ratings set aside, stars", ylim=(0.4, None))
left.legend()
cells = [[f"{film}: {x:.1f}" for film, x in zip(*row, strict=True)] for row in zip(found, expected, strict=True)]
right.table(cells, rowLabels=people[:4], colLabels=["first", "second", "third"], bbox=[0.2, 0.1, 0.8, 0.75])
right.set_title("recommended, and the stars expected", x=0.2)
right.set_axis_off()
