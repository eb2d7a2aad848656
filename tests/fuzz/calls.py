"""Random calls of everything public: estimators, distributions, statistics, distances, kernels, indices, functions.

A call is made from a number alone, so that whatever is found can be made again:
``PYTHONPATH=tests python -m fuzz.calls 123456`` says what it calls, and calls it.
"""

from __future__ import annotations

import inspect
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

import suffice as sf
from fuzz import values
from fuzz.values import Rng, pick
from suffice import contracts, evaluation, indices, params, resampling, selection, statistics
from suffice.errors import SufficeError

HERE = Path(__file__).parent
# What users call; the other methods are what members of a folder say to each other.
NOT_ASKED = (
    "fit", "partial_fit", "remove", "get_params", "set_params", "fit_source", "get_metadata_routing", "solve",
    "summarise", "get_feature_names_out", "set_output", "example", "check_loaded",
)  # fmt: skip
OF_DISTRIBUTIONS = (
    "entropy", "given", "kl", "latents", "log_joint", "log_prob", "moments", "sample", "sample_labelled", "statistic",
)  # fmt: skip
OF_DISTANCES = ("chunked", "condensed", "fitted", "pairwise")
OF_INDICES = ("insert", "kneighbors", "radius_neighbors", "remove")
FUNCTIONS = (
    "align", "as_distance", "as_distribution", "as_index", "as_kernel", "bca", "bootstrap", "choose", "compare",
    "compress_image", "confusion", "corrected_t", "describe", "detection_cost", "entropy", "evaluate", "f_beta",
    "holdout", "jensen_shannon", "kl", "make_pipeline", "precision_recall", "precision_recall_area", "prepared",
    "rate_distortion", "roc", "roc_area", "segment_image", "select_components", "select_k", "silhouettes", "stability",
    "wald", "wilson",
)  # fmt: skip


@dataclass(frozen=True)
class Call:
    """One thing that is called, with arguments."""

    words: str
    run: Callable[[], Any]


def calls(seed: int) -> Iterator[Call]:
    """The calls of a number: something is made, then asked in several ways; each may raise one of our errors."""
    rng = np.random.default_rng([seed, 2026])
    yield from pick(rng, KINDS)(rng)


def foreign(call: Call) -> str | None:
    """Make a call; what is wrong with the error that it raises, if it raises one that is not ours."""
    try:
        call.run()
    except (SufficeError, NotFittedError):
        return None
    except MemoryError:
        return None if ".sample" in call.words else f"MemoryError at ?: <- {call.words[:300]}"
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        if isinstance(error, TypeError | AttributeError) and Path(frames[-1].filename).parent == HERE:
            return None  # the signature does not have it
        inside = [frame for frame in frames if "suffice" in frame.filename and "tests" not in frame.filename]
        place = f"{Path(inside[-1].filename).name}:{inside[-1].lineno}" if inside else "?"
        return f"{type(error).__name__} at {place}: {str(error)[:160]} <- {call.words[:300]}"
    return None


def run(seed: int) -> list[str]:
    """The faults of one number."""
    found = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for call in calls(seed):
            fault = foreign(call)
            if fault is not None:
                found.append(f"seed {seed}: {fault}")
    return found


# ---- what is made ----


def estimator(rng: Rng) -> Iterator[Call]:
    """An estimator with some random parameters, fitted to random rows, and asked."""
    cls = pick(rng, _estimators())
    given = {name: parameter(rng, rule) for name, rule in params.declared(cls).items() if rng.random() < 0.25}
    n = max(1, values.rows(rng))
    X, y = cls.example(rng, n)
    rows = values.spoilt(rng, X) if rng.random() < 0.8 else values.table(rng)
    arguments = {"y": values.target(rng, y, n)}
    if rng.random() < 0.4:
        arguments["sample_weight"] = values.weights(rng, n)
    held: list[Any] = []
    text = f"{cls.__name__}({_said(given)})"

    def fit() -> None:
        model = cls(**given)
        held.append(model)
        with sf.limits(seconds=5):
            model.fit(rows, **arguments)

    yield Call(f"{text}.fit({_words(rows)}, {_said(arguments)})", fit)
    if held:
        yield from asked(rng, held[0], text, {"X": X, "y": y}, _methods(cls))


