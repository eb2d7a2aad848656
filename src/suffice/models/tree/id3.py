"""ID3: a tree of categories by information gain."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import estimator
from ...params import param
from .multiway import MultiwayTreeModel


@estimator
class ID3Classifier(MultiwayTreeModel):
    """A tree with a branch for each category, split where the information gain is greatest (Quinlan, 1986).

    The gain of a split is H(c) − Σ w H(c | branch), in bits, by the weights w of the branches. A column of numbers is
    cut in two. Growth stops in pure leaves, where nothing is left to ask, or at the limits: `max_depth`, `min_gain`,
    and `significance`, the largest p-value of a χ² test of classes against branches. Columns with many categories gain
    most by chance; `C45Classifier` takes that into account, and prunes.

    Examples
    --------
    >>> import suffice as sf
    >>> table = sf.datasets.load("play_tennis").to_frame()
    >>> model = sf.ID3Classifier().fit(table.drop(columns="play"), table["play"])
    >>> model.gain_.round(3)
    array([0.247, 0.029, 0.152, 0.048])
    >>> print(model.rules())
    outlook = overcast: yes (4)
    outlook = rain
    |   wind = strong: no (2)
    |   wind = weak: yes (3)
    outlook = sunny
    |   humidity = high: no (3)
    |   humidity = normal: yes (2)
    """

    complexity = "max_depth"

    proposed = False  # DecisionTreeClassifier takes the same tables, and is quicker

    missing: str = param(
        "branch",
        choices=("fractions", "branch", "learned"),
        doc="Where rows with a missing value go: in parts to all branches, to a branch of their own, or to the branch "
        "where they do best.",
    )

    _criterion: ClassVar = "gain"
