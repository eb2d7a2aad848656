"""Anomalies: rows that a density finds unlikely."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin, clone

from ...backend.mixture import Singular
from ...data import Chunk, Needs, Source
from ...data.schema import Schema
from ...distributions import FAMILIES, as_distribution
from ...engine import Outcome
from ...errors import InvalidData
from ...estimator import Attributes, Estimator, estimator
from ...holds import instance, number, require
from ...params import are_numbers, learned, param
from ...statistics import Counts
from ...typing import Codes, EstimatorLike, Flags, Numbers, Reals, TableLike, TargetLike, WeightLike
from ..inner import ask, columns_of, fit_inner, is_model
from ..mixture.gaussian_mixture import GaussianMixture
from ..mixture.mixture_model import MixtureModel
from .thresholds import Alarm, by_labels, by_share, scored


def _is_cost(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and bool(0 < value <= 1e150)


def density_param(doc: str) -> Any:
    """The declaration of a density: an estimator with score_samples, a distribution or its name."""
    return param(
        None,
        positional=True,
        choices=(None,),
        names=FAMILIES,
        accept=lambda model: is_model(model, "score_samples"),
        allowed="an estimator with score_samples",
        doc=f"{doc} comes from: an estimator, also a Bayes classifier, a distribution or its name; None: one Gaussian.",
    )


def label_param(doc: str) -> object:
    """The declaration of one label, or None."""
    return param(
        None,
        choices=(None,),
        accept=lambda value: isinstance(value, str | int | float | np.generic),
        allowed="a label",
        doc=doc,
    )


@estimator
class DensityAnomaly(OutlierMixin, Estimator):  # type: ignore[misc]
    """Anomaly detection by density: a row is an anomaly where log p(x) < t.

    Without labels, t is the quantile of the rows' log densities below which the share `contamination` of their weight
    lies. With `anomaly`, the density is learned from the rows that `y` does not call so, and t is where the F1 score of
    the alarms, 2 TP / (2 TP + FP + FN), is largest, or, with `costs`, where what they cost is least. The objective in
    `history_` is that of the density.

    A density may be a classifier by Bayes' rule, p(x) = Σ P(class) p(x | class): its classes are then the labels in
    `y`, that of anomalies excepted.

    Examples
    --------
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(95, 2)), rng.uniform(5, 9, (5, 2))])
    >>> sf.DensityAnomaly(sf.GaussianMixture(1), contamination=0.05).fit_predict(X)[-7:]
    array([ 1,  1, -1, -1, -1, -1, -1])
    >>> fraud = np.repeat(["no", "yes"], [95, 5])
    >>> model = sf.DensityAnomaly(anomaly="yes").fit(X, fraud)
    >>> model.predict(np.array([[0.0, 0.0], [6.0, -6.0]]))
    array([ 1, -1])
    """

    units = "columns"

    maximises = True

    density: object = density_param("What log p(x)")
    contamination: float = param(
        0.1, number=True, above=0, at_most=0.5, doc="The share of the rows that are anomalies, where none is labelled."
    )
    anomaly: object = label_param(
        "The label in `y` of known anomalies; None: `y` names none, and matters only to a density of classes."
    )
    costs: tuple[float, float] | None = param(
        None,
        choices=(None,),
        accept=lambda value: are_numbers(value, 1) and len(value) == 2 and all(map(_is_cost, value)),
        allowed="two numbers above 0",
        doc="What a false alarm and a missed anomaly cost; None: the threshold has the best F1 score.",
    )

    density_: EstimatorLike = learned("The fitted density.", holds=instance(Estimator, d="d"))
    threshold_: float = learned("t, of log p(x).", holds=number(finite=False))
    offset_: float = learned("The same, by scikit-learn's name.", holds=number(finite=False))

    def check_loaded(self) -> None:
        super().check_loaded()
        known = hasattr(self.density_, "score_samples") and hasattr(self.density_, "history_")
        require(known, "density_ must be a fitted density")

    def _density(self) -> EstimatorLike:
        if self.density is None:
            return GaussianMixture(random_state=0)
        if self.density in FAMILIES:
            return MixtureModel(1, component=self.density, random_state=0)
        copy: EstimatorLike = clone(self.density)
        return copy

    def _needs(self) -> Needs:
        needs = self.density._needs() if isinstance(self.density, Estimator) else Needs(missing=self._takes_gaps())
        target: Any = needs.target if self.anomaly is None else "classes"
        return needs.but(owner=type(self).__name__, target=target, sparse=False, late=False)

    def _takes_gaps(self) -> bool:
        return self.density is None or (self.density in FAMILIES and as_distribution(self.density).missing)

    # -- learning ---------------------------------------------------------------------------------------------------
    def _learn(self, source: Source) -> Outcome[Attributes]:
        density = self._density()
        normal = source if self.anomaly is None else self._normal(source)
        outcome = _fitted(density, normal, source.needs.owner)
        return outcome.then(lambda density: self._with_threshold(density, source))

    def _normal(self, source: Source) -> Source:
        """The rows that are not known to be anomalies; there must be some of either, with weight."""
        found = source.reduce(_labelled)
        other = found.values != self.anomaly
        if not (found.counts[other].sum() > 0 and found.counts[~other].sum() > 0):
            labels = ", ".join(map(repr, found.values[:5].tolist())) + (", …" if len(found.values) > 5 else "")
            raise InvalidData(
                f"{source.needs.owner}: y must hold {self.anomaly!r}, the label of anomalies, and another, in rows "
                f"that have a weight; got {labels}."
            )
        return source.filtered(partial(_is_other, label=self.anomaly))

    def _with_threshold(self, density: object, source: Source) -> Attributes:
        score = partial(_scores, density=density, schema=source.schema)
        scores = source.reduce(partial(scored, score=score, anomaly=self.anomaly))
        if self.anomaly is None:
            threshold = by_share(scores.normal, self.contamination)
        else:
            threshold = by_labels(scores, Alarm(*map(float, self.costs)) if self.costs is not None else None)
        return {"density_": density, "threshold_": threshold, "offset_": threshold}

    # -- answers ----------------------------------------------------------------------------------------------------
    def score_samples(self, X: TableLike) -> Reals:
        """log p(x) of every row, (n,); the lower, the less normal."""
        return self._rows(X, self._scores)

    def decision_function(self, X: TableLike) -> Reals:
        """log p(x) − t of every row; negative for anomalies."""
        return self._rows(X, lambda chunk: self._scores(chunk) - self.threshold_)

    def predict(self, X: TableLike) -> Codes:
        """-1 for anomalies, 1 for the others."""
        return self._rows(X, lambda chunk: np.where(self._scores(chunk) < self.threshold_, -1, 1))

    def fit_predict(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Codes:
        """Fit, and give -1 for anomalies, 1 for the others."""
        return self.fit(X, y, sample_weight).predict(X)

    def _scores(self, chunk: Chunk) -> Reals:
        scores: Reals = _scores(chunk, self.density_, columns_of(self))
        return scores


def _labelled(chunk: Chunk) -> Counts:
    return Counts.of(chunk.y, chunk.weight)


def _is_other(chunk: Chunk, label: object) -> Flags:
    return np.asarray(chunk.y != label)


def _fitted(density: Any, source: Source, owner: str) -> Outcome[Any]:
    try:
        return fit_inner(density, source, owner, _mean_score)
    except (Singular, np.linalg.LinAlgError):
        raise InvalidData(
            f"{owner}: columns are constant or follow from others, so that the density is infinite. Leave those out, "
            "or give the density a floor, such as Gaussian(floor=0.001)."
        ) from None


def _mean_score(density: Any, X: Numbers, weight: Numbers | None) -> float:
    return float(np.average(density.score_samples(X), weights=weight))


def _scores(chunk: Chunk, density: object, schema: Schema) -> Any:
    """log p(x) of the rows of a chunk, in their precision."""
    return ask(density, "score_samples", chunk, schema)