def distribution(rng: Rng) -> Iterator[Call]:
    """A distribution, as it is or fitted to random rows, and asked."""
    cls = pick(rng, _distributions())
    member = cls.example(rng)
    X = member.sample(max(1, values.rows(rng)), int(rng.integers(99)))
    held, rows = [member], values.spoilt(rng, X)
    weight = values.weights(rng, len(X)) if rng.random() < 0.5 else None
    if rng.random() < 0.6:
        yield Call(
            f"{cls.__name__}.fit({_words(rows)}, {_words(weight)})", lambda: held.append(member.fit(rows, weight))
        )
    other = pick(rng, _distributions()).example(rng) if rng.random() < 0.2 else cls.example(rng)
    yield from asked(rng, held[-1], cls.__name__, {"X": X, "other": other}, OF_DISTRIBUTIONS)


def statistic(rng: Rng) -> Iterator[Call]:
    """A statistic of random rows, added to another."""
    cls = pick(rng, _statistics())
    given = [values.spoilt(rng, one) for one in cls.example(rng, max(1, values.rows(rng)))]
    held: list[Any] = [cls]
    yield Call(f"{cls.__name__}.of({', '.join(map(_words, given))})", lambda: held.append(cls.of(*given)))
    if len(held) > 1:
        yield Call(f"{cls.__name__} + {cls.__name__}", lambda: held[1] + held[1])


def distance(rng: Rng) -> Iterator[Call]:
    """A distance, asked about random rows."""
    cls = pick(rng, _distances())
    one = pick(rng, cls.examples())
    yield from asked(rng, one, repr(one), {"X": cls.example(rng, max(1, values.rows(rng)))}, OF_DISTANCES)


def kernel(rng: Rng) -> Iterator[Call]:
    """The matrix of a kernel among random rows."""
    one = pick(rng, pick(rng, _kernels()).examples())
    X = one.example(rng, max(1, values.rows(rng)))
    model, rows = sf.KernelKMeans(2, kernel=one, random_state=0), values.spoilt(rng, X)
    yield Call(f"KernelKMeans(2, kernel={one!r}).fit({_words(rows)})", lambda: model.fit(rows))
    yield from asked(rng, model, f"KernelKMeans(2, kernel={one!r})", {"X": X}, _methods(sf.KernelKMeans))


def index(rng: Rng) -> Iterator[Call]:
    """An index of random rows, asked for neighbours."""
    cls = pick(rng, (indices.Brute, indices.KDTree, indices.LSH, indices.InvertedLists))
    X, metric = (
        rng.normal(size=(max(1, values.rows(rng)), 3)),
        pick(rng, ("euclidean", "cosine", "manhattan", "gower", 3)),
    )
    rows, held = values.spoilt(rng, X), []
    yield Call(f"{cls.__name__}().built({_words(rows)}, {metric!r})", lambda: held.append(cls().built(rows, metric)))
    if held:
        yield from asked(rng, held[0], cls.__name__, {"X": X, "Q": X}, OF_INDICES)


def function(rng: Rng) -> Iterator[Call]:
    """A public function with random arguments."""
    name, f = pick(rng, _functions())
    n = max(2, values.rows(rng))
    known = {
        "X": rng.normal(size=(n, 3)), "y": np.resize(["a", "b"], n), "weight": values.weights(rng, n),
        "model": pick(rng, _cheap()), "models": {"a": pick(rng, _cheap()), "b": pick(rng, _cheap())},
        "statistic": _height, "resamples": 20, "clusters": rng.integers(-1, 3, n), "classes": rng.integers(0, 3, n),
        "truth": rng.integers(0, 3, n), "predicted": rng.integers(0, 3, n), "positive": rng.random(n) < 0.5,
        "score": rng.normal(size=n), "data": rng.normal(size=(n, 2)), "successes": 3, "trials": n,
    }  # fmt: skip
    yield from called(rng, f, name, known)


KINDS = (
    estimator,
    estimator,
    estimator,
    estimator,
    estimator,
    distribution,
    distribution,
    statistic,
    distance,
    kernel,
    index,
    function,
)


# ---- how it is asked ----


def asked(rng: Rng, thing: Any, text: str, known: dict[str, Any], names: tuple[str, ...]) -> Iterator[Call]:
    """Three methods of a thing, with random arguments."""
    for name in (pick(rng, names) for _ in range(3)):
        read: list[Any] = []  # what is computed when it is read may fail as well
        yield Call(f"{text}.{name}", lambda name=name, read=read: read.append(getattr(thing, name, None)))
        if read and callable(read[0]):
            yield from called(rng, read[0], f"{text}.{name}", known)


