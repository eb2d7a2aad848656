"""The promises every estimator keeps."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone
from sklearn.utils import estimator_checks as sklearn_checks

from ..backend import threads
from ..engine import limits, recording
from ..errors import SufficeWarning, TimeLimit
from ..estimator import ByChance, Estimator, SummaryModel
from ..observing import Iteration, Observer, observe
from ..persist import load, save
from ..typing import EstimatorLike
from .bad_input import bad_input_checks
from .chosen_columns import chosen_column_checks
from .cluster_counts import cluster_count_checks
from .conformal import conformal_checks
from .counterparts import takes_the_arguments_of_its_counterpart
from .decisions import decision_checks
from .explanations import explanation_checks
from .fixed_by_fit import fitted_state_decides
from .joint_densities import joint_density_checks
from .left_out_folds import left_out_fold_checks
from .model_files import hostile_arrays
from .net_gradients import net_gradient_checks
from .ordered_levels import ordered_level_checks
from .overflow import overflow_checks
from .own_results import own_result_checks
from .parameters import parameter_checks
from .probabilities import probability_checks
from .refused_parameters import refused_parameter_checks
from .removal import removing_all_rows_is_refused
from .results import assert_same, fresh, results
from .resuming import goes_on_from_a_checkpoint
from .row_order import row_order_checks
from .selections import selection_checks
from .sources import left_out, source_checks
from .summary_laws import summaries_add_up
from .units import unit_checks
from .warm_starts import warm_start_checks
from .weighted_scores import weighted_score_checks
from .wide_tables import wide_table_checks

MOST_SECONDS = 1.0  # for a check that is expected to fail
Check = Callable[[], None]


def check_estimator(cls: type[Estimator]) -> None:
    """Run every check on a class; the first that fails raises."""
    for _, check in estimator_checks(cls):
        check()


def estimator_checks(cls: type[Estimator]) -> Iterator[tuple[str, Check]]:
    """Name and check, for every promise that applies to the class; an exemption is checked to be needed."""
    exempt: dict[str, list[Check]] = {name: [] for name in cls.exemptions}
    for name, check in _all_checks(cls):
        if name in exempt:
            exempt[name].append(check)
        else:
            yield name, partial(_quietly, check)
    cannot_tell = left_out() | {name for name, reason in cls.exemptions.items() if isinstance(reason, ByChance)}
    for name, checks in exempt.items():
        if name not in cannot_tell:
            yield f"exemption_from_{name}", partial(_quietly, partial(exemption_is_needed, cls, name, checks))


def exemption_is_needed(cls: type[Estimator], name: str, checks: list[Check]) -> None:
    """A check that the class is exempt from fails in at least one of its forms, or takes too long."""
    assert checks, f"{cls.__name__} is exempt from {name}, which is no check of it; remove the exemption"
    for check in checks:
        try:
            with limits(seconds=MOST_SECONDS):
                check()
        except Exception:
            return
    raise AssertionError(f"{cls.__name__} is exempt from {name} but passes it; remove the exemption")


def _all_checks(cls: type[Estimator]) -> Iterator[tuple[str, Check]]:
    for model, check in sklearn_checks.estimator_checks_generator(fresh(cls)):
        yield _sklearn_name(check), partial(_sklearn_check, check, model)
    own = [
        weights_equal_repetition, same_bits_for_any_threads, single_precision, history, interrupt_keeps_parameters,
        time_limit_keeps_parameters, file_round_trip, hostile_arrays, goes_on_from_a_checkpoint, summaries_add_up,
        fitted_state_decides,
    ]  # fmt: skip
    if issubclass(cls, SummaryModel):
        own += [partial_fit_equals_fit, remove_undoes_partial_fit, removing_all_rows_is_refused]
    if vars(cls).get("counterpart") is not None:
        own += [takes_the_arguments_of_its_counterpart]
    for check in own:
        yield check.__name__, partial(check, cls)
    yield from chosen_column_checks(cls)
    yield from cluster_count_checks(cls)
    yield from ordered_level_checks(cls)
    yield from own_result_checks(cls)
    yield from row_order_checks(cls)
    yield from source_checks(cls)
    yield from bad_input_checks(cls)
    yield from overflow_checks(cls)
    yield from parameter_checks(cls)
    yield from refused_parameter_checks(cls)
    yield from probability_checks(cls)
    yield from joint_density_checks(cls)
    yield from decision_checks(cls)
    yield from explanation_checks(cls)
    yield from weighted_score_checks(cls)
    yield from net_gradient_checks(cls)
    yield from warm_start_checks(cls)
    yield from unit_checks(cls)
    yield from wide_table_checks(cls)
    yield from left_out_fold_checks(cls)
    yield from selection_checks(cls)
    yield from conformal_checks(cls)


def _sklearn_name(check: Any) -> str:
    return str(getattr(check, "func", check).__name__)


def _sklearn_check(check: Callable[[object], None], model: EstimatorLike) -> None:
    with suppress(SkipTest):  # scikit-learn says the check does not apply here
        check(clone(model))


def _quietly(check: Check) -> None:
    """Warnings about tiny or degenerate data are expected in the checks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", DeprecationWarning)
        warnings.simplefilter("ignore", SufficeWarning)
        check()


