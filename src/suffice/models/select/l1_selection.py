"""Columns that an L1 penalty leaves a slope."""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor

from ...data import Chunk, Needs, Source
from ...data.rows import is_sparse
from ...engine import Outcome, Step, closed_form, iterate
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Estimator, estimator
from ...holds import floats, instance, sometimes
from ...params import learned, param
from ...typing import EstimatorLike, Flags, Floats
from ..inner import fitted_foreign, is_predictor, named, needs_around
from ..linear import Lasso
from ..linear.paths import RegularizationPath
from ..linear.regularized import HasPath
from ..prepare import StandardScaler
from .base import FeatureSelector, check_count

_NOTHING = 1e-9  # of the largest slope: smaller ones are 0 but for rounding


@estimator
class L1Selection(FeatureSelector):
    """The columns that an L1 penalty leaves a slope: w_j ≠ 0 at the least of Σ s ℓ(y, x·w + b) / Σ s + λ ‖w‖₁.

    Columns are put on one scale first, so that their units have no say. By default the model is `Lasso`, with the
    largest λ within one standard error of the least error of cross-validation. For classes give
    `LogisticRegression(C="cv", rule="1se", l1_ratio=1)`, or any other model with `coef_`. With `n_features_to_select`
    the penalty falls until as many columns have slopes. At least one column is chosen.

    `path_` has the slopes for falling λ, and `entered_` the λ at which each column first had one.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> y = 2 * X[:, 1] - X[:, 4] + np.random.default_rng(1).normal(size=200)
    >>> model = sf.L1Selection().fit(X, y)
    >>> model.get_support(indices=True), model.entered_.round(2)
    (array([1, 4]), array([0.  , 1.86, 0.02, 0.01, 0.81, 0.06]))
    """

    needs = Needs(target="numbers", sparse=True)
    compound = True

    model: object = param(
        None,
        positional=True,
        choices=(None,),
        accept=lambda value: is_predictor(value, is_classifier, is_regressor),
        allowed="a linear model",
        doc='What has slopes, any linear model; None: `Lasso("cv", rule="1se")`.',
    )
    n_features_to_select: int | None = param(
        None, integer=True, at_least=1, choices=(None,), doc="How many columns are chosen; None: all that have slopes."
    )

    model_: Estimator = learned(
        "The model fitted to the scaled columns; not with `n_features_to_select`.",
        holds=sometimes(instance(Estimator, d="d")),
    )
    path_: RegularizationPath = learned(
        "The slopes of the scaled columns for falling λ, where the model has a path; it may end where as many columns "
        "have slopes as are to be chosen.",
        holds=sometimes(instance(RegularizationPath, d="d")),
    )
    entered_: Floats = learned(
        "The λ at which each column first has a slope, (d,); 0 for none.", holds=sometimes(floats("d", at_least=0))
    )

    def _inner(self) -> EstimatorLike:
        return cast(EstimatorLike, Lasso("cv", rule="1se") if self.model is None else self.model)

    def _needs(self) -> Needs:
        inner = self._inner()
        own = super()._needs().but(target="classes" if is_classifier(inner) else "numbers")
        found = needs_around(inner, own, type(self).__name__)
        return found.but(categories=False, scaled=False, one_target=isinstance(inner, HasPath))

    def _learn(self, source: Source) -> Outcome[Attributes]:
        check_count(self.n_features_to_select, len(source.schema), type(self).__name__)
        with named(source.needs.owner):
            scaled, model = on_one_scale(source), clone(self._inner())
            if self.n_features_to_select is not None and not isinstance(model, HasPath):
                raise InvalidParameter(
                    f"{type(self).__name__}: n_features_to_select needs a model with a path, such as Lasso, and "
                    f"{type(model).__name__} has none; leave it out, or give another model."
                )
            if not isinstance(model, HasPath):
                return closed_form(lambda: self._by_slopes(model, scaled, {}))
            return iterate(lambda run: {}, lambda found: self._next(model, scaled, found), max_iter=2)

    def _next(self, model: HasPath, scaled: Source, found: Attributes) -> Step[Attributes]:
        """The path first, and then the strength that the model has or chooses."""
        if found:
            return self._by_slopes(model, scaled, found)
        found = self._along_path(model, scaled)
        known = self.n_features_to_select is not None
        support = first_of(found["path_"], self.n_features_to_select or 1)
        return Step({**found, "support_": support}, -float(found["path_"].explained.max()), done=known)

    def _by_slopes(self, model: EstimatorLike, scaled: Source, found: Attributes) -> Step[Attributes]:
        """The columns that have a slope in the fitted model; the first of the path where there are none."""
        if isinstance(model, Estimator):
            objective = float(model.fit_source(scaled).history_.objective[-1])
        else:
            fitted_foreign(model, scaled, scaled.needs.owner)
            objective = 0.0
        support = _with_slopes(model, len(scaled.schema), type(self).__name__)
        support = support if support.any() else found.get("support_", support)
        if not support.any():
            raise InvalidData(f"{type(self).__name__}: no column has a slope; weaken the penalty of the model.")
        objective = -float(found["path_"].explained.max()) if found else objective
        return Step({**found, "model_": model, "support_": support}, objective, done=True)

    def _along_path(self, model: HasPath, scaled: Source) -> Attributes:
        model = clone(model).set_params(
            **{name: 1.0 for name in ("alpha", "C") if model.get_params().get(name) == "cv"}
        )
        path = model._path_of_source(scaled, self.n_features_to_select)
        has = slopes_of(path) > 0
        entered = np.where(has.any(axis=0), path.alphas[np.argmax(has, axis=0)], 0.0)
        return {"path_": path, "entered_": entered}


def on_one_scale(source: Source) -> Source:
    """The rows with columns of variance 1; sparse ones keep their zeros."""
    sparse = source.in_memory is not None and is_sparse(source.in_memory.X)
    scaler = StandardScaler(with_mean=not sparse).fit_source(source)
    return source.mapped(partial(_scaled, scaler=scaler))


def _scaled(chunk: Chunk, scaler: StandardScaler) -> Chunk:
    return Chunk(scaler._forward(chunk), chunk.y, chunk.weight, chunk.start, chunk.numbers)


def slopes_of(path: RegularizationPath) -> Floats:
    """The size of the slopes of each column, the largest over classes, (k, d); 0 where rounding alone is left."""
    size = np.abs(path.coef)
    size = size if size.ndim == 2 else size.max(axis=1)
    return np.asarray(np.where(size > _NOTHING * size.max(initial=0.0), size, 0.0))


def first_of(path: RegularizationPath, count: int) -> Flags:
    """The columns that first have slopes as λ falls, (d,); of those that come at one λ the ones with the largest."""
    size = slopes_of(path)
    has = size > 0
    came = np.where(has.any(axis=0), np.argmax(has, axis=0), len(size))
    at_once = size[np.minimum(came, len(size) - 1), np.arange(size.shape[1])]
    order = np.lexsort((-at_once, came))[:count]
    found = np.zeros(size.shape[1], dtype=bool)
    found[order[came[order] < len(size)]] = True
    return found


def _with_slopes(model: EstimatorLike, d: int, owner: str) -> Flags:
    if not hasattr(model, "coef_"):
        raise InvalidParameter(f"{owner}: model must have slopes, and {type(model).__name__} gives no coef_.")
    coef = model.coef_
    coef = coef.toarray() if is_sparse(coef) else np.asarray(coef)
    size = np.abs(coef).reshape(-1, d).max(axis=0)
    return np.asarray(size > _NOTHING * size.max(initial=0.0))
