"""Estimators: dataclasses of declared parameters on scikit-learn's protocol. The only place `fit` is defined."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import params
from ..backend import first_bad
from ..backend.blas import blas_threads_for
from ..data import Chunk, Needs, Schema, Source, as_source
from ..data.columns import tabled
from ..data.recode import extended, recoder
from ..data.rows import is_sparse
from ..data.validate import check_cells
from ..engine import History, Outcome, end_outer, resumable
from ..errors import InvalidData, RefusedRow
from ..holds import instance, label_array, mapping, sometimes, text, whole
from ..observing import announced, observers
from ..params import learned
from ..registry import register
from ..scikit_learn import Counterpart, admitted
from ..typing import Reals, TableLike, TargetLike, WeightLike

E = TypeVar("E", bound="type[Estimator]")
S = TypeVar("S", bound=Reals)
T = TypeVar("T")
Attributes = dict[str, Any]  # fitted attributes by name
_CHUNK_ROWS = 1 << 16  # where their number is not known, about as many are read at once
members: list[type[Estimator]] = []  # every class decorated with @estimator


class solvable:  # noqa: N801 (used as a function that gives a context, such as `contextlib.suppress`)
    """A system of equations without a solution is an error about the rows."""

    def __init__(self, owner: str) -> None:
        self.owner = owner

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, np.linalg.LinAlgError):
            raise InvalidData(
                f"{self.owner}: the sums of the rows have no solution ({error}). Leave out columns that others "
                "determine, and scale those down that hold very large numbers."
            ) from None


def _naming_rows(f: Callable[[Chunk], T], owner: str) -> Callable[[Chunk], T]:
    """`f`, whose errors name the estimator, and rows of a chunk by their numbers in the user's table."""

    def naming(chunk: Chunk) -> T:
        try:
            return f(chunk)
        except InvalidData as error:
            if type(error) not in (InvalidData, RefusedRow):
                raise
            said = error.said_of(int(chunk.number(error.row))) if isinstance(error, RefusedRow) else str(error)
            raise InvalidData(said if said.startswith(owner) else f"{owner}: {said}") from error

    return naming


def blas_threads_for_rows(source: Source) -> AbstractContextManager[None]:
    """As many threads of BLAS as the rows are worth, by a product of all of them with a square matrix, or of two."""
    n, d = source.n_rows, len(source.schema)
    return blas_threads_for(max(_CHUNK_ROWS if n is None else n, d) * d**2)


# For type checkers a `param(…)` is simply a default value, and a `learned(…)` attribute no argument.
@dataclass_transform(field_specifiers=(learned,))
def declares(cls: E) -> E:
    """Make the declared parameters of a class its `__init__`; for bases that are no estimator by themselves."""
    dataclasses.dataclass(eq=False, repr=False)(cls)
    return cls


# For type checkers a `param(…)` is simply a default value, and a `learned(…)` attribute no argument.
@dataclass_transform(field_specifiers=(learned,))
def estimator(cls: E) -> E:
    """Make a class an estimator: its declarations become `__init__` and sections of its docstring."""
    declares(cls)
    head, example, rest = (cls.__doc__ or "").partition("    Examples\n")
    counterpart: Counterpart | None = vars(cls).get("counterpart")
    text = params.document(cls) + ("" if counterpart is None else f"\n\n{counterpart.document(cls.__name__)}")
    section = "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())
    cls.__doc__ = f"{head}{section}\n{example}{rest}"
    _refuse_unknown(cls)
    members.append(cls)
    return register(cls, cls.__name__)


def _refuse_unknown(cls: E) -> None:
    """Let the constructor say which arguments it does not know, and leave aside what only scikit-learn's class has."""
    declared, init = params.declared(cls), cls.__init__

    @functools.wraps(init)
    def construct(self: Estimator, *args: object, **given: object) -> None:
        init(self, *args, **admitted(type(self), declared, given))

    cls.__init__ = construct  # type: ignore[method-assign]


class ByChance(str):
    """A reason in `exemptions` for a check that chance decides: it may also pass."""


