"""The Bayes classifier with any distribution in each class."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...data import Chunk, Needs, Source
from ...distributions import FAMILIES, Distribution, Mixture, as_distribution
from ...engine import Outcome
from ...errors import InvalidData, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, estimator
from ...holds import instance, tuples
from ...params import learned, param
from ...statistics import ColumnSums, DiagonalMoments
from ...typing import Labels
from .class_mixtures import ClassMixtures, Found, said_of
from .pooling import CENTRED, beginning, pooled_densities


def _are_families(value: object) -> bool:
    given = list(value.values()) if isinstance(value, Mapping) else value
    return isinstance(given, list | tuple) and len(given) > 0 and all(family in FAMILIES for family in given)


@estimator
class DensityBayes(ClassMixtures):
    """Bayes' rule with any density in each class: P(c | x) ∝ P(c) p(x | θ_c).

    `density` is a family of `suffice.distributions`, its name, a `Mixture` of one, or one for each class. Its
    parameters are fitted to the rows of each class, by EM where something is latent; a member that has all its
    parameters is the known density of its class, and stays as it is. With `shared`, classes differ by their means
    alone, and the covariance, or what else the family has, is that of all rows about the mean of their class. Missing
    values are left out or integrated out where the family allows them. The objective is the negative log likelihood
    of the rows with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> from suffice.distributions import Mixture, StudentT
    >>> iris = sf.datasets.load("iris")
    >>> X, y = iris.matrix(), iris["species"]
    >>> robust = sf.DensityBayes(StudentT(df=4.0, estimate_df=False), shared=True).fit(X, y)
    >>> robust.score(X, y), robust.densities_[0].df
    (0.98, 4.0)
    >>> each = {"setosa": "gaussian", "versicolor": StudentT(), "virginica": Mixture("diagonal_gaussian", 2)}
    >>> [type(density).__name__ for density in sf.DensityBayes(each, random_state=0).fit(X, y).densities_]
    ['Gaussian', 'StudentT', 'Mixture']
    """

    proposed = False  # QuadraticDiscriminantAnalysis is the same with its defaults

    density: Any = param(
        "gaussian",
        positional=True,
        names=FAMILIES,
        accept=_are_families,
        allowed="a list of them in the order of the classes, or a mapping from classes to them",
        doc="The density of every class, or one for each.",
    )
    shared: bool = param(
        False, choices=(True, False), doc="Whether classes share all parameters of a density but its mean."
    )

    densities_: tuple[Distribution, ...] = learned(
        "The density of each class, a distribution.", holds=tuples(instance(Distribution, d="d"), "k")
    )

    @property
    def _members(self) -> tuple[Mixture, ...]:
        """The densities as members of one family, so that classes may have different ones."""
        return tuple(one if isinstance(one, Mixture) else Mixture.of(np.ones(1), (one,)) for one in self.densities_)

    def _needs(self) -> Needs:
        known = self.density in FAMILIES or _are_families(self.density)  # what is not will be refused
        return super()._needs().but(missing=known and all(family.missing for family in self._families()))

    def _families(self) -> list[Distribution]:
        """Every density that is asked for, of all classes or one for each."""
        one = isinstance(self.density, str | Distribution)
        each = [self.density] if one else self.density.values() if isinstance(self.density, Mapping) else self.density
        return [as_distribution(family, type(self).__name__, "density") for family in each]

    # -- learning -----------------------------------------------------------------------------------------------------
    def _learn(self, source: Source) -> Outcome[Attributes]:
        if not self.shared:
            return super()._learn(source)
        self._check_shareable()
        seen = self._seen(source)
        with said_of(type(self).__name__):
            outcome = pooled_densities(
                source,
                seen.labels,
                lambda: beginning(self._families()[0], seen.parts),
                tol=self.tol,
                max_iter=self.max_iter,
                constant=seen.objective,
            )
        n_iter = len(outcome.history.iterations)
        if outcome.history.status == "max_iter" and self.max_iter > 1:
            warn(
                f"{type(self).__name__}: not converged after {n_iter} iterations; raise max_iter, or tol.", NotConverged
            )
        return outcome.then(lambda densities: self._state(seen, densities, n_iter))

    def _check_shareable(self) -> None:
        families, known = self._families(), ", ".join(cls.__name__ for cls in CENTRED)
        if len(families) > 1 or type(families[0]) not in CENTRED or families[0].has_parameters:
            raise InvalidParameter(
                f"{type(self).__name__}: shared=True needs one density for all classes, a family with a mean: {known}; "
                f"got density={self.density!r}."
            )

    def _plans(self, labels: Labels) -> list[Distribution]:
        """The family of each class, with parameters where they are known."""
        owner, families = type(self).__name__, self._families()
        if isinstance(self.density, Mapping):
            named = dict(zip(self.density, families, strict=True))
            missing = [label for label in labels if label not in named]
            if missing:
                raise InvalidParameter(
                    f"{owner}: density has none for class {np.asarray(missing[0]).item()!r}; give each class one."
                )
            return [named[label] for label in labels]
        if isinstance(self.density, str | Distribution):
            return families * len(labels)
        if len(families) != len(labels):
            raise InvalidParameter(
                f"{owner}: density lists {len(families)}, but y has {len(labels)} classes; give each class one."
            )
        return families

    def _fitted(self, plan: Distribution, rows: Source, whole: DiagonalMoments, rng: np.random.Generator) -> Found:
        if plan.has_parameters:
            return _known(plan, rows)
        from ..mixture import MixtureModel

        nested = plan if isinstance(plan, Mixture) else Mixture(plan, 1)
        model = MixtureModel(
            nested.n_components,
            component=nested.component,
            **_settings(nested),
            tol=self.tol,
            max_iter=self.max_iter,
            n_init=self.n_init,
            random_state=rng,
        ).fit_source(rows, variance=whole.variance())
        density = model.mixture_ if nested is plan else model.mixture_.parts[0]
        return Found(density, model.history_.metric("log_likelihood")[-1], model.n_iter_)

    def _attributes(self, densities: tuple[Distribution, ...]) -> Attributes:
        return {"densities_": densities}


def _settings(mixture: Mixture) -> Attributes:
    """What a family of mixtures says of its weights and components, as parameters of `MixtureModel`."""
    return {
        "weight_concentration_prior": None if mixture.weights is not None else mixture.concentration,
        "weight_estimate": "variational" if mixture.variational else "map",
        "fixed_weights": mixture.weights,
        "tied": False if mixture.tied is None else list(mixture.tied),
    }


def _known(density: Distribution, rows: Source) -> Found:
    """A density whose parameters are known, and how likely it finds the rows."""
    d, width = density.n_columns, len(rows.schema)
    if d is not None and d != width:
        raise InvalidData(f"the density is of {d} columns, the rows have {width}.")
    found = rows.reduce(partial(_log_likelihood, density=density))
    return Found(density, float(found.total[0] / found.rows))


def _log_likelihood(chunk: Chunk, density: Distribution) -> ColumnSums:
    """The log densities of some rows as the sums of a column."""
    return ColumnSums.of(density.log_prob(chunk.X)[:, None], chunk.weight)