def called(rng: Rng, f: Callable[..., Any], text: str, known: dict[str, Any]) -> Iterator[Call]:
    """A function with arguments by their names: rows where X is meant, often spoilt, and anything elsewhere."""
    given = {}
    for name, parameter in inspect.signature(f).parameters.items():
        needed = parameter.default is parameter.empty and parameter.kind.name in (
            "POSITIONAL_OR_KEYWORD",
            "KEYWORD_ONLY",
        )
        if name == "rule":  # said by one member to another
            continue
        if needed or (name in known and name in ("X", "y")) or rng.random() < 0.2:
            given[name] = argument(rng, name, known)
    kinds = {name: one.kind.name for name, one in inspect.signature(f).parameters.items()}
    first = [value for name, value in given.items() if kinds[name] == "POSITIONAL_ONLY"]
    named = {name: value for name, value in given.items() if kinds[name] in ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")}

    def run() -> None:
        with sf.limits(seconds=5):
            found = f(*first, **named)
            if inspect.isgenerator(found):
                for _ in zip(range(20), found, strict=False):
                    pass

    yield Call(f"{text}({_said(given)})", run)


def argument(rng: Rng, name: str, known: dict[str, Any]) -> Any:
    """What a parameter of this name is given."""
    rows = (
        name
        if name in known
        else "X"
        if name in ("A", "B", "Q", "Y", "Z", "rows", "queries", "x") and "X" in known
        else None
    )
    if "weight" in name and "X" in known:
        return values.weights(rng, len(known["X"]))
    if rows is not None:
        given = known[rows]
        return values.spoilt(rng, given) if isinstance(given, np.ndarray) or rng.random() < 0.1 else given
    if name == "journal" or "path" in name:
        return None
    return values.scalar(rng)


def parameter(rng: Rng, rule: params.Rule) -> Any:
    """A value for a declared parameter: mostly one that it allows."""
    if rng.random() < 0.15:
        return values.scalar(rng)
    choices: list[Any] = [word for word in rule.words if word != "precomputed"]
    if rule.integer or rule.number:
        low = rule.at_least if rule.at_least is not None else rule.above if rule.above is not None else 0
        choices += [int(low) + int(rng.integers(0, 6)), int(low) + 1, 3]
        if rule.number:
            choices += [float(low) + float(rng.random()), 10.0 ** int(rng.integers(-9, 9))]
    return pick(rng, choices) if choices else values.scalar(rng)


@cache
def _methods(cls: type) -> tuple[str, ...]:
    names = [name for name in dir(cls) if not name.startswith("_") and not name.endswith("_request")]
    names = [name for name in names if name not in NOT_ASKED]
    return tuple(name for name in names if inspect.isroutine(inspect.getattr_static(cls, name)))


_estimators = cache(contracts.estimators)
_distributions = cache(contracts.distributions)
_distances = cache(contracts.distances)
_kernels = cache(contracts.kernels)


@cache
def _statistics() -> list[type[Any]]:
    return [cls for cls in contracts.statistics() if cls.__module__.startswith(statistics.__name__)]


@cache
def _cheap() -> tuple[Any, ...]:
    return (sf.GaussianNB(), sf.LinearRegression(), sf.KMeans(2, random_state=0), sf.PCA(1), sf.GaussianMixture(1))


@cache
def _functions() -> list[tuple[str, Callable[..., Any]]]:
    modules = (sf, evaluation, resampling, selection, indices, sf.distances, sf.distributions, sf.kernels)
    found = {name: getattr(module, name) for module in modules for name in module.__all__ if name in FUNCTIONS}
    return sorted(found.items())


def _height(rows: Any) -> int:
    """A statistic of any rows."""
    return int(rows.shape[0])


# ---- words ----


def _said(given: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_words(value)}" for name, value in given.items())


def _words(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{type(value).__name__} {value.dtype} {value.shape}>"
    if hasattr(value, "shape"):
        return f"<{type(value).__name__} {value.shape}>"
    try:
        return repr(value)[:60]
    except ValueError:  # more digits than Python writes
        return "<a very long integer>"


if __name__ == "__main__":
    import faulthandler

    faulthandler.enable()
    for number in map(int, sys.argv[1:]):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for one in calls(number):
                sys.stdout.write(f"{one.words}\n")
                sys.stdout.flush()
                try:
                    one.run()
                except Exception:
                    sys.stdout.write(traceback.format_exc())