@declares
class Estimator(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators: a subclass declares parameters and `needs`, and learns from a source.

    `_learn(source)` returns an `Outcome` whose state is the fitted attributes by name; they are set all at once
    when the fit is over, so a fit that fails leaves the estimator as it was.
    """

    needs: ClassVar[Needs] = Needs()
    # Scikit-learn's class of the same name, in a class that has its name.
    counterpart: ClassVar[Counterpart | None] = None
    # Checks that fail here, each with the reason; the contract tests see that they do.
    exemptions: ClassVar[Mapping[str, str]] = {}
    history_: History = learned(
        "The iterations of the fit, with objective, seconds and status.", holds=instance(History)
    )
    holds: ClassVar = {
        "n_features_in_": whole("d", at_least=1),
        "feature_names_in_": sometimes(label_array("d")),
        "_schema": sometimes(instance(Schema, d="d")),
        "_sklearn_output_config": sometimes(mapping(text(), text())),
    }

    # Whether the objective in `history_` rises (a likelihood) instead of falling (a cost).
    maximises: ClassVar[bool] = False

    # Whether no iteration moves it the other way; not where steps carry momentum.
    descends: ClassVar[bool] = True

    # Whether answers do not depend on the unit of each column, or on one of all columns alike; None claims nothing.
    units: ClassVar[Literal["columns", "common"] | None] = None

    # Whether predictions are in the unit of the target, whatever that is.
    in_unit_of_target: ClassVar[bool] = False

    # Whether a fit squares cells, so that larger ones than a double can hold the squares of are refused.
    squares: ClassVar[bool] = True

    # Parameters with which the contract tests make it, where its defaults only do the same more often.
    small: ClassVar[Mapping[str, object]] = {}

    # Those beside them with which a contract fits very many rows, where a round of them is as good as several.
    many_rows: ClassVar[Mapping[str, object]] = {}

    # Parameters that predictions read as they are then; all others count for the next fit only.
    read_late: ClassVar[tuple[str, ...]] = ()

    # Whether it is made of other models, which the user chooses; nobody proposes it without them.
    compound: ClassVar[bool] = False

    # Whether it is tried on any table whose target suits it; not where it is a special case, or another does it better.
    proposed: ClassVar[bool] = True

    # What cells it is proposed for beside text: "any", or "flags" (0 and 1), "counts" or "codes" of categories alone.
    suits: ClassVar[Literal["any", "flags", "counts", "codes"]] = "any"

    # The parameter that says how flexible the model is; "-alpha" where larger values make it simpler.
    complexity: ClassVar[str | None] = None

    # What its snapshots show in traces beside fitted attributes.
    traced: ClassVar[tuple[str, ...]] = ()

    # Tables of more rows are left to other models when models are proposed: a fit takes about a second for so many.
    most_rows: ClassVar[int | None] = None

    @classmethod
    def as_proposed(cls) -> Self:
        """The model as it is tried on any table: with its defaults, unless a scikit-learn default suits few tables."""
        return cls()

    def set_params(self, **given: object) -> Self:
        """Set parameters by name; those that only scikit-learn's class has are taken as by the constructor."""
        declared, counterpart = params.declared(type(self)), self.counterpart or Counterpart("")
        theirs = {name: given[name] for name in given if name not in declared and counterpart.knows(name)}
        admitted(type(self), declared, theirs)
        super().set_params(**{name: value for name, value in given.items() if name not in theirs})
        return self

    def check_loaded(self) -> None:
        """Raise an error where the attributes of a fitted estimator from a file do not fit together."""

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[NDArray[np.float64], Any]:
        """A table of n rows that the class can learn from, and its target or None, for the contract tests."""
        X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4)) + rng.normal(size=4) * 5
        if cls.needs.target == "classes":
            y = rng.integers(0, 3, n)
            return X + y[:, None] * rng.normal(size=4) * 2, np.array(["ant", "bee", "cat"])[y]
        if cls.needs.target == "numbers":
            return X, X @ rng.normal(size=4) + 0.1 * rng.normal(size=n) + 2
        return X, None

    def fit(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Self:
        """Learn from a table: an array, sparse matrix, frame, `scan` of files or dask collection."""
        return self._adopt(lambda: self._learn_resumably(self._open(X, y, sample_weight, reset=True)), anew=True)

    def fit_source(self, source: Source, **known: object) -> Self:
        """Learn from a source as a part of another fit, whose observers and limits hold on.

        `known` is what that one knows already, by the names of arguments of this class's `_learn`.

        Ctrl-C and a time limit end this fit with what it has, as `history_` says, and the one around it after the
        iteration it is in; they are raised only where there is nothing to keep. Rows that were checked already are not
        searched again, and errors name the owner of the source.
        """
        params.check(self)
        self._take(lambda: self._learn(self._entered(source), **known), anew=True)
        end_outer(self.history_.status)
        return self

    def _learn_resumably(self, source: Source) -> Outcome[Attributes]:
        with blas_threads_for_rows(source), resumable(type(self).__name__, self._determining, lambda: source):
            return self._learn(source)

    def _determining(self) -> Attributes:
        """What a fit depends on beside its rows: the parameters, and what it goes on from."""
        given: Attributes = self.get_params(deep=False)
        if given.get("warm_start"):
            given |= {name: value for name, value in vars(self).items() if name.endswith("_") and name != "history_"}
        return given

    def _learn(self, source: Source) -> Outcome[Attributes]:
        raise TypeError(f"{type(self).__name__} does not define _learn")

    def _adopt(self, learn: Callable[[], Outcome[Attributes]], anew: bool = False) -> Self:
        """As `_take`; Ctrl-C then goes on to the caller, whose program still stops."""
        self._take(learn, anew)
        if self.history_.status == "interrupted":
            raise KeyboardInterrupt
        return self

    def _take(self, learn: Callable[[], Outcome[Attributes]], anew: bool) -> None:
        """Run the learning under the observers, then take over what it found; a failure changes nothing.

        `anew` forgets the attributes of an earlier fit that this one does not set.
        """
        before = dict(self.__dict__)
        try:
            given = self.get_params(deep=False) if observers() else {}  # it costs a tenth of a small fit
            with announced(type(self).__name__, given) as ended:
                with solvable(type(self).__name__):
                    outcome = learn()
                ended.append(outcome.history.status)
        except BaseException:
            self.__dict__ = before
            raise
        params.forget_derived(self)
        if anew:
            for name in params.attributes(self):
                self.__dict__.pop(name, None)
        for name, value in outcome.state.items():
            setattr(self, name, value)
        self.history_ = outcome.history

    def _entered(self, source: Source) -> Source:
        """The source of another fit as this one can use it."""
        needs = self._fit_needs().but(owner=source.needs.owner)
        if not needs.allows(source.needs):
            source = source.suited_to(needs)
        self._check_columns(source, source, reset=True)
        if needs.categories:
            self._schema: Any = source.schema
        return source

    def _needs(self) -> Needs:
        return self.needs.but(owner=type(self).__name__)

    def _open(self, X: TableLike, y: object, sample_weight: WeightLike, *, reset: bool) -> Source:
        """The checked source of a fit, its columns remembered or compared with those of the first fit.

        Whatever learns from rows comes through here, so parameters are checked here as well.
        """
        params.check(self)
        X = tabled(X, type(self).__name__)
        source = as_source(X, y, sample_weight, needs=self._fit_needs())
        self._check_columns(X, source, reset)
        if not source.needs.categories:
            return source
        # Categories keep the codes of the first fit; those that `partial_fit` brings get the next ones.
        self._schema = source.schema if reset else extended(self._schema, source.schema)
        recode = recoder(self._schema, source.schema, source.needs.owner)
        return source if recode is None else source.mapped(recode, self._schema)

    def _fit_needs(self) -> Needs:
        return self._needs().but(squares=self.squares)

    def _check_columns(self, X: TableLike, source: Source, reset: bool) -> None:
        # What has no names, and is compared with none, needs none of scikit-learn's search for them.
        plain = isinstance(X, np.ndarray) or is_sparse(X)
        nameless = plain and (reset or not hasattr(self, "feature_names_in_"))
        if source.in_memory is not None and not nameless and not isinstance(X, Source):
            table = X if hasattr(X, "columns") else source.in_memory.X
            try:
                validate_data(self, table, reset=reset, skip_check_array=True)
            except ValueError as error:
                raise InvalidData(f"{type(self).__name__}: {error}") from None
            if reset and source.schema.named and not hasattr(self, "feature_names_in_"):
                self.feature_names_in_ = np.array(source.schema.names, dtype=object)
        elif reset:
            self.n_features_in_ = len(source.schema)
            self.__dict__.pop("feature_names_in_", None)
            if source.schema.named:
                self.feature_names_in_ = np.array(source.schema.names, dtype=object)
        elif len(source.schema) != self.n_features_in_:
            raise InvalidData(
                f"{self._needs().owner}: X has {len(source.schema)} features, but {type(self).__name__} is "
                f"expecting {self.n_features_in_} features as input."
            )

    def _rows(
        self, X: TableLike, f: Callable[[Chunk], T], late: bool | Callable[[], bool] = False, lean: bool = False
    ) -> T:
        """Apply `f` to the rows of new data, which must have the columns of the fit; no target is needed.

        `late` says that a bad cell always makes the result of its row NaN or infinite (see `Needs`), or is asked after
        `f` whether cells may be bad, by what it came upon; `lean` says that `f` takes no memory but its result and
        shares its work among threads, so that rows in memory are not cut.
        """
        source, recoded = self._known(X, None, late is not False)
        rows = source.looked_through() if callable(late) else source
        with solvable(source.needs.owner), blas_threads_for_rows(source):
            found: T = (rows.map_at_once if lean else rows.map)(recoded(f))
        if callable(late) and source.in_memory is not None and late():
            check_cells(source.in_memory, source.schema, source.needs)
        return found

    def _rows_by_scores(
        self, X: TableLike, score: Callable[[Chunk], S], answer: Callable[[S, Chunk], T], lean: bool = False
    ) -> T:
        """What `answer` makes of the scores of rows, (n,) or (n, k), where a bad cell makes a score NaN or infinite.

        The cells of rows in memory are searched only where that has happened: an answer may not show it.
        """
        suspects: list[int] = []  # the first rows of the blocks whose scores are not all finite

        def answered(chunk: Chunk) -> T:
            with np.errstate(invalid="ignore", over="ignore"):
                scores = score(chunk)
                if first_bad(scores.reshape(len(scores), -1)) is not None:
                    suspects.append(chunk.start)
                return answer(scores, chunk)

        return self._rows(X, answered, late=lambda: bool(suspects), lean=lean)

    def _check_fitted(self, learned: str | None = None) -> None:
        if (learned or "n_features_in_") not in vars(self):  # which scikit-learn's check would look for, at length
            check_is_fitted(self, learned)

    def _summed(self, X: TableLike, sample_weight: WeightLike, f: Callable[[Chunk], T]) -> T:
        """The sum of what `f` makes of the weighted rows of new data, which must have the columns of the fit."""
        source, recoded = self._known(X, sample_weight)
        with solvable(source.needs.owner), blas_threads_for_rows(source):
            total: T = source.reduce(recoded(f))
        return total

    def _known(
        self, X: TableLike, sample_weight: WeightLike, late: bool = False
    ) -> tuple[Source, Callable[[Any], Any]]:
        """New data with the columns of the fit, and what makes a function of chunks know its categories."""
        self._check_fitted()
        params.check(self)  # they may have changed since the fit
        X, needs = tabled(X, type(self).__name__), self._needs().but(target="none", late=late)
        if isinstance(X, Source) and sample_weight is None:
            source: Source = X.suited_to(needs, tuple(getattr(self, "feature_names_in_", ())) or None)
        else:
            source = as_source(X, None, sample_weight, needs=needs)
        self._check_columns(X, source, reset=False)
        recode = recoder(self._schema, source.schema, needs.owner) if hasattr(self, "_schema") else None
        return source, lambda f: _naming_rows(f if recode is None else lambda chunk: f(recode(chunk)), needs.owner)

    def _rows_back(self, X: TableLike, f: Callable[[Chunk], T], width: int) -> T:
        """Apply `f`, as lean as in `_rows`, to rows that this estimator made: `width` columns, whatever their names."""
        params.check(self)
        source = as_source(X, needs=self._needs().but(target="none"))
        if len(source.schema) != width:
            raise InvalidData(
                f"{type(self).__name__}: X has {len(source.schema)} columns; inverse_transform needs {width}."
            )
        with blas_threads_for_rows(source):
            found: T = source.map_at_once(f)
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        try:
            needs = self._needs()
        except (AttributeError, TypeError, ValueError):  # of parameters that no fit has checked yet
            params.check(self)
            raise
        tags.input_tags.allow_nan = needs.missing
        tags.input_tags.sparse = needs.sparse
        tags.target_tags.required = needs.target != "none"
        return tags
