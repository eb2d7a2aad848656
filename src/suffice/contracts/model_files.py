"""What must hold of model files: everything in them is declared, and no array in them can do harm."""

from __future__ import annotations

import io
import json
import re
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from ..distributions import Distribution, Prior
from ..errors import SufficeError
from ..estimator import Estimator
from ..holds.checking import undeclared
from ..indices import LSH, Brute, InvertedLists, KDTree
from ..kernels import Kernel
from ..persist import load, save
from ..registry import name_of
from ..statistics import Statistic
from ..typing import EstimatorLike, TableLike, TargetLike
from .discover import distances, distributions, kernels, priors, statistics
from .results import METHODS, fresh

Array = NDArray[Any]
Ask = Callable[[Any], None]  # asks an object from a file for all that it can answer
_OF_ROWS = (*METHODS, "predict_joint_log_proba", "log_density", "impute", "kneighbors", "radius_neighbors")
_OF_ROWS_AND_TARGETS = ("partial_fit", "remove")
_OF_NOTHING = ("sample", "get_covariance", "get_precision", "get_feature_names_out")


def hostile_arrays(cls: type[Estimator]) -> None:
    """A fitted model whose arrays were changed in its file is refused, or answers, or says what is wrong.

    Of a class that does not declare what its attributes hold nothing can be promised.
    """
    if undeclared(cls):
        return
    X, y = cls.example(np.random.default_rng(9), 40)
    check_hostile_arrays(fresh(cls).fit(X, y), partial(ask_estimator, X=X[:6], y=None if y is None else y[:6]))


def saved_members() -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check, for everything else that a file may hold by itself."""
    rng = np.random.default_rng(9)
    for statistic in statistics():
        if name_of(statistic) is None:  # it only passes through a computation
            continue
        yield (
            statistic.__name__,
            partial(check_hostile_arrays, statistic.of(*statistic.example(rng, 20)), _ask_statistic),
        )
    for family in distributions():
        member = family.example(rng)
        yield family.__name__, partial(check_hostile_arrays, member, _ask_distribution)
    for prior in priors():
        yield prior.__name__, partial(check_hostile_arrays, prior.example(rng), _ask_prior)
    for distance in distances():
        for one in distance.examples():
            X = distance.example(rng, 8)
            if not hasattr(one, "function"):
                check = partial(check_hostile_arrays, one.fitted(X), partial(_ask_distance, X=X))
                yield f"{distance.__name__}-{one!r}", check
    for kernel in kernels():
        for k in kernel.examples():
            if not hasattr(k, "map"):
                yield (
                    f"{kernel.__name__}-{k!r:.60}",
                    partial(check_hostile_arrays, k, partial(_ask_kernel, X=k.example(rng, 8))),
                )
    yield from _indices(rng)


def _indices(rng: np.random.Generator) -> Iterator[tuple[str, Callable[[], None]]]:
    from scipy import sparse

    X = rng.normal(size=(60, 3))
    words = rng.random((40, 12)) * (rng.random((40, 12)) < 0.3)
    words[:, 0] = 1.0  # no row is empty
    words = sparse.csr_matrix(words)
    for index, metric, rows in (
        (Brute(), "mahalanobis", X),
        (Brute(), "gower", X),
        (Brute(), "jaccard", words),
        (KDTree(), "minkowski", X),
        (LSH(n_tables=3), "euclidean", X),
        (LSH(n_tables=3), "cosine", X),
        (InvertedLists(), "cosine", words),
    ):
        built = index.built(rows, metric)
        yield f"{index.name}-{metric}", partial(check_hostile_arrays, built, partial(_ask_index, X=rows[:4]))
    later = KDTree().built(X).insert(X[:5] + 1).remove([2, 3])
    yield "kd_tree-changed", partial(check_hostile_arrays, later, partial(_ask_index, X=X[:4]))


def check_hostile_arrays(value: object, ask: Ask, every: int = 1) -> None:
    """Change the arrays of a saved object in the ways of `changes`; `ask` may then raise nothing but our errors.

    Of arrays that stand side by side, as those of equal parts do, the first is changed, and only in `every` so many
    of the ways, others for each array.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.sff"
        save(value, path)
        ask(load(path, classes=[type(value)]))
        members = unpacked(path)
        seen: set[str] = set()
        for name in sorted(members.keys() - {"model.json"}):
            place = next(_places(json.loads(members["model.json"])["model"], name, ""), "")
            if (alike := re.sub(r"\d+", "*", place)) in seen:
                continue
            seen.add(alike)
            ways = list(changes(np.load(io.BytesIO(members[name]))))
            for change, array in ways[len(seen) % every :: every]:
                pack({**members, name: npy(array)}, path)
                check_harmless(path, type(value), ask, f"{place} {change}")


