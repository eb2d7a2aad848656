"""The Bayes classifier with a mixture of Gaussians in each class."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...data import Chunk, Needs, Source
from ...distributions import Beta, DiagonalGaussian, Dirichlet, Mixture
from ...engine import Outcome, Step, closed_form, gain_tol_param, in_turn
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, ByChance, estimator
from ...holds import floats, instance, tuples
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...statistics import DiagonalMoments, PerClass
from ...typing import Floats, RandomState
from .base import BayesClassifier, class_prior, log_of, priors_param, with_rows

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
    units = "columns"
    exemptions: ClassVar[Mapping[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "it shuffles the rows of one of the two tables, and where EM "
        "begins depends on their order; `weights_equal_repetition` has them in order",
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
    priors: ArrayLike | Beta | Dirichlet | None = priors_param()
    reg_covar: float = param(
        1e-6,
        number=True,
        at_least=0,
        doc="ν², what the prior of the covariances is worth, as in `GaussianMixture`; with variances of all classes.",
    )
    tol: float = gain_tol_param(1e-3)
    max_iter: int = param(1000, integer=True, at_least=1, doc="How many iterations of EM at the most.")
    n_init: int = param(1, integer=True, at_least=1, doc="How many starts of each class; the best is kept.")
    random_state: RandomState = random_state_param()

    class_count_: Floats = learned("The weight of the rows of each class, (k,).", holds=floats("k"))
    priors_: Floats = learned("P(class), (k,).", holds=floats("k", at_least=0))
    mixtures_: tuple[Mixture, ...] = learned(
        "The mixture of each class, a distribution.", holds=tuples(instance(Mixture, d="d"), "k")
    )
    holds: ClassVar = {"_members": tuples(instance(Mixture, d="d"), "k")}
    n_iter_: int = learned("The iterations of EM, of the class that had most.")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(source))

    def _solved(self, source: Source) -> Step[Attributes]:
        seen = with_rows(type(self).__name__, source.reduce(_by_class))
        prior = class_prior(type(self).__name__, "priors", self.priors, seen.weight)
        rng = generator(self.random_state)
        whole = sum(seen.parts[1:], seen.parts[0])
        found = list(in_turn([partial(self._fitted, label, source, whole, rng) for label in seen.classes]))
        mixtures = [model.mixture_ for model in found]
        likely = [model.history_.metric("log_likelihood")[-1] for model in found]
        total = float(sum(count * each for count, each in zip(seen.weight, likely, strict=False)))
        for part in seen.parts[len(found) :]:  # Ctrl-C, or a time limit: one Gaussian stands for a class that is left
            mixtures.append(_one_gaussian(part, whole))
            total += mixtures[-1].parts[0].total_log_prob(part)
        attributes = {
            "classes_": seen.classes,
            "class_count_": seen.weight,
            "priors_": prior,
            "mixtures_": tuple(mixtures),
            "n_iter_": max((model.n_iter_ for model in found), default=0),
            "_members": tuple(mixtures),
        }
        with np.errstate(divide="ignore"):
            return Step(attributes, -total - float(np.nansum(seen.weight * np.log(prior))))

    def _fitted(
        self, label: object, source: Source, whole: DiagonalMoments, rng: np.random.Generator
    ) -> GaussianMixture:
        from ..mixture import GaussianMixture

        rows = source.filtered(partial(_is_label, label=label))
        model = GaussianMixture(
            self._components_of(label, rows.reduce(_counted)),
            covariance_type=self.covariance_type,  # type: ignore[arg-type]
            reg_covar=self.reg_covar,
            tol=self.tol,
            max_iter=self.max_iter,
            n_init=self.n_init,
            random_state=rng,
        )
        try:
            return model.fit_source(rows, variance=whole.variance())
        except InvalidData as error:
            raise InvalidData(f"{type(self).__name__}: class '{label}': {error}") from error

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

    def _log_prior(self) -> Floats:
        return log_of(self.priors_)


def _by_class(chunk: Chunk) -> PerClass[DiagonalMoments]:
    return PerClass.of(chunk.X, chunk.y, chunk.weight)


def _is_label(chunk: Chunk, label: object) -> object:
    return np.asarray(chunk.y) == label


def _counted(chunk: Chunk) -> int:
    """How many rows count."""
    return len(chunk) if chunk.weight is None else int(np.count_nonzero(chunk.weight))


def _one_gaussian(part: DiagonalMoments, every: DiagonalMoments) -> Mixture:
    """A Gaussian with the means and variances of the columns, or of all classes where a column says nothing."""
    spread = every.scatter / np.where(every.weight > 0, every.weight, 1.0)
    variance = part.scatter / np.where(part.weight > 0, part.weight, 1.0)
    variance = np.where(variance > 1e-6 * spread, variance, np.where(spread > 0, spread, 1.0))
    return Mixture.of(np.ones(1), (DiagonalGaussian(np.where(part.weight > 0, part.mean, every.mean), variance),))
