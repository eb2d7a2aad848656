"""Support vector machines for classes by the share of errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ...backend.smo import Programme, Solved
from ...errors import IllConditioned, InvalidData, warn
from ...estimator import estimator
from ...params import param
from ...scikit_learn import Counterpart
from ...typing import Floats
from .class_pairs import ClassPairs
from .sums import filled
from .support_vector_classifier import SupportVectorClassifier
from .support_vectors import LEFT_ASIDE


@estimator
class NuSVC(SupportVectorClassifier):
    """A support vector machine by ν: at most a share ν of the rows is on the wrong side of its margin.

    At least a share ν of them are support vectors. It minimises ½‖w‖² − νρ + Σᵢ sᵢ max(0, ρ − yᵢ (w·φ(xᵢ) + b)) / Σ s,
    and is divided by ρ afterwards, so that margins are 1; for some C it is the same as `SVC`. Several classes are
    learned one against one.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.NuSVC(nu=0.1).fit(iris.matrix(), iris["species"])
    >>> round(model.score(iris.matrix(), iris["species"]), 2)
    0.99
    """

    complexity = "-nu"

    proposed = False

    counterpart: ClassVar = Counterpart("sklearn.svm", ignored=LEFT_ASIDE)

    small: ClassVar = {"tol": 1e-10, "nu": 0.2}  # a larger ν does not suit classes of different sizes
    exemptions: ClassVar[Mapping[str, str]] = {
        "check_class_weight_classifiers": "with weights of 1 to 10,000 no ν of any use is feasible",
    }

    nu: float = param(
        0.5, number=True, above=0, at_most=1, positional=True, doc="The share of errors, and of support vectors."
    )

    def _programme(self, pairs: ClassPairs, i: int, j: int) -> Programme:
        return pairs.programme_of_share(i, j)

    def _start(self, programme: Programme, classes: tuple[object, object]) -> Floats:
        cost = np.maximum(programme.high, -programme.low)
        first, second = np.split(cost, [programme.first])
        wanted = self.nu * float(cost.sum()) / 2
        least = min(float(first.sum()), float(second.sum()))
        if wanted > least * (1 + 1e-12):
            few = classes[0] if first.sum() < second.sum() else classes[1]
            raise InvalidData(
                f"{type(self).__name__}: specified nu is infeasible: nu={self.nu:g} asks for more support vectors of "
                f"class {few!r} than it has rows; between {classes[0]!r} and {classes[1]!r} it can be at most "
                f"{2 * least / float(cost.sum()):.4g}."
            )
        return np.concatenate([filled(first, min(wanted, least)), -filled(second, min(wanted, least))])

    def _plane(self, found: Solved) -> tuple[Floats, float]:
        of_first, of_second = found.levels
        margin = (of_second - of_first) / 2
        if not margin > self.tol:  # to which it is known
            apart = "no margin" if margin <= 0 else f"a margin of {margin:.1g}, within tol={self.tol:g},"
            warn(
                f"{type(self).__name__}: there is {apart} between two classes at nu={self.nu:g}, and decisions "
                "between them mean nothing; take a larger nu, a smaller tol, or a kernel of more features.",
                IllConditioned,
            )
            margin = margin if margin > 1e-6 * self.tol else 1.0
        return found.a / margin, (of_first + of_second) / (2 * margin)
