"""One model for each cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone, is_classifier, is_regressor
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if

from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form, in_turn
from ...errors import TooFewRows, warn
from ...estimator import Attributes, Classifier, Estimator, Regressor, Scored, estimator
from ...holds import instance, label_array, mapping, require, sometimes, text, whole
from ...params import learned, param
from ...statistics import Counts, PerClass
from ...typing import EstimatorLike, Flags, Floats, Labels, Numbers, Reals, TableLike, TargetLike, WeightLike
from ..inner import ask, columns_of, fit_inner, is_predictor
from .features import as_clusterer, clusterer_param, final_objective, labels_of, needs_of

_EARLY = "the fit was ended before"


def _predicts(model: object) -> bool:
    return is_predictor(model, is_classifier, is_regressor)


def _has(method: str) -> Callable[[Any], bool]:
    return lambda self: hasattr(self._model(), method)


@estimator
class PerCluster(Scored, ClassifierMixin, Estimator):  # type: ignore[misc]  # the tags say what the model is
    """One model for each cluster: ŷ(x) = f_c(x)(x), where c(x) is the cluster of x, and f_k has learned from cluster k.

    A clusterer is fitted to all rows, then a copy of the model to the rows of each cluster, with their weights. It is a
    classifier or a regressor, as the model is. A new row goes to the model of the cluster that the clusterer predicts.

    A cluster with too few rows or a single class, or whose rows the model refuses, has no model of its own: `model_`,
    that of all rows, speaks for it, a warning says so, and `fallbacks_` says why. It also speaks for noise (−1).

    Examples
    --------
    >>> import suffice as sf
    >>> x = np.linspace(-1, 1, 200)[:, None]
    >>> tent = 1 - np.abs(x[:, 0])
    >>> model = sf.PerCluster(sf.KMeans(2, random_state=0), sf.LinearRegression()).fit(x, tent)
    >>> round(sf.LinearRegression().fit(x, tent).score(x, tent), 3), round(model.score(x, tent), 3)
    (0.0, 1.0)
    >>> sorted(round(float(line.coef_[0]), 2) for line in model.models_.values())
    [-1.0, 1.0]
    """

    compound = True
    needs = Needs(target="classes")  # of the model that is taken where none is given

    clusterer: object = clusterer_param()
    model: object = param(
        None,
        positional=True,
        choices=(None,),
        accept=_predicts,
        allowed="a classifier or a regressor",
        doc="What learns from each cluster, such as `LinearRegression` or a pipeline; None: `GaussianNB`.",
    )
    min_weight: float = param(
        10.0, number=True, above=0, doc="How many rows, or how much weight, a cluster needs for a model of its own."
    )

    clusterer_: EstimatorLike = learned("The fitted clusterer.", holds=instance(Estimator, d="d"))
    model_: EstimatorLike = learned("The model of all rows.", holds=instance(Estimator, d="d"))
    models_: dict[int, EstimatorLike] = learned(
        "The model of each cluster that has one, by its number.", holds=mapping(whole(), instance(Estimator, d="d"))
    )
    fallbacks_: dict[int, str] = learned(
        "Why a cluster is left to the model of all rows.", holds=mapping(whole(), text())
    )
    classes_: Labels = learned("The classes, sorted; of classifiers.", holds=sometimes(label_array("k", distinct=True)))

    def check_loaded(self) -> None:
        super().check_loaded()
        models: list[Any] = [self.model_, *self.models_.values()]
        for model in (self.clusterer_, *models):
            require(hasattr(model, "history_") and hasattr(model, "predict"), "the models inside must be fitted")
        require(not models or len({is_classifier(model) for model in models}) == 1, "all models must be of one kind")
        if is_classifier(self.model_):
            require(
                hasattr(self, "classes_") and np.array_equal(self.classes_, models[0].classes_),
                "classes_ are those of model_",
            )
            known = all(np.isin(model.classes_, self.classes_).all() for model in models)
            require(known, "classes of clusters must be among classes_")

    # -- learning ---------------------------------------------------------------------------------------------------
    def _model(self) -> object:
        from ..bayes import GaussianNB  # which stands on mixtures, and they on this folder

        return self.model if _predicts(self.model) else GaussianNB()  # what is no model, `fit` refuses

    def _needs(self) -> Needs:
        model, grouping = self._model(), needs_of(self.clusterer, type(self).__name__)
        target: Any = "classes" if is_classifier(model) else "numbers"
        own = model._needs() if isinstance(model, Estimator) else Needs()
        return grouping.but(
            target=target,
            missing=grouping.missing and own.missing,
            sparse=grouping.sparse and own.sparse,
            categories=grouping.categories and own.categories,
        )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._fitted(source))

    def _fitted(self, source: Source) -> Step[Attributes]:
        owner = source.needs.owner
        model = self._fit_to(source)
        found = fit_inner(as_clusterer(self.clusterer), source, owner, final_objective)
        place = partial(labels_of, clusterer=found.state, schema=source.schema)
        rows = source.reduce(partial(_targets, place=place, counted=is_classifier(model)))
        reasons = {int(k): self._too_few(w, y) for k, w, y in zip(rows.classes, rows.weight, rows.parts, strict=True)}
        models, reasons = self._fit_clusters(source, place, {k: why for k, why in reasons.items() if k >= 0})
        _say(owner, reasons, bool(np.any(rows.weight < self.min_weight)))
        attributes = {"clusterer_": found.state, "model_": model, "models_": models, "fallbacks_": reasons}
        classes = {"classes_": np.asarray(model.classes_)} if is_classifier(model) else {}
        return Step(attributes | classes, float(found.history.objective[-1]))

    def _too_few(self, weight: float, targets: Counts) -> str:
        """Why rows of this weight with these targets get no model of their own; nothing where they do."""
        if weight < self.min_weight:
            return "1 row" if weight == 1 else f"{weight:g} rows"
        if is_classifier(self._model()) and len(targets.values) == 1:
            return f"only the class {str(targets.values[0])!r}"
        return ""

    def _fit_clusters(
        self, source: Source, place: Callable[[Chunk], Labels], reasons: dict[int, str]
    ) -> tuple[dict[int, EstimatorLike], dict[int, str]]:
        """The models of the clusters that have no reason against one, and why the others have none."""
        models, refused = dict[int, EstimatorLike](), dict[int, str]()

        def fit(cluster: int) -> None:
            try:
                models[cluster] = self._fit_to(source.filtered(partial(_is_in, place=place, cluster=cluster)))
            except (
                ValueError,
                np.linalg.LinAlgError,
            ) as error:  # all rows were taken, so it is for those of the cluster
                refused[cluster] = str(error)

        for _ in in_turn(partial(fit, cluster) for cluster, why in reasons.items() if not why):
            pass
        left = {k: refused.get(k) or why or _EARLY for k, why in reasons.items() if k not in models}
        return models, left

    def _fit_to(self, source: Source) -> Any:
        """A copy of the model that has learned from some rows."""
        return fit_inner(clone(self._model()), source, source.needs.owner, lambda model, X, weight: 0.0).state

    # -- answers ----------------------------------------------------------------------------------------------------
    def predict(self, X: TableLike) -> Any:
        """The class or the number that the model of its cluster says of each row."""
        self._check_fitted()
        return self._rows(X, lambda chunk: self._routed(chunk, "predict"))

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """The probabilities of all classes, (n, k), by the model of its cluster; 0 of classes that it has not seen."""
        self._check_fitted()
        found: Reals = self._rows(X, lambda chunk: self._routed(chunk, "predict_proba"))
        return found

    def _routed(self, chunk: Chunk, method: str) -> Any:
        """What a method of the model of its cluster says of each row."""
        schema = columns_of(self)
        labels = ask(self.clusterer_, "predict", chunk, schema)
        found: Any = None
        for cluster in np.unique(labels).tolist():
            rows = np.flatnonzero(labels == cluster)
            model: Any = self.models_.get(cluster, self.model_)
            said = ask(model, method, chunk.at(rows), schema)
            if method == "predict_proba":
                said = self._of_all_classes(said, model)
            if found is None:
                kind = self.classes_.dtype if hasattr(self, "classes_") and method == "predict" else said.dtype
                found = np.empty((len(chunk), *said.shape[1:]), dtype=kind)
            found[rows] = said
        return found

    def _of_all_classes(self, shares: Any, model: Any) -> Any:
        """Probabilities of the classes that a model knows among those of all, (n, k)."""
        wide = np.zeros((len(shares), len(self.classes_)), dtype=shares.dtype)
        wide[:, np.searchsorted(self.classes_, model.classes_)] = shares
        return wide

    def _measure(self, y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:  # type: ignore[override]
        kind = Classifier if is_classifier(self) else Regressor
        return kind._measure(y, predicted, sample_weight)

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self._model())
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags, tags.target_tags = (
            inner.classifier_tags,
            inner.regressor_tags,
            inner.target_tags,
        )
        return tags


def _is_in(chunk: Chunk, place: Callable[[Chunk], Labels], cluster: int) -> Flags:
    return np.asarray(place(chunk) == cluster)


def _targets(chunk: Chunk, place: Callable[[Chunk], Labels], counted: bool) -> PerClass[Counts]:
    """The weight of each cluster, and of each class in it where classes are counted."""
    y = chunk.y if counted else np.zeros(len(chunk))

    def grouped(X: object, group: object, groups: int, weight: Floats | None) -> tuple[Counts, ...]:
        own = [np.flatnonzero(group == g) for g in range(groups)]
        return tuple(Counts.of(y[rows], None if weight is None else weight[rows]) for rows in own)

    return PerClass.by(grouped, np.zeros((len(chunk), 1)), place(chunk), chunk.weight)


def _say(owner: str, reasons: dict[int, str], light: bool) -> None:
    """Warn of the clusters that are left to the model of all rows, and why."""
    if reasons:
        listed = [f"cluster {k} ({why})" for k, why in list(reasons.items())[:5]]
        more = f" and {len(reasons) - 5} more" if len(reasons) > 5 else ""
        speaks = f"{owner}: the model of all rows speaks for {', '.join(listed)}{more}."
        remedy = f"Ask for fewer clusters{', or lower min_weight' if light else ''}."
        if set(reasons.values()) == {_EARLY}:
            remedy = "Fit again with more time."
        warn(f"{speaks} {remedy}", TooFewRows)
