"""Everything Suffice raises or warns about.

::

    SufficeError
    ├── InvalidParameter  (ValueError)    a declared parameter got a value it does not allow
    │   └── UnknownParameter (TypeError)  an argument that is no parameter, or one that only scikit-learn has
    ├── InvalidData       (ValueError)    a table, column, row, weight or file that cannot be used
    │   ├── RefusedRow                    a row that has no such distance
    │   ├── NotNumbers (TypeError)        cells that are something else than numbers, such as records or objects
    │   ├── SparseNotSupported (TypeError)  a sparse matrix where the model needs a dense one
    │   ├── NotEstimated (AttributeError) a figure that a fit does not have
    │   ├── InvalidModelFile              a file that holds no model, or a damaged one
    │   └── SourceChanged (OSError)       a file that changed or vanished while it was read
    ├── MemoryNeeded      (MemoryError)   a method that would need more memory than it may take
    ├── TimeLimit         (TimeoutError)  `limits` ran out before there was anything to keep
    ├── NoClosedForm      (TypeError)     a figure of a distribution that has no formula
    ├── WorkersLost       (RuntimeError)  a cluster without workers
    └── MissingExtra      (ImportError)   an optional package that is not installed

    SufficeWarning (UserWarning)
    ├── IllConditioned                    columns (almost) determined by others
    │   ├── HeywoodCase                   a column that latent factors explain entirely
    │   └── Separated                     classes that columns tell apart without fail: no coefficients are finite
    ├── NotConverged (ConvergenceWarning)  a fit that stopped at `max_iter`
    │   └── Diverged                      a fit whose steps led ever further away
    ├── Disconnected                      a graph of neighbours that falls into pieces
    ├── NothingSelected                   a selection of columns that would leave none
    ├── TooFewRows                        a group with too little to learn from by itself
    └── Renamed (DeprecationWarning)      a name that something had before
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .convergence import Diverged as Diverged
    from .convergence import NotConverged as NotConverged


def __getattr__(name: str) -> type[SufficeWarning]:
    """The warnings that stand on scikit-learn's, which is imported when they are first asked for."""
    if name not in ("NotConverged", "Diverged"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import convergence

    found: type[SufficeWarning] = getattr(convergence, name)
    return found


class SufficeError(Exception):
    """Base of every error raised on purpose."""


class InvalidParameter(SufficeError, ValueError):
    """A parameter holds a value that its declaration does not allow."""


class UnknownParameter(InvalidParameter, TypeError):
    """An argument names no parameter, or one of scikit-learn's that has no meaning here."""


class InvalidData(SufficeError, ValueError):
    """The data cannot be used as they are; the message names the place and the remedy."""


class RefusedRow(InvalidData):
    """A row that has no such distance; who cuts a table into chunks says it of the row's number in the whole."""

    def __init__(self, distance: str, row: int, why: str, remedy: str) -> None:
        super().__init__(distance, row, why, remedy)  # all of them, so that it can be pickled
        self.row = row

    def after(self, rows: int) -> RefusedRow:
        """The same of a row that so many others come before."""
        distance, row, why, remedy = self.args
        return RefusedRow(distance, row + rows, why, remedy)

    def said_of(self, row: int) -> str:
        """The sentence about a row of this number."""
        distance, _, why, remedy = self.args
        return f"{distance}: row {row} {why}. {remedy}"

    def __str__(self) -> str:
        return self.said_of(self.row)


class NotNumbers(InvalidData, TypeError):
    """Cells that are something else than numbers; a `TypeError` as well, as scikit-learn has it."""


class SparseNotSupported(InvalidData, TypeError):
    """A sparse matrix was given to a model that needs dense rows."""


class NotEstimated(InvalidData, AttributeError):
    """A figure that a fit does not have, such as standard errors after slopes were selected; no attribute then."""


class InvalidModelFile(InvalidData):
    """The file holds no model, a damaged one, or one that this version of Suffice cannot read."""


class SourceChanged(InvalidData, OSError):
    """A file changed, or vanished, between two looks at it."""


class MemoryNeeded(SufficeError, MemoryError):
    """The method would need more memory than it may take; the message has the figure and an alternative."""


class TimeLimit(SufficeError, TimeoutError):
    """The time given by `limits` ran out before the first iteration was done."""


class NoClosedForm(SufficeError, TypeError):
    """A figure of a distribution has no formula; it can be estimated from draws."""


class WorkersLost(SufficeError, RuntimeError):
    """No worker is left on the cluster to finish the work."""


class MissingExtra(SufficeError, ImportError):
    """An optional package is missing; the message says which command installs it."""

    def __init__(self, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(f"{package} is not installed; install it with: pip install 'suffice[{extra}]'")

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return MissingExtra, (self.package, self.extra)


def needed(module: str, extra: str, package: str = "") -> ModuleType:
    """Import an optional module, or say which extra brings its package, if that has another name than the module.

    >>> needed("json", "files").dumps([1])
    '[1]'
    >>> needed("no_such_module", "files")
    Traceback (most recent call last):
    suffice.errors.MissingExtra: no_such_module is not installed; install it with: pip install 'suffice[files]'
    """
    import importlib

    root = module.partition(".")[0]
    try:
        importlib.import_module(root)
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(package or root, extra) from error


class SufficeWarning(UserWarning):
    """Base of every warning given on purpose."""


class IllConditioned(SufficeWarning):
    """Some columns are (almost) determined by the others, so that many solutions fit equally well."""


class HeywoodCase(IllConditioned):
    """A column of a factor analysis has no noise of its own: the factors explain it entirely."""


class Separated(IllConditioned):
    """Columns tell some classes apart without fail, so that larger coefficients are always better."""


class Disconnected(SufficeWarning):
    """A graph of neighbours falls into pieces, between which it says nothing of distances."""


class NothingSelected(SufficeWarning):
    """No column has what a selection asks for, so that the nearest one is kept."""


class TooFewRows(SufficeWarning):
    """A group of rows is too small, or too much alike, for a model of its own."""


class Renamed(SufficeWarning, DeprecationWarning):
    """Something is called otherwise now; the former name will go."""


def warn(message: str, category: type[SufficeWarning]) -> None:
    """Warn as if from the first line outside Suffice that led here: the user's own."""
    import inspect
    import os
    import warnings

    here = os.path.dirname(__file__)
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(here):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def shown(value: object, most: int = 200) -> str:
    """A value as a message shows what was got: on one line, and cut where it is long.

    >>> shown([1.5, "a"]), shown("abcdef", most=4)
    ("[1.5, 'a']", "'abc…")
    """
    try:
        text = repr(value)
    except Exception:  # an integer with more digits than Python writes, or an object of somebody else's
        return f"a {type(value).__name__}"
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= most else f"{text[:most]}…"


def did_you_mean(word: str, known: list[str]) -> str:
    """A hint such as " Did you mean 'crabs'?", or nothing where no known word is close.

    >>> did_you_mean("crab", ["iris", "crabs"]), did_you_mean("Cl", ["CW", "CL"])
    (" Did you mean 'crabs'?", " Did you mean 'CL'?")
    """
    import difflib

    spelled = {name.casefold(): name for name in reversed(known)}
    close = difflib.get_close_matches(word.casefold(), spelled, n=1)
    return f" Did you mean {spelled[close[0]]!r}?" if close else ""


def squares_overflow(owner: str, place: str = "X", largest: float | None = None) -> InvalidData:
    """The error for finite numbers whose squares, or sums of them, are infinite.

    >>> str(squares_overflow("PCA"))
    'PCA: X holds numbers so large that their squares overflow; scale the columns down.'
    """
    figure = "" if largest is None else f" up to {largest:.3g},"
    return InvalidData(
        f"{owner}: {place} holds numbers{figure} so large that their squares overflow; scale the columns down."
    )


def squares_underflow(owner: str, place: str = "X") -> InvalidData:
    """The error for numbers whose squares are so near to 0 that they lose their digits.

    >>> str(squares_underflow("PCA", "column 'a'"))
    "PCA: column 'a' holds numbers so small that their squares underflow; scale it up."
    """
    what = "it" if place != "X" else "the columns"
    return InvalidData(f"{owner}: {place} holds numbers so small that their squares underflow; scale {what} up.")
