"""A pipeline: transformers and a model after one another."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import Bunch, Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from .. import params
from ..data import Needs, Source
from ..data.source import TargetKind
from ..engine import History, Outcome, resumable
from ..errors import InvalidParameter
from ..estimator import Attributes, Estimator, check_expected, estimator
from ..holds import sometimes, whole
from ..params import param
from ..scikit_learn import VERBOSE, Counterpart
from ..typing import EstimatorLike, TableLike, TargetLike, WeightLike
from . import flow
from .answers import SKIPPED, Answers, every, where
from .flow import Flow, Given

Steps = list[tuple[str, Any]]


def _are_steps(value: object) -> bool:
    """Whether a value is a list of pairs of a name and something that learns or transforms."""
    if not isinstance(value, list | tuple):
        return False
    pairs = all(isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in value)
    return pairs and all(_is_step(step) for _, step in value)


def _is_step(step: object) -> bool:
    return step is None or step == "passthrough" or (hasattr(step, "fit") and not isinstance(step, type))


@estimator
class Pipeline(Answers, Estimator):
    """Transformers and a model after one another: each step learns from the rows as the steps before it give them.

    From files and Dask collections everything is done chunk by chunk: a step is fitted from the source, then the source
    is mapped by it, and the rows between are not kept. Weights, targets, missing values and names of columns pass
    through; a step that cannot use missing values says so. Steps of scikit-learn's are taken as well: in memory as they
    are, and from files where they have `partial_fit`. The last step may be of any kind, and its methods are those of
    the pipeline.

    A fit that fails leaves all steps as they were. `history_` is that of the last step; each step keeps its own.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> model = sf.Pipeline([("scale", sf.StandardScaler()), ("groups", sf.KMeans(4, random_state=0))])
    >>> np.bincount(model.fit_predict(crabs.matrix())).tolist()
    [28, 41, 71, 60]
    >>> model["scale"].mean_.round(1)
    array([15.6, 12.7, 32.1, 36.4, 14. ])
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.pipeline",
        ignored={"memory": "nothing is computed twice in a fit", "verbose": VERBOSE},
        absent={"transform_input": "only rows are transformed"},
    )
    exemptions: ClassVar[Mapping[str, str]] = {
        "check_dont_overwrite_attributes": "the steps are parameters, and learn",
        "check_estimators_overwrite_params": "the steps are parameters, and learn",
    }

    steps: Any = param(
        (),
        positional=True,
        accept=_are_steps,
        allowed="a list of pairs (name, estimator), where 'passthrough' does nothing",
        doc="The steps in their order; all but the last transform rows.",
    )

    holds: ClassVar = {"n_features_in_": sometimes(whole())}  # the first step has it

    # ---- the steps ----

    @property
    def named_steps(self) -> Bunch:
        """The steps by name."""
        return Bunch(**dict(self.steps))

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, which: object) -> Any:
        """A step by name or number, or the pipeline of some of them, which shares the steps."""
        if not isinstance(which, slice):
            return dict(self.steps)[which] if isinstance(which, str) else self.steps[which][1]
        if which.step not in (1, None):
            raise InvalidParameter("Pipeline: steps are taken in their order; a slice must have the step 1.")
        part = type(self)(self.steps[which])
        if hasattr(self, "history_"):
            part.history_ = getattr(part._final(), "history_", self.history_)
        return part

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; with `deep` also the steps by name, and their parameters as `name__parameter`."""
        given: dict[str, object] = super().get_params(deep=False)
        if deep and _are_steps(self.steps):
            for name, step in self.steps:
                given[name] = step
                inner = step.get_params(deep=True) if hasattr(step, "get_params") else {}
                given |= {f"{name}__{key}": value for key, value in inner.items()}
        return given

    def set_params(self, **given: object) -> Self:
        """Set `steps`, a step by its name, or a parameter of a step as `name__parameter`."""
        if "steps" in given:
            self.steps = given.pop("steps")
        names = [name for name, _ in self.steps] if _are_steps(self.steps) else []
        for name in [name for name in given if name in names]:
            step = given.pop(name)
            self.steps = type(self.steps)((key, step if key == name else old) for key, old in self.steps)
        super().set_params(**given)
        return self

    def _active(self) -> Iterator[tuple[str, Any]]:
        """The steps that do something."""
        return ((name, step) for name, step in self.steps if step not in SKIPPED)

    def _final(self) -> Any:
        return self.steps[-1][1] if self.steps else None

    def _check_steps(self) -> None:
        params.check(self)
        names = [name for name, _ in self.steps]
        wrong = next((name for name in names if "__" in name or name == "steps" or names.count(name) > 1), None)
        if not names or wrong is not None:
            got = f"got {wrong!r}" if names else "got none"
            raise InvalidParameter(
                f"Pipeline: steps must have names that differ, without '__' and other than 'steps'; {got}. Rename it."
            )
        bad = next((name for name, step in self.steps[:-1] if step not in SKIPPED and not _transforms(step)), None)
        if bad is not None:
            raise InvalidParameter(
                f"Pipeline: all steps but the last must transform rows, and {bad!r} is a "
                f"{type(dict(self.steps)[bad]).__name__}, which has no transform. Make it the last, or leave it out."
            )
        kinds = {flow.target_of(step) for _, step in self._active()} - {"none"}
        if len(kinds) > 1:
            raise InvalidParameter("Pipeline: some steps need classes for a target, and others numbers; use one kind.")

    def _target(self) -> TargetKind:
        kinds = [flow.target_of(step) for _, step in self._active()]
        return next((kind for kind in kinds if kind != "none"), "none")

    def _needs(self) -> Needs:
        first = next((step for _, step in self._active()), None)
        needs = first._needs() if isinstance(first, Estimator) else flow._ANYTHING
        return needs.but(owner=type(self).__name__, target=self._target())

    # ---- learning ----

    def fit(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Self:
        """Fit one step after the other, from a table in memory, a `scan` of files or a dask collection."""
        self._check_steps()
        return self._adopt(lambda: self._learn_from(Given(X, y, sample_weight)))

    @property
    def follows_from_summary(self) -> bool:
        """Whether a fit is a function of one summary: cross-validation then needs one pass for all folds."""
        own = type(self).fit is Pipeline.fit and _are_steps(self.steps)
        return own and flow.is_function_of_sums([step for _, step in self._active()])

    def source_of(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Source:
        """The rows of a fit, for `fit_source`: cross-validation opens a table once for all folds."""
        self._check_steps()
        return Given(X, y, sample_weight).opened(self._needs())

    def _entered(self, source: Source) -> Source:
        return source  # each step says what it needs

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return self._learn_from(Given(source))

    def _learn_from(self, rows: Given) -> Outcome[Attributes]:
        whole = dataclasses.replace(flow._ANYTHING, owner=type(self).__name__, target=self._target())
        with resumable(type(self).__name__, self._determining, lambda: rows.opened(whole)):
            return self._pass(rows, flow.fitted)

    def _pass(
        self, rows: Flow, learn: Callable[[Any, Flow, TargetKind], object], old_rows: bool = False
    ) -> Outcome[Any]:
        """Let every step learn from the rows that the steps before it give; only then is anything changed.

        `old_rows`: the rows are those that the steps gave before they learned.
        """
        learned, target = [], self._target()
        interrupted = False
        active = [step for _, step in self._active()]
        for step in active:
            try:
                learner = learn(step, rows, target)
            except flow.Interrupted as cut:  # what it found until then is kept, where it is all that was to come
                if step is not active[-1]:
                    raise KeyboardInterrupt from None
                learner, interrupted = cut.step, True
            learned.append((step, learner))
            if step is not active[-1]:
                rows = flow.after(step if old_rows else learner, rows, target)
        for step, learner in learned:
            vars(step).clear()
            vars(step).update(vars(learner))
        history = getattr(active[-1] if active else None, "history_", History((), "converged"))
        return Outcome({}, dataclasses.replace(history, status="interrupted") if interrupted else history)

    @where(every("partial_fit"))
    def partial_fit(
        self, X: TableLike, y: TargetLike = None, classes: TargetLike = None, *, sample_weight: WeightLike = None
    ) -> Self:
        """Let every step take more rows in, each by its own `partial_fit`.

        A step sees the rows as the steps before it give them now; those that it took in before are not transformed
        again.
        """
        self._check_steps()
        check_expected(type(self).__name__, y, classes)
        learn = lambda step, rows, target: flow.more(step, "partial_fit", rows, target, classes)  # noqa: E731
        return self._adopt(lambda: self._pass(Given(X, y, sample_weight), learn))

    @where(every("remove"))
    def remove(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """Take rows away from every step, as the steps before it gave them until now."""
        check_is_fitted(self)
        learn = lambda step, rows, target: flow.more(step, "remove", rows, target)  # noqa: E731
        return self._adopt(lambda: self._pass(Given(X, y, sample_weight), learn, old_rows=True))

    # ---- what is known of it ----

    def _before_last(
        self, X: TableLike, y: TargetLike = None, weight: WeightLike = None, target: TargetKind = "none"
    ) -> Flow:
        """The rows as the last step gets them, with a target where one is asked for."""
        check_is_fitted(self)
        rows: Flow = Given(X, y, weight)
        for _, step in list(self._active())[: None if self._final() in SKIPPED else -1]:
            rows = flow.after(step, rows, target)
        return rows

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns after all steps."""
        names = input_features
        for _, step in self._active():
            names = step.get_feature_names_out(names)
        return np.asarray(names, dtype=object)

    def set_output(self, *, transform: object = None) -> Self:
        """What `transform` gives, as scikit-learn says it: an array or a frame."""
        if hasattr(self._final(), "set_output"):
            self._final().set_output(transform=transform)
        return self

    @property
    def n_features_in_(self) -> int:  # type: ignore[override]
        """How many columns the first step was fitted with."""
        return int(next(self._active())[1].n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:  # type: ignore[override]
        """The names of the columns that the first step was fitted with."""
        return np.asarray(next(self._active())[1].feature_names_in_)

    @property
    def classes_(self) -> NDArray[np.generic]:
        """The classes of the last step."""
        return np.asarray(self._final().classes_)

    def __sklearn_is_fitted__(self) -> bool:
        try:
            for _, step in self._active():
                check_is_fitted(step)
        except NotFittedError:
            return False
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        active = [step for _, step in self._active()] if _are_steps(self.steps) else []
        if active:
            first, last = get_tags(active[0]), get_tags(active[-1])
            tags.input_tags = first.input_tags
            tags.input_tags.sparse = all(get_tags(step).input_tags.sparse for step in active)
            tags.input_tags.allow_nan = all(get_tags(step).input_tags.allow_nan for step in active)
            tags.estimator_type, tags.target_tags = last.estimator_type, last.target_tags
            tags.classifier_tags, tags.regressor_tags = last.classifier_tags, last.regressor_tags
            tags.transformer_tags = last.transformer_tags
        return tags

    def __sklearn_clone__(self) -> Self:
        given = [(name, step if step in SKIPPED else clone(step)) for name, step in self.steps]
        return type(self)(type(self.steps)(given))


def _transforms(step: EstimatorLike) -> bool:
    return hasattr(step, "transform")


def make_pipeline(*steps: object) -> Pipeline:
    """A pipeline whose steps are called by their classes, in lower case and numbered where one stands twice.

    >>> import suffice as sf
    >>> [name for name, _ in sf.make_pipeline(sf.StandardScaler(), sf.PCA(2)).steps]
    ['standardscaler', 'pca']
    """
    names = [step if isinstance(step, str) else type(step).__name__.lower() for step in steps]
    counted = [
        f"{name}-{names[: i + 1].count(name)}" if names.count(name) > 1 else name for i, name in enumerate(names)
    ]
    return Pipeline(list(zip(counted, steps, strict=True)))
