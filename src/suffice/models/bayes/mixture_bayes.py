"""The Bayes classifier with a mixture of Gaussians in each class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ...data import Chunk, Source
from ...distributions import Distribution, Mixture
from ...errors import InvalidParameter
from ...estimator import Attributes, ByChance, estimator
from ...holds import instance, tuples
from ...params import learned, param
from ...statistics import DiagonalMoments
from .class_mixtures import ClassMixtures, Found


@estimator
class MixtureBayes(ClassMixtures):
    """Bayes' rule with a Gaussian mixture in each class: P(c | x) ∝ P(c) Σⱼ π_cj N(x; m_cj, C_cj).

    Each class is a `GaussianMixture` of its own rows, fitted by EM. Missing values are integrated out, at `fit` and at
    `predict`. The objective is the negative log likelihood of the rows with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> model = sf.MixtureBayes({"B": 2, "O": 2}, random_state=0).fit(crabs.matrix(), crabs["sp"])
    >>> model.score(crabs.matrix(), crabs["sp"])
    1.0
    >>> model.mixtures_[0].weights.round(1)
    array([0.5, 0.5])
    """

    exemptions: ClassVar[Mapping[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": ByChance(
            "it shuffles the rows of one of the two tables, and where EM begins depends on their order; "
            "`weights_equal_repetition` has them in order"
        ),
        "order_of_rows_does_not_matter": ByChance("the rows where EM begins are drawn in their order"),
    }

    components: Any = param(
        2,
        positional=True,
        integer=True,
        at_least=1,
        accept=lambda value: isinstance(value, Mapping),
        allowed="a mapping from classes to numbers",
        doc="How many components each class has; one number is lowered to the rows of a class that has fewer.",
    )
    covariance_type: str = param(
        "full", choices=("full", "tied", "diag", "spherical"), doc="The shape of the covariances within a class."
    )
    reg_covar: float = param(
        1e-6,
        number=True,
        at_least=0,
        doc="ν², what the prior of the covariances is worth, as in `GaussianMixture`; with variances of all classes.",
    )
    mixtures_: tuple[Mixture, ...] = learned(
        "The mixture of each class, a distribution.", holds=tuples(instance(Mixture, d="d"), "k")
    )
    holds: ClassVar = {"_members": tuples(instance(Mixture, d="d"), "k")}

    def _fitted(self, plan: object, rows: Source, whole: DiagonalMoments, rng: np.random.Generator) -> Found:
        from ..mixture import GaussianMixture

        model = GaussianMixture(
            self._components_of(plan, rows.reduce(_counted)),
            covariance_type=self.covariance_type,  # type: ignore[arg-type]
            reg_covar=self.reg_covar,
            tol=self.tol,
            max_iter=self.max_iter,
            n_init=self.n_init,
            random_state=rng,
        ).fit_source(rows, variance=whole.variance())
        return Found(model.mixture_, model.history_.metric("log_likelihood")[-1], model.n_iter_)

    def _attributes(self, densities: tuple[Distribution, ...]) -> Attributes:
        return {"mixtures_": densities, "_members": densities}

    def _components_of(self, label: object, rows: int) -> int:
        if not isinstance(self.components, Mapping):
            return min(int(self.components), rows)
        k = self.components.get(label, None)
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidParameter(
                f"{type(self).__name__}: components must have a whole number, at least 1, for class '{label}'; "
                f"got {k!r}."
            )
        if k > rows:
            raise InvalidParameter(
                f"{type(self).__name__}: components asks for {k} of class '{label}', which has only {rows} rows that "
                "count. Ask for fewer."
            )
        return int(k)


def _counted(chunk: Chunk) -> int:
    """How many rows count."""
    return len(chunk) if chunk.weight is None else int(np.count_nonzero(chunk.weight))
