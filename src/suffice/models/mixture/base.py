"""What every mixture estimator does: fit by EM, densities, components, samples, criteria."""

from __future__ import annotations

import dataclasses
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import DensityMixin

from ...backend.posteriors import likeliest, log_total, posterior, rounded
from ...data import Chunk, Needs, Source
from ...data.source import TargetKind
from ...distributions import Distribution, Mixture
from ...distributions.loaded import check_statistic
from ...distributions.mixture import MixtureStatistic, check_weights
from ...engine import Outcome, Step, closed_form, gain_tol_param
from ...errors import InvalidData, InvalidParameter, NoClosedForm, NotConverged, warn
from ...estimator import Attributes, Estimator, declares
from ...holds import floats, instance, label_array, lists, number, require, sometimes, tuples
from ...params import are_numbers, learned, numbers, param
from ...randomness import generator, random_state_param
from ...statistics import Statistic
from ...typing import Codes, Floats, RandomState, Reals, TableLike, TargetLike, WeightLike
from .em import Sharing, State, iterations, share, updated
from .initialisation import FirstLook
from .labels import Labels
from .prior import SpreadPrior
from .scores import DensityScores


@declares
class MixtureEstimator(DensityScores, DensityMixin, Estimator):  # type: ignore[misc]
    """Base of the mixtures: a subclass gives `_family()`, `_initialise(look, rng)` and `_attributes(mixture)`."""

    maximises = True
    needs = Needs(missing=True)

    n_components: int = param(
        1, positional=True, integer=True, at_least=1, at_most=10_000_000, doc="How many components, k."
    )
    algorithm: Literal["soft", "hard", "stochastic"] = param(
        "soft",
        choices=("soft", "hard", "stochastic"),
        doc="Whether a row belongs to components by their posterior, to the likeliest alone, or to one drawn by it.",
    )
    weight_concentration_prior: float | Literal["figueiredo_jain"] | None = param(
        None,
        number=True,
        above=0,
        at_most=1e150,
        choices=(None, "figueiredo_jain"),
        doc="The α of a Dirichlet prior of the weights; below 1 it empties components that few rows need. None: 1. "
        "figueiredo_jain: 1 − p/2 for p parameters of a component, and as many components as describe the rows best.",
    )
    weight_estimate: Literal["map", "variational"] = param(
        "map",
        choices=("map", "variational"),
        doc="π at the mode of its posterior, or the whole posterior: rows are shared out by E[log π], and with α below "
        "1 there are as many components as give the best variational bound.",
    )
    fixed_weights: ArrayLike | Literal["equal"] | None = param(
        None,
        choices=(None, "equal"),
        accept=lambda v: are_numbers(v, 1),
        allowed="an array (k,)",
        doc="π where it is known: it stays as it is given, or 1/k each; None: it is found.",
    )
    tied: bool | ArrayLike = param(
        False,
        choices=(True, False),
        accept=lambda v: are_numbers(v, 1) and bool(np.all(np.equal(np.mod(v, 1), 0))),
        allowed="a list of k whole numbers",
        doc="Which Gaussian components share their variance or covariance: all, none, or those with equal numbers.",
    )
    tol: float = gain_tol_param(1e-3)
    max_iter: int = param(1000, integer=True, at_least=1, doc="How many iterations at the most.")
    n_init: int = param(1, integer=True, at_least=1, doc="How many starts; the best is kept.")
    unlabelled: object = param(
        None,
        choices=(None,),
        accept=lambda value: isinstance(value, str | int | float | np.generic),
        allowed="a label",
        doc="The label in `y` of rows whose component is not known; None leaves `y` out of account. Other labels "
        "become components, in sorted order.",
    )
    warm_start: bool = param(False, choices=(True, False), doc="Whether `fit` begins at the last fit's components.")
    decay: float = param(
        0.7,
        number=True,
        above=0.5,
        at_most=1,
        doc="`partial_fit` gives a piece of data the share (its rows / all rows so far)^decay of the running summary.",
    )
    random_state: RandomState = random_state_param()

    mixture_: Mixture = learned("The mixture, a distribution.", holds=instance(Mixture, d="d", k="k"))
    weights_: Floats = learned("π, the weight of each component, (k,).", holds=floats("k", at_least=0))
    converged_: bool = learned("Whether the iterations ended because less than `tol` was still to gain.")
    n_iter_: int = learned("How many iterations there were.")
    lower_bound_: float = learned(
        "The objective before the last iteration: the mean log likelihood of a row, and the log prior over Σw.",
        holds=number(finite=False),
    )
    lower_bounds_: list[float] = learned("The objective before each iteration.", holds=lists(number(finite=False)))
    classes_: Any = learned(
        "The labels in the order of their components, where `unlabelled` was given.",
        holds=sometimes(label_array(None, distinct=True)),
    )
    holds: ClassVar = {
        "_running": instance(MixtureStatistic, k="k"),
        "_objectives": sometimes(tuples(number(finite=False))),
        "_prior_share": sometimes(number(at_least=0)),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.mixture_.has_parameters, "mixture_ must have parameters")
        check_statistic(self.mixture_, self._running)
        require(Statistic.is_finite(self._running) and self._running.rows > 0, "_running must be of some rows")
        named = self.unlabelled is None or 0 < len(getattr(self, "classes_", ())) <= len(self.weights_)
        require(named, "classes_ must have a class for some of the components")

    # -- what a subclass gives ----------------------------------------------------------------------------------------
    def _family(self, source: Source) -> Distribution:
        raise TypeError(f"{type(self).__name__} does not define _family")

    def _initialise(self, look: FirstLook, rng: np.random.Generator) -> Mixture:
        raise TypeError(f"{type(self).__name__} does not define _initialise")

    def _begins_at_rows(self) -> bool:
        """Whether `_initialise` looks at a sample of the rows."""
        return bool(getattr(self, "init_params", None) != "random")

    def _attributes(self, mixture: Mixture) -> Attributes:
        return {}

    def _reg_covar(self) -> float:
        """What the prior of the covariances is worth, as a share of the rows."""
        return float(getattr(self, "reg_covar", 0.0))

    # -- learning ---------------------------------------------------------------------------------------------------
    def _needs(self) -> Needs:
        target: TargetKind = "none" if self.unlabelled is None else "classes"
        return super()._needs().but(target=target)

    def _learn(self, source: Source, variance: Floats | None = None) -> Outcome[Attributes]:
        """Learn from a source; `variance` is that of the columns where its rows are a part of more."""
        self._check_support(source, self._family(source))
        rng = generator(self.random_state)
        labels = None if self.unlabelled is None else Labels.of(source, self.unlabelled, self.n_components)
        look = FirstLook.of(
            source, self._form(self._family(source)), int(rng.integers(2**31)), self._reg_covar(), variance,
            sampled=self._begins_at_rows() and not self._goes_on(),
        )  # fmt: skip
        look = look.by_message_length() if self.weight_concentration_prior == "figueiredo_jain" else look
        if labels is not None and self._prunes(look):
            raise InvalidParameter(
                f"{type(self).__name__}: y names the components of some rows, so that none can be removed, and "
                f"{self._choosing()} removes components; leave it, or y, out."
            )
        last = self._last(source, look)
        outcome = iterations(
            source,
            lambda run: self._initialised(look, rng, labels) if last is None else last,
            sharing=Sharing(self.algorithm, int(rng.integers(2**31)), labels),
            prior=look.prior,
            tol=self.tol,
            max_iter=self.max_iter,
            restarts=self.n_init if last is None else 1,
            reached=() if last is None else getattr(self, "_objectives", ()),
            rng=rng,
            prune=self._prunes(look),
        )
        if outcome.history.status == "max_iter" and self.max_iter > 1:
            warn(
                f"{type(self).__name__}: not converged after max_iter={self.max_iter} iterations; raise it, or tol.",
                NotConverged,
            )
        found = self._found(outcome)
        return outcome.then(lambda state: found if labels is None else {**found, "classes_": labels.classes})

    def _form(self, family: Distribution) -> Mixture:
        """The family of mixtures: what is known of the weights, and which components are tied."""
        k, owner = self.n_components, type(self).__name__
        alpha = self.weight_concentration_prior
        if alpha == "figueiredo_jain" and self.weight_estimate == "variational":
            raise InvalidParameter(
                f"{owner}: weight_estimate='variational' needs a weight_concentration_prior above 0; got "
                "'figueiredo_jain', which is below. Give a number, such as 0.001."
            )
        weights, tied = None, None
        if self.fixed_weights is not None:
            given = np.full(k, 1 / k) if isinstance(self.fixed_weights, str) else self.fixed_weights
            weights = numbers(owner, "fixed_weights", given, (k,), "one number a component")
            check_weights(weights, k, owner, "fixed_weights")
            if not np.all(weights > 0):
                raise InvalidParameter(
                    f"{owner}: fixed_weights must be above 0, and that of component {int(np.argmin(weights))} is 0; "
                    "leave this component out."
                )
            if alpha is not None or self.weight_estimate == "variational":
                raise InvalidParameter(
                    f"{owner}: fixed_weights are known, so that {self._choosing()} has nothing to estimate; leave one "
                    "of them out."
                )
        if self.tied is not False:
            groups = np.zeros(k) if self.tied is True else self.tied
            tied = tuple(map(int, numbers(owner, "tied", groups, (k,), "one number a component")))
        concentration = 1.0 if alpha is None or isinstance(alpha, str) else float(alpha)
        variational = self.weight_estimate == "variational" and weights is None
        return Mixture(family, k, weights, None, concentration, tied, variational)

    def _choosing(self) -> str:
        """The parameter that says how the weights are estimated, as a user would write it."""
        if self.weight_estimate == "variational":
            return "weight_estimate='variational'"
        return f"weight_concentration_prior={self.weight_concentration_prior!r}"

    def _prunes(self, look: FirstLook) -> bool:
        """Whether the number of components is chosen: the objective then compares mixtures of different sizes."""
        comparable = look.form.variational or look.prior.per_component != 0
        return comparable and look.form.concentration < 1 and "weights" not in look.form.fixed

    def _goes_on(self) -> bool:
        return self.warm_start and hasattr(self, "mixture_")

    def _last(self, source: Source, look: FirstLook) -> Mixture | None:
        """What the last fit found, where `warm_start` asks to go on from there."""
        if not self._goes_on():
            return None
        family, mixture, d = look.family, self.mixture_, len(source.schema)
        before = len(mixture.parts), type(mixture.parts[0]), len(mixture.parts[0].moments()[0])
        if before != (look.k, type(family), d):
            raise InvalidParameter(
                f"{type(self).__name__}: warm_start goes on from {before[0]} components {before[1].__name__} of "
                f"{before[2]} columns; this fit has {look.k} components {type(family).__name__} of {d} columns. "
                "Set warm_start=False."
            )
        declared = [field for field in dataclasses.fields(family) if "parameter" not in field.metadata]
        settings = {field.name: getattr(family, field.name) for field in declared} | family.known()
        return look.mixture(mixture.weights, [dataclasses.replace(part, **settings) for part in mixture.parts])

    def _initialised(self, look: FirstLook, rng: np.random.Generator, labels: Labels | None) -> Mixture:
        mixture = self._initialise(look, rng)
        return mixture if labels is None else look.mixture(*labels.placed(look.source, mixture))

    def _found(self, outcome: Outcome[State]) -> Attributes:
        objective, state = outcome.history.objective.tolist(), outcome.state
        mixture = state.mixture.settled()
        return {
            "mixture_": mixture,
            "weights_": mixture.weights,
            "converged_": outcome.history.status == "converged",
            "n_iter_": len(objective),
            "lower_bound_": objective[-1],
            "lower_bounds_": objective,
            "_running": state.found,
            "_objectives": state.objectives,
            "_prior_share": state.prior_share,
            **self._attributes(mixture),
        }

    def _check_support(self, source: Source, family: Distribution) -> None:
        """Families that take any number have nothing to refuse."""

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """One iteration of stepwise EM: the summary moves towards that of these rows (Cappé & Moulines, 2009)."""
        if not hasattr(self, "mixture_"):
            return self.fit(X, y, sample_weight)
        return self._adopt(lambda: closed_form(lambda: self._stepped(self._open(X, y, sample_weight, reset=False))))

    def _stepped(self, source: Source) -> Step[Attributes]:
        self._check_support(source, self.mixture_.parts[0])
        labels = None if self.unlabelled is None else Labels(self.classes_, self.unlabelled)
        mixture, old, owner = self.mixture_, self._running, type(self).__name__
        sharing = Sharing(self.algorithm, int(generator(self.random_state).integers(2**31)), labels)
        new = source.reduce(partial(share, mixture=mixture, sharing=sharing, iteration=self.n_iter_))
        if new.rows == 0:
            raise InvalidData(f"{owner}: all rows of this piece have the weight 0; leave it out.")
        seen = old.rows + new.rows
        part = (new.rows / seen) ** self.decay
        running = old.scaled((1 - part) * seen / old.rows) + new.scaled(part * seen / new.rows)
        worth = max(self._reg_covar(), getattr(self, "_prior_share", 0.0))
        prior = SpreadPrior.of(worth, _variance(mixture), seen, mixture.n_components)
        moved, prior, _ = updated(mixture, running, prior, owner)
        moved = moved.settled()
        bound = new.log_likelihood / new.rows
        attributes = {
            "mixture_": moved, "weights_": moved.weights, "converged_": False, "n_iter_": self.n_iter_ + 1,
            "lower_bound_": bound, "lower_bounds_": [bound], "_running": running, "_objectives": (),
            "_prior_share": prior.share,
            **self._attributes(moved),
        }  # fmt: skip
        return Step(attributes, bound)

    # -- densities --------------------------------------------------------------------------------------------------
    def score_samples(self, X: TableLike) -> Reals:
        """log p(x) of every row, (n,)."""
        return self._rows(X, lambda chunk: rounded(self._log_prob(chunk), chunk.X.dtype))

    def predict(self, X: TableLike) -> Codes:
        """The likeliest component of every row."""
        return self._rows(X, lambda chunk: likeliest(self._log_joint(chunk), self._log_weights()))

    def predict_proba(self, X: TableLike) -> Reals:
        """The probability of every component given the row, (n, k); its weight where no component has a density."""
        return self._rows(X, self._posterior)

    def fit_predict(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Codes:
        """Fit, and give the likeliest component of every row."""
        return self.fit(X, y, sample_weight).predict(X)

    def sample(self, n_samples: int = 1) -> tuple[Floats, NDArray[np.int64]]:
        """Rows drawn from the mixture, sorted by component, and the component of each."""
        self._check_fitted()
        if isinstance(n_samples, bool) or not isinstance(n_samples, Integral) or n_samples < 1:
            raise InvalidData(
                f"{type(self).__name__}: Invalid value for 'n_samples': {n_samples!r:.80}; it must be an integer, at "
                "least 1."
            )
        return self.mixture_.sample_labelled(n_samples, generator(self.random_state))

    def _density(self) -> Mixture:
        return self.mixture_

    def _log_prob(self, chunk: Chunk) -> Floats:
        return log_total(self._log_joint(chunk))

    def _log_joint(self, chunk: Chunk) -> Floats:
        return self.mixture_.log_joint(chunk.X)

    def _log_weights(self) -> Floats:
        return self.mixture_.log_weights

    def _posterior(self, chunk: Chunk) -> Reals:
        return rounded(posterior(self._log_joint(chunk), self._log_weights()), chunk.X.dtype)


def _variance(mixture: Mixture) -> Floats:
    """The variance of each column of a mixture; of a family that has no formula for it, 1."""
    try:
        return mixture.moments()[1]
    except NoClosedForm:
        return np.ones(mixture.n_columns or 1)