def check_harmless(path: Path, cls: type, ask: Ask, what: str) -> None:
    """A file loads, or is refused; what was loaded answers, or is not fitted. No error but ours is raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of overflows, and of nothing worse
            loaded = load(path, classes=[cls])
            if isinstance(loaded, cls):
                ask(loaded)
    except (SufficeError, NotFittedError):
        return
    except Exception as error:
        raise AssertionError(f"{cls.__name__}: {what}: {type(error).__name__}: {error}") from error


# ---- questions ------------------------------------------------------------------------------------------------------


def _asked(question: Callable[[], object]) -> None:
    try:
        question()
    except SufficeError:
        return


def _ask_kernel(kernel: Kernel, X: TableLike) -> None:
    for question in (kernel, kernel.diag, kernel.gradients, lambda rows: kernel.is_positive):
        _asked(partial(question, X))


def ask_estimator(model: EstimatorLike, X: TableLike, y: TargetLike) -> None:
    """Call every method that gives something of some rows, and those that add and remove rows."""
    for name in _OF_ROWS:
        if hasattr(model, name):
            _asked(partial(getattr(model, name), X))
    for name in _OF_NOTHING:
        if callable(getattr(model, name, None)):  # imputers have a parameter `sample`
            _asked(getattr(model, name))
    for name in _OF_ROWS_AND_TARGETS:
        if hasattr(model, name):
            _asked(partial(getattr(model, name), X, y))


def _ask_statistic(statistic: Statistic) -> None:
    _asked(lambda: statistic + statistic)
    for name in ("to_arrays", "comparable", "is_finite", "mean", "variance", "covariance", "median"):
        if callable(getattr(statistic, name, None)):
            _asked(getattr(statistic, name))
    _asked(lambda: type(statistic).from_arrays(statistic.to_arrays()))


def _ask_distribution(member: Distribution) -> None:
    _asked(lambda: member.log_prob(member.sample(3, 0)))
    _asked(lambda: member.mle(member.statistic(member.sample(3, 0))))
    for name in ("moments", "entropy"):
        _asked(getattr(member, name))
    _asked(lambda: member.n_parameters)


def _ask_prior(prior: Prior) -> None:
    for name in ("mode", "mean"):
        _asked(getattr(prior, name))
    _asked(lambda: prior.sample(3, 0))


def _ask_distance(distance: Any, X: TableLike) -> None:
    _asked(lambda: distance.pairwise(X, X))
    _asked(lambda: distance.condensed(X))
    _asked(lambda: list(distance.chunked(X)))


def _ask_index(index: Any, X: TableLike) -> None:
    _asked(lambda: index.kneighbors(X, 3))
    _asked(lambda: index.radius_neighbors(X, 0.5))
    _asked(lambda: index.insert(X).kneighbors(X, 2))
    _asked(lambda: index.remove([0]).kneighbors(X, 2))


# ---- changed files --------------------------------------------------------------------------------------------------


def changes(array: Array) -> Iterator[tuple[str, Array]]:
    """The array with another shape, another type, and other contents."""
    yield "with one row less", array[:-1] if array.ndim else array[None]
    yield "with one row more", np.concatenate([array, array[:1]]) if array.ndim else np.stack([array] * 2)
    yield "empty", np.empty((0, *array.shape[1:]), array.dtype)
    yield "with one dimension more", array[..., None]
    if array.ndim > 1:
        yield "with one column less", np.ascontiguousarray(array[..., :-1])
    yield "in another type", np.zeros(array.shape, "U4" if array.dtype.kind in "iufb" else np.float32)
    if array.dtype.kind in "if" and array.size:
        yield "in less precision", array.astype(f"{array.dtype.kind}{array.itemsize // 2}")
        yield from _changed_cells(array)


def _changed_cells(array: Array) -> Iterator[tuple[str, Array]]:
    cells = {"negative": -7.0, "huge": 1e300, "NaN": np.nan, "infinite": np.inf}
    if array.dtype.kind == "i":
        cells = {"negative": -7, "too large": array.max() + 1, "far": 2**31 - 1}
    for word, cell in cells.items():
        changed = array.copy()
        with np.errstate(over="ignore"):
            changed.flat[array.size // 2] = cell
        yield f"with a {word} cell", changed
    yield "of zeros", np.zeros_like(array)
    yield "upside down", array[::-1].copy() if array.ndim else array
    yield "all negative", -array - 1


def unpacked(path: Path) -> dict[str, bytes]:
    """The members of a model file."""
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def pack(members: dict[str, bytes], path: Path) -> None:
    """Write a model file of these members."""
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)


def npy(array: Array) -> bytes:
    """An array as a .npy file."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _places(node: object, name: str, place: str) -> Iterator[str]:
    """Where the document names an array."""
    if isinstance(node, dict) and node.get("at") == name:
        yield place
    pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, item in pairs:
        yield from _places(item, name, place if key in ("state", "items") else f"{place}.{key}".strip("."))
