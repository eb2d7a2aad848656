"""How often a fit goes through its rows before the first iteration."""

from dataclasses import dataclass

import numpy as np
import pytest

import suffice as sf
from suffice.backend.dispatch import Operation
from suffice.data import ArraySource, Source, as_source, validate
from suffice.models.cluster import centre_based
from suffice.observing import Observer, observe

pytestmark = pytest.mark.native


@dataclass
class CountedSource(Source):
    """A table that is read in pieces, as a file is; `passes` says how often."""

    whole: ArraySource
    passes: list[int]

    @property
    def schema(self):
        return self.whole.schema

    @property
    def needs(self):
        return self.whole.needs

    @property
    def n_rows(self):
        return self.whole.n_rows

    def suited_to(self, needs, columns=None):
        return CountedSource(self.whole.suited_to(needs, columns), self.passes)

    def chunks(self):
        self.passes[0] += 1
        for first in range(0, self.n_rows, 9_000):
            yield self.whole.chunk.rows(first, first + 9_000)


class FirstIteration(Observer):
    """Notes the passes over a source when the first iteration of the outer fit is over."""

    def __init__(self, passes):
        self.passes, self.depth, self.after_first = passes, 0, None

    def fit_started(self, name, params):
        self.depth += 1

    def fit_ended(self, status):
        self.depth -= 1

    def iteration_done(self, done, snapshot):
        if self.depth == 1 and self.after_first is None:
            self.after_first = self.passes[0]


def passes_before_the_first_iteration(model, X, weight=None):
    source = CountedSource(as_source(X, None, weight), [0])
    watch = FirstIteration(source.passes)
    with observe(watch):
        model.fit(source)
    return watch.after_first - 1


@pytest.fixture(scope="module")
def rows():
    """More rows than a start looks at."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(24_000, 5)) + 6 * rng.normal(size=(3, 5))[rng.integers(0, 3, 24_000)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("init", ["k-means++", "random", "farthest", "pca"])
def test_kmeans_looks_once(rows, init, weighted):
    weight = np.arange(len(rows)) % 3 + 1.0 if weighted else None
    model = sf.KMeans(3, init=init, n_init=1, random_state=0)
    assert passes_before_the_first_iteration(model, rows, weight) == 1


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("init", ["kmeans", "k-means++", "random_from_data", "random"])
def test_gaussian_mixture_looks_once_and_estimates_its_start_in_a_second_pass(rows, init):
    model = sf.GaussianMixture(3, init_params=init, max_iter=2, random_state=0)
    assert passes_before_the_first_iteration(model, rows) == 2


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
def test_given_components_need_one_look(rows):
    known = sf.GaussianMixture(3, max_iter=2, random_state=0).fit(rows)
    given = {"weights_init": known.weights_, "means_init": known.means_, "precisions_init": known.precisions_}
    assert passes_before_the_first_iteration(sf.GaussianMixture(3, max_iter=2, **given), rows) == 1
    warm = known.set_params(warm_start=True)
    assert passes_before_the_first_iteration(warm, rows) == 1


def test_kmeans_in_memory_reads_the_array_twice_before_it_begins(rows, monkeypatch):
    """Beside the moments, and the reach that the start must know, nothing reads all rows: no search, no check."""
    calls, call = [], Operation.__call__

    def noted(operation, *args, **named):
        if any(isinstance(arg, np.ndarray) and arg.shape == rows.shape for arg in args):
            calls.append(operation.__name__)
        return call(operation, *args, **named)

    def sized(*args):
        calls.append("check_size")

    monkeypatch.setattr(Operation, "__call__", noted)
    monkeypatch.setattr(validate, "check_size", sized)
    monkeypatch.setattr(centre_based, "check_size", sized)
    sf.KMeans(3, random_state=0, max_iter=1).fit(rows)
    assert calls == ["grouped_moments", "largest"]


@pytest.mark.parametrize("weight", [None, 0.5])
@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e200])
def test_what_the_moments_show_is_refused_by_name(rows, value, weight):
    X = rows.copy()
    X[20_003, 2] = value
    expected = "column 2, row 20003" if np.isinf(value) else r"up to 1e\+200, so large that their squares overflow"
    with pytest.raises(sf.errors.InvalidData, match=f"^KMeans: .*{expected}"):
        sf.KMeans(3).fit(X, sample_weight=weight)


def test_a_bad_cell_of_a_row_without_weight_is_refused(rows):
    X, weight = rows.copy(), np.ones(len(rows))
    X[20_003, 2], weight[20_003] = np.inf, 0.0
    for model in (sf.KMeans(3), sf.StandardScaler()):
        with pytest.raises(sf.errors.InvalidData, match="column 2, row 20003"):
            model.fit(X, sample_weight=weight)
