"""A detector of patterns in pictures: boosted stumps on differences of boxes, in stages that reject early.

As Viola and Jones (2001) find faces. Nearly all windows of a picture show nothing, and a few differences tell that of
most; so the first stages are small, and only windows that pass them are looked at by the next. Every stage is boosted
on the windows that those before let through, and its threshold is lowered until nearly all patterns pass.
"""

from dataclasses import dataclass

import numpy as np

import suffice as sf

SIDE = 16  # pixels of a window
PASS = 0.995  # of the patterns, at least, in each stage
ROUNDS = (3, 6, 12, 25)  # stumps of the stages


def spots(places, sizes, side=SIDE):
    """Blots at places (n, 2) of a picture, with sizes down and across, (n, side, side)."""
    down, across = (((np.arange(side) - places[:, k, None]) / sizes[k]) ** 2 for k in (0, 1))
    return np.exp(-(down[:, :, None] + across[:, None, :]) / 2)


def backgrounds(n, rng, side=SIDE):
    """Pictures of edges, blots and noise, (n, side, side)."""
    rows, columns = np.mgrid[:side, :side] / SIDE
    made = 0.2 * rng.normal(size=(n, side, side))
    turn, phase = rng.uniform(0, 2 * np.pi, (2, n, 1, 1))
    wave = np.sin(4 * (np.cos(turn) * rows + np.sin(turn) * columns) + phase)
    made += rng.normal(size=(n, 1, 1)) * np.where(rng.random((n, 1, 1)) < 0.5, wave, np.sign(wave)) / 2
    for _ in range(5 * (side // SIDE) ** 2):
        own = spots(rng.uniform(0, side, (n, 2)), rng.uniform(1, 3.5, 2), side)
        made += rng.choice([-2, 2], (n, 1, 1), p=[0.75, 0.25]) * rng.uniform(0.3, 1.2, (n, 1, 1)) * own
    return made


def patterns(n, rng):
    """Faces of a kind: two dark eyes, a bright bridge between them, a dark mouth, each a little elsewhere."""
    made = 0.45 * backgrounds(n, rng)
    for at, sizes, depth in (((5, 4), (1.6, 2.0), -2), ((5, 11), (1.6, 2.0), -2), ((7, 7.5), (3, 1), 1),
                             ((12, 7.5), (1.2, 3.5), -2)):  # fmt: skip
        own = spots(np.array(at) + rng.normal(scale=0.5, size=(n, 2)), sizes)
        made += depth * rng.uniform(0.6, 1.2, (n, 1, 1)) * own
    return made


def boxes():
    """Differences of two boxes side by side, or one above the other: (features, 5) of top, left, height, width, way."""
    sizes = range(2, SIDE // 2 + 1, 2)
    found = [(top, left, high, wide, way) for high in sizes for wide in sizes for way in (0, 1)
             for top in range(0, SIDE - high * (1 + way) + 1, 2)
             for left in range(0, SIDE - wide * (2 - way) + 1, 2)]  # fmt: skip
    return np.array(found)


def features(pictures, which):
    """Means of boxes less those of their neighbours, in units of the window's spread, (n, features)."""
    spread = pictures.std(axis=(1, 2))[:, None] + 1e-9
    sums = np.zeros((len(pictures), SIDE + 1, SIDE + 1))
    sums[:, 1:, 1:] = pictures.cumsum(axis=1).cumsum(axis=2)  # the integral image: a box is four of its cells
    top, left, high, wide, way = which.T

    def box(top, left):
        low, right = top + high, left + wide
        return sums[:, low, right] - sums[:, top, right] - sums[:, low, left] + sums[:, top, left]

    return (box(top, left) - box(top + way * high, left + (1 - way) * wide)) / (high * wide) / spread


@dataclass
class Stage:
    model: sf.AdaBoostClassifier
    threshold: float

    @property
    def columns(self):
        """The features that its stumps look at."""
        return np.unique([stump.trees_.column[0] for stump in self.model.estimators_])

    def passes(self, pictures, which):
        """Which windows may be patterns, by no more features than it needs."""
        X = np.zeros((len(pictures), len(which)))
        X[:, self.columns] = features(pictures, which[self.columns])
        return self.model.decision_function(X) >= self.threshold


def learned(rng, n=1000):
    """The stages, and how many of the backgrounds that a stage has seen it lets through."""
    which, stages, let_through = boxes(), [], []
    yes, held_out = patterns(n, rng), features(patterns(n, rng), boxes())
    for rounds in ROUNDS:
        no = np.concatenate([passed(stages, backgrounds(4 * n, rng), which)[0] for _ in range(1 + 2 * len(stages))])[:n]
        if len(no) < 50:
            break  # hardly any are left
        X = features(np.concatenate([yes, no]), which)
        model = sf.AdaBoostClassifier(n_estimators=rounds).fit(X, np.repeat([1, 0], [len(yes), len(no)]))
        stages.append(Stage(model, float(np.quantile(model.decision_function(held_out), 1 - PASS))))
        let_through.append(float(stages[-1].passes(no, which).mean()))
    return stages, let_through


def passed(stages, pictures, which):
    """The windows that pass all stages, their numbers, and how many features were computed for one, on average."""
    numbers, looked_at = np.arange(len(pictures)), 0
    for stage in stages:
        looked_at += len(numbers) * len(stage.columns)
        numbers = numbers[stage.passes(pictures[numbers], which)]
    return pictures[numbers], numbers, looked_at / max(len(pictures), 1)


def found(stages, picture, fewest=3):
    """Where patterns are in a picture: the middles of groups of at least so many windows that pass, (m, 2)."""
    views = np.lib.stride_tricks.sliding_window_view(picture, (SIDE, SIDE))
    _, numbers, _ = passed(stages, views.reshape(-1, SIDE, SIDE), boxes())
    places = np.column_stack(np.unravel_index(numbers, views.shape[:2])).astype(float)
    if len(places) < fewest:
        return np.empty((0, 2))
    tree = sf.AgglomerativeClustering(n_clusters=None, distance_threshold=SIDE / 2, linkage="average").fit(places)
    groups = [places[tree.labels_ == k] for k in np.unique(tree.labels_)]
    return np.array([own.mean(axis=0) for own in groups if len(own) >= fewest]).reshape(-1, 2)
