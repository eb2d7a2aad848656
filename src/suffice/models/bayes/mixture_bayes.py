"""The Bayes classifier with a mixture of Gaussians in each class."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...data import ArraySource, Chunk, Needs, Source
from ...distributions import Mixture
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, instance, tuples
from ...observing import unobserved
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...statistics import Counts
from .base import BayesClassifier, Floats, class_prior, log_of, priors_param

if TYPE_CHECKING:
    from ..mixture import GaussianMixture


@estimator
class MixtureBayes(BayesClassifier):
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

    needs = Needs(target="classes", missing=True)
    exemptions: ClassVar[Mapping[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "it shuffles the rows of one of the two tables, and where EM "
        "begins depends on their order; `weights_equal_repetition` has them in order",
    }

    components: Any = param(
        2,
        positional=True,
        integer=True,
        at_least=1,
        accept=lambda value: isinstance(value, Mapping),
        allowed="a mapping from classes to numbers",
        doc="How many components each class has; at most as many as the class has rows.",
    )
    covariance_type: str = param(
        "full", choices=("full", "tied", "diag", "spherical"), doc="The shape of the covariances within a class."
    )
    priors: Any = priors_param()
    reg_covar: float = param(1e-6, number=True, at_least=0, doc="ν², which is added to every variance.")
    tol: float = param(1e-3, number=True, at_least=0, doc="Stop when the mean log likelihood of a row rises by less.")
    max_iter: int = param(100, integer=True, at_least=1, doc="How many rounds of EM at the most.")
    n_init: int = param(1, integer=True, at_least=1, doc="How many starts of each class; the best is kept.")
    random_state: Any = random_state_param()

    class_count_: Floats = learned("The weight of the rows of each class, (k,).", holds=floats("k"))
    priors_: Floats = learned("P(class), (k,).", holds=floats("k", at_least=0))
    mixtures_: tuple[Mixture, ...] = learned(
        "The mixture of each class, a distribution.", holds=tuples(instance(Mixture, d="d"), "k")
    )
    holds: ClassVar = {"_members": tuples(instance(Mixture, d="d"), "k")}
    n_iter_: int = learned("The rounds of EM, of the class that had most.")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(source))

    def _solved(self, source: Source) -> Step[Attributes]:
        found = source.reduce(lambda chunk: Counts.of(chunk.y, chunk.weight))
        prior = class_prior(type(self).__name__, "priors", self.priors, found.counts)
        rng, models, total = generator(self.random_state), [], 0.0
        with unobserved():
            for label, count in zip(found.values, found.counts, strict=True):
                model = self._fitted(label, ClassRows.of(source, label), rng)
                models.append(model)
                total += count * model.lower_bound_
        mixtures = tuple(model.mixture_ for model in models)
        attributes = {
            "classes_": found.values,
            "class_count_": found.counts,
            "priors_": prior,
            "mixtures_": mixtures,
            "n_iter_": max(model.n_iter_ for model in models),
            "_members": mixtures,
        }
        with np.errstate(divide="ignore"):
            return Step(attributes, -total - float(np.nansum(found.counts * np.log(prior))))

    def _fitted(self, label: Any, rows: Source, rng: np.random.Generator) -> GaussianMixture:
        from ..mixture import GaussianMixture

        n = rows.reduce(_Rows.of).rows
        model = GaussianMixture(
            min(self._components_of(label), n),
            covariance_type=self.covariance_type,  # type: ignore[arg-type]
            reg_covar=self.reg_covar,
            tol=self.tol,
            max_iter=self.max_iter,
            n_init=self.n_init,
            random_state=rng,
        )
        try:
            return model.fit(rows)
        except InvalidData as error:
            raise InvalidData(f"{type(self).__name__}: class '{label}': {error}") from error

    def _components_of(self, label: Any) -> int:
        if not isinstance(self.components, Mapping):
            return int(self.components)
        k = self.components.get(label, None)
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidParameter(
                f"{type(self).__name__}: components must have a whole number, at least 1, for class '{label}'; "
                f"got {k!r}."
            )
        return int(k)

    def _log_prior(self) -> Floats:
        return log_of(self.priors_)


@dataclass(frozen=True)
class _Rows:
    """How many rows count."""

    rows: int

    @classmethod
    def of(cls, chunk: Chunk) -> _Rows:
        return cls(len(chunk) if chunk.weight is None else int(np.count_nonzero(chunk.weight)))

    def __add__(self, other: _Rows) -> _Rows:
        return _Rows(self.rows + other.rows)

    def is_finite(self) -> bool:
        return True


@dataclass(frozen=True)
class ClassRows(Source):
    """The rows of a source that have a label, without it."""

    source: Source
    label: Any
    schema: Any
    needs: Needs

    @staticmethod
    def of(source: Source, label: Any) -> Source:
        """Those rows of an array as an array, of any other source chunk by chunk."""
        if isinstance(source, ArraySource):
            return dataclasses.replace(source, chunk=_of_class(source.chunk, label))
        return ClassRows(source, label, source.schema, source.needs)

    def chunks(self) -> Generator[Chunk, None, None]:
        for chunk in self.source.chunks():
            own = _of_class(chunk, self.label)
            if len(own):
                yield own

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> ClassRows:
        return dataclasses.replace(self, needs=needs)


def _of_class(chunk: Chunk, label: Any) -> Chunk:
    rows = np.flatnonzero(np.asarray(chunk.y) == label)
    return Chunk(chunk.X[rows], None, None if chunk.weight is None else chunk.weight[rows], chunk.start)