def weights_equal_repetition(cls: type[Estimator]) -> None:
    """Integer weights give what repeated rows give; a weight of zero is an absent row."""
    rng = np.random.default_rng(1)
    X, y = cls.example(rng, 80)
    weight = rng.integers(0, 4, 80)
    again = np.repeat(np.arange(80), weight)
    weighted = fresh(cls).fit(X, y, sample_weight=weight)
    repeated = fresh(cls).fit(X[again], None if y is None else y[again])
    assert_same(results(weighted, X), results(repeated, X), rtol=1e-8)


def same_bits_for_any_threads(cls: type[Estimator]) -> None:
    """1, 2 and 3 threads give the same bits."""
    X, y = cls.example(np.random.default_rng(2), 60_000)
    found = []
    for n in (1, 2, 3):
        with threads(n):
            found.append(results(fresh(cls).set_params(**cls.many_rows).fit(X, y), X[:100]))
    for other in found[1:]:
        for name, values in found[0].items():
            assert values.tobytes() == other[name].tobytes(), f"{cls.__name__}.{name} depends on the threads"


def single_precision(cls: type[Estimator]) -> None:
    """float32 in, float32 out, close to the answer in double."""
    X, y = cls.example(np.random.default_rng(3), 200)
    single = X.astype(np.float32)
    outputs = results(fresh(cls).fit(single, y), single)
    for name, values in outputs.items():
        assert values.dtype.kind != "f" or values.dtype == np.float32, f"{cls.__name__}.{name} gives {values.dtype}"
    assert_same(outputs, results(fresh(cls).fit(single.astype(float), y), single.astype(float)), rtol=2e-3)


def history(cls: type[Estimator]) -> None:
    """`history_` holds iterations, times and a status; the objective moves the right way; recording sees the same."""
    X, y = cls.example(np.random.default_rng(4), 100)
    with recording() as trace:
        model = fresh(cls).fit(X, y)
    iterations = model.history_.iterations
    assert iterations, "no iterations"
    assert model.history_.status in ("converged", "max_iter")
    assert np.all(np.isfinite(model.history_.objective))
    assert np.all(np.diff(model.history_.seconds) >= 0)
    change = np.diff(model.history_.objective) * (1 if cls.maximises else -1)
    right = change >= -1e-9 * np.abs(model.history_.objective[1:])
    assert not cls.descends or np.all(right), "the objective moved the wrong way"
    assert trace.fits[0].name == cls.__name__
    assert trace.fits[0].status == model.history_.status
    fit = trace.fits[0] if trace.fits[0].iterations else trace.fits[1]  # its own, or that of the model it is made of
    seen, n = fit.iterations, len(iterations)  # of all starts; the best is kept
    kept = next(i for i in range(len(seen) - n + 1) if tuple(seen[i : i + n]) == tuple(iterations))
    holders = [model, *(value for value in vars(model).values() if isinstance(value, Estimator))]
    for name, shown in fit.snapshots[kept + n - 1].items():
        if name in cls.traced:
            continue
        holder = next((one for one in holders if hasattr(one, name)), None)
        assert holder is not None, f"a snapshot shows {name}, which is no fitted attribute"
        if isinstance(shown, np.ndarray):
            np.testing.assert_array_equal(shown, getattr(holder, name), err_msg=f"the last snapshot of {name}")


