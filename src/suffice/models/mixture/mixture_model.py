"""Mixtures of any family."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ...data import Chunk, Needs, Schema, Source
from ...data.recode import UNSEEN
from ...distributions import (
    FAMILIES,
    Bernoulli,
    Categorical,
    DiagonalGaussian,
    Distribution,
    Independent,
    Mixture,
    as_distribution,
)
from ...errors import InvalidData, InvalidParameter
from ...estimator import estimator
from ...holds import instance
from ...params import param
from ...typing import Floats
from .base import MixtureEstimator
from .initialisation import FirstLook, seeded


def _are_families(value: list[object] | Mapping[object, object]) -> bool:
    given = value.values() if isinstance(value, Mapping) else value
    return len(given) > 0 and all(family in FAMILIES for family in given)


@estimator
class MixtureModel(MixtureEstimator):
    """Mixture of any family by EM: p(x) = Σⱼ πⱼ p(x | θⱼ), with the largest Σ w log p(x).

    `component` is a family from `suffice.distributions`, its name, or a mapping from columns to families (see
    `Independent`); None chooses by column: categories and yes/no columns by their kind, numbers Gaussian. Starts are
    rows spread out as k-means++ does, by log likelihood. Missing cells are left out, or expected where the family has
    latent parts.

    Examples
    --------
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> visits = np.concatenate([rng.poisson(2, (100, 2)), rng.poisson(9, (200, 2))]).astype(float)
    >>> model = sf.MixtureModel(2, component="poisson", random_state=0).fit(visits)
    >>> model.weights_[np.argsort([part.rate[0] for part in model.mixture_.parts])].round(2)
    array([0.33, 0.67])
    """

    complexity = "n_components"

    needs = Needs(missing=True, categories=True)
    units = "columns"

    component: object = param(
        None,
        choices=(None,),
        names=FAMILIES,
        allowed="a list of families, or a mapping from columns to families",
        accept=lambda value: isinstance(value, list | Mapping) and _are_families(value),
        doc="The family of the components.",
    )
    n_init: int = param(3, integer=True, at_least=1, doc="How many starts; the best is kept.")
    holds: ClassVar = {"_schema": instance(Schema, d="d")}

    def _family(self, source: Source) -> Distribution:
        component = self.component
        if component is None:
            component = _by_column(source)
        elif isinstance(component, Mapping | list):
            component = Independent(component)
        else:
            component = as_distribution(component)
        if isinstance(component, Independent):
            component = component.named(source.schema)
        sized: Distribution = _sized(component, source)
        return sized

    def _reg_covar(self) -> float:
        return 1e-6 if self.component is None else 0.0

    def _check_support(self, source: Source, family: Distribution) -> None:
        source.reduce(_Checked(family, source.needs.owner))

    def _initialise(self, look: FirstLook, rng: np.random.Generator) -> Mixture:
        return seeded(look, rng)

    def _log_joint(self, chunk: Chunk) -> Floats:
        """A category that the fit did not see says nothing, as a missing value does."""
        if not self._by_category():
            return super()._log_joint(chunk)
        X = chunk.X.astype(np.float64)
        columns = self._by_category()
        X[:, columns] = np.where(X[:, columns] == UNSEEN, np.nan, X[:, columns])
        return super()._log_joint(dataclasses.replace(chunk, X=X))

    def _by_category(self) -> list[int]:
        return [j for j, column in enumerate(self._schema.columns) if column.kind == "categorical"]


def _by_column(source: Source) -> Distribution:
    """A family for each column by its kind: all numbers together are one diagonal Gaussian."""
    groups: dict[str, list[int]] = {"numeric": [], "boolean": [], "categorical": []}
    for j, column in enumerate(source.schema.columns):
        groups[column.kind].append(j)
    kinds = {"numeric": DiagonalGaussian(), "boolean": Bernoulli(), "categorical": Categorical()}
    found = {tuple(columns): kinds[kind] for kind, columns in groups.items() if columns}
    return next(iter(found.values())) if len(found) == 1 else Independent(found)


def _sized(family: Any, source: Source, columns: Any = None) -> Any:
    """The family with the number of categories that the table knows of."""
    places = range(len(source.schema)) if columns is None else columns
    if isinstance(family, Independent):
        return Independent({key: _sized(part, source, key) for key, part in family.families.items()})
    if family.n_columns not in (None, len(places)):
        raise InvalidParameter(
            f"{source.needs.owner}: component {type(family).__name__} has parameters for {family.n_columns} columns; "
            f"there are {len(places)}. Give one number for each column, or leave the parameters out."
        )
    known = [len(source.schema.columns[j].categories) for j in places]
    if isinstance(family, Categorical) and family.categories is None and all(known):
        return dataclasses.replace(family, categories=tuple(known))
    for j in places:
        if source.schema.columns[j].kind == "categorical" and not isinstance(family, Categorical):
            raise InvalidData(
                f"{source.needs.owner}: {source.schema.describe(j)} holds categories; {type(family).__name__} needs "
                f"{family.support}. Give it the family Categorical, or leave it out."
            )
    return family


class _Checked:
    """Refuses cells outside the support of a family; the sum of nothing is nothing."""

    def __init__(self, family: Distribution, owner: str) -> None:
        self.family, self.owner = family, owner

    def __call__(self, chunk: Chunk) -> int:
        self.family.check(chunk.X, self.owner, chunk.number)
        return 0