class _Ends(Observer):
    """Ends fits when an iteration is done, whichever it is of: by Ctrl-C."""

    def __init__(self) -> None:
        self.names: list[str] = []  # of the fits under way
        self.is_over = False
        self.has_iteration = False  # whether the outermost fit has one to keep

    def end(self) -> None:
        raise KeyboardInterrupt

    def fit_started(self, name: str, params: object) -> None:
        self.names.append(name)

    def fit_ended(self, status: str) -> None:
        self.names.pop()

    def iteration_done(self, done: Iteration, snapshot: Mapping[str, object]) -> None:
        self.is_over, self.has_iteration = True, self.has_iteration or len(self.names) == 1
        self.end()


def interrupt_keeps_parameters(cls: type[Estimator]) -> None:
    """Ctrl-C ends a fit, and what was found until then is kept; of fits within it, where all of them are needed,
    nothing is."""
    X, y = cls.example(np.random.default_rng(5), 100)
    model, ends = fresh(cls), _Ends()
    try:
        with observe(ends):
            model.fit(X, y)
    except KeyboardInterrupt:
        if ends.has_iteration or hasattr(model, "history_"):
            assert model.history_.status == "interrupted"
            assert results(model, X)
        return
    raise AssertionError(f"{cls.__name__}: KeyboardInterrupt did not reach the caller")


class _TimeIsUp(_Ends):
    """The same by `TimeLimit`, which is raised as well whenever it is told anything after that."""

    def end(self) -> None:
        raise TimeLimit("the time is up.")

    def rows_read(self, rows: int, total: int | None) -> None:
        if self.is_over:
            self.end()


def time_limit_keeps_parameters(cls: type[Estimator]) -> None:
    """A time limit that has run out ends a fit after its iteration, and nothing that is left to do for it fails."""
    X, y = cls.example(np.random.default_rng(5), 100)
    model, clock = fresh(cls), _TimeIsUp()
    try:
        with observe(clock):
            model.fit(X, y)
    except TimeLimit:
        assert not clock.has_iteration, f"{cls.__name__} had an iteration to keep"
        assert not hasattr(model, "history_")
        return
    assert model.history_.status == "time_limit"
    assert results(model, X)


def file_round_trip(cls: type[Estimator]) -> None:
    """A model file gives back the same parameters, the same attributes, and the same answers to the bit."""
    X, y = cls.example(np.random.default_rng(8), 60)
    model = fresh(cls).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        save(model, f"{folder}/model.sff")
        again = load(f"{folder}/model.sff", classes=[cls])
    assert type(again) is type(model)
    assert vars(again).keys() == vars(model).keys()
    assert repr(again) == repr(model)
    before, after = results(model, X), results(again, X)
    for name, values in before.items():
        assert values.tobytes() == after[name].tobytes(), f"{cls.__name__}.{name} differs after loading"


def partial_fit_equals_fit(cls: type[Estimator]) -> None:
    """Rows added bit by bit give the same model as all at once."""
    X, y = cls.example(np.random.default_rng(6), 90)
    whole = fresh(cls).fit(X, y)
    for first in (40, 2):  # two rows are fewer than columns
        fitted = fresh(cls).fit(X[:first], None if y is None else y[:first])
        for pieces in (fresh(cls), fitted):
            start = 0 if pieces is not fitted else first
            for rows in (slice(start, first), slice(first, first + 1), slice(first + 1, 90)):
                if rows.stop > rows.start:
                    pieces.partial_fit(X[rows], None if y is None else y[rows])
            assert_same(results(pieces, X), results(whole, X), rtol=1e-8)


def remove_undoes_partial_fit(cls: type[Estimator]) -> None:
    """Rows taken away again leave no trace."""
    X, y = cls.example(np.random.default_rng(7), 120)
    kept, gone = slice(0, 70), slice(70, 120)
    model = fresh(cls).fit(X, y).remove(X[gone], None if y is None else y[gone])
    assert_same(results(model, X), results(fresh(cls).fit(X[kept], None if y is None else y[kept]), X), rtol=1e-6)
