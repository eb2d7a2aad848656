"""The base of Bayes classifiers whose classes are fitted one after the other, each by EM to its own rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...backend.mixture import Singular
from ...data import Chunk, Needs, Source
from ...distributions import Beta, DiagonalGaussian, Dirichlet, Distribution, Mixture
from ...engine import Outcome, Step, closed_form, gain_tol_param, in_turn
from ...errors import InvalidData
from ...estimator import Attributes, declares
from ...holds import floats
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...statistics import DiagonalMoments, PerClass
from ...typing import Floats, Labels, RandomState
from .base import BayesClassifier, class_prior, log_of, priors_param, with_rows


class Found(NamedTuple):
    """The density of a class, the mean log-likelihood of its rows, and how many iterations of EM there were."""

    density: Distribution
    log_likelihood: float
    n_iter: int = 0


class Seen(NamedTuple):
    """The classes (k,), the weight of their rows (k,), P(class) (k,), and the sums of the columns of each."""

    labels: Labels
    weight: Floats
    prior: Floats
    parts: tuple[DiagonalMoments, ...]

    @property
    def objective(self) -> float:
        """−Σ w log P(class)."""
        return -float(np.nansum(self.weight * log_of(self.prior)))


@contextmanager
def said_of(owner: str, rows: str = "") -> Iterator[None]:
    """What is wrong with the density of some rows, said by its owner with their name."""
    try:
        yield
    except (Singular, np.linalg.LinAlgError):
        raise InvalidData(
            f"{owner}: {rows}columns are constant or follow from others, so that the density is infinite. Leave those "
            "out, or give the density a floor."
        ) from None
    except InvalidData as error:
        said = str(error).removeprefix(f"{owner}: ")
        raise InvalidData(f"{owner}: {rows}{said}") from error


@declares
class ClassMixtures(BayesClassifier):
    """Base: a subclass gives `_fitted(plan, rows, whole, rng)` for one class, and `_attributes(densities)`."""

    needs = Needs(target="classes", missing=True)
    units = "columns"

    priors: ArrayLike | Beta | Dirichlet | None = priors_param()
    tol: float = gain_tol_param(1e-3)
    max_iter: int = param(1000, integer=True, at_least=1, doc="How many iterations of EM at the most.")
    n_init: int = param(1, integer=True, at_least=1, doc="How many starts of each class; the best is kept.")
    random_state: RandomState = random_state_param()

    class_count_: Floats = learned("The weight of the rows of each class, (k,).", holds=floats("k"))
    priors_: Floats = learned("P(class), (k,).", holds=floats("k", at_least=0))
    n_iter_: int = learned("The iterations of EM, of the class that had most.")

    def _plans(self, labels: Labels) -> Sequence[object]:
        """What `_fitted` is told of each class: its label."""
        return list(labels)

    def _fitted(self, plan: Any, rows: Source, whole: DiagonalMoments, rng: np.random.Generator) -> Found:
        """The density of the rows of one class; `whole` sums up the columns of all."""
        raise TypeError(f"{type(self).__name__} does not define _fitted")

    def _attributes(self, densities: tuple[Distribution, ...]) -> Attributes:
        raise TypeError(f"{type(self).__name__} does not define _attributes")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(source))

    def _solved(self, source: Source) -> Step[Attributes]:
        seen = self._seen(source)
        found = self._each(source, seen)
        likely = sum(float(weight) * own.log_likelihood for weight, own in zip(seen.weight, found, strict=True))
        state = self._state(seen, [own.density for own in found], max(own.n_iter for own in found))
        return Step(state, seen.objective - likely)

    def _seen(self, source: Source) -> Seen:
        owner = type(self).__name__
        seen = with_rows(owner, source.reduce(_by_class))
        prior = class_prior(owner, "priors", self.priors, seen.weight)
        return Seen(seen.classes, seen.weight, prior, seen.parts)

    def _each(self, source: Source, seen: Seen) -> list[Found]:
        """Every class fitted to its rows; Ctrl-C or a time limit leaves one Gaussian to the classes that are left."""
        rng, whole = generator(self.random_state), sum(seen.parts[1:], seen.parts[0])
        each = zip(seen.labels, self._plans(seen.labels), strict=True)
        found = list(in_turn([partial(self._of_class, label, plan, source, whole, rng) for label, plan in each]))
        for part, weight in list(zip(seen.parts, seen.weight, strict=True))[len(found) :]:
            gaussian = _one_gaussian(part, whole)
            found.append(Found(Mixture.of(np.ones(1), (gaussian,)), gaussian.total_log_prob(part) / float(weight)))
        return found

    def _of_class(
        self, label: object, plan: object, source: Source, whole: DiagonalMoments, rng: np.random.Generator
    ) -> Found:
        with said_of(source.needs.owner, f"class '{label}': "):
            return self._fitted(plan, source.filtered(partial(_is_label, label=label)), whole, rng)

    def _state(self, seen: Seen, densities: Sequence[Distribution], n_iter: int) -> Attributes:
        return {
            "classes_": seen.labels,
            "class_count_": seen.weight,
            "priors_": seen.prior,
            "n_iter_": n_iter,
            **self._attributes(tuple(densities)),
        }

    def _log_prior(self) -> Floats:
        return log_of(self.priors_)


def _by_class(chunk: Chunk) -> PerClass[DiagonalMoments]:
    return PerClass.of(chunk.X, chunk.y, chunk.weight)


def _is_label(chunk: Chunk, label: object) -> object:
    return np.asarray(chunk.y) == label


def _one_gaussian(part: DiagonalMoments, every: DiagonalMoments) -> DiagonalGaussian:
    """A Gaussian with the means and variances of the columns, or of all classes where a column says nothing."""
    spread = every.scatter / np.where(every.weight > 0, every.weight, 1.0)
    variance = part.scatter / np.where(part.weight > 0, part.weight, 1.0)
    variance = np.where(variance > 1e-6 * spread, variance, np.where(spread > 0, spread, 1.0))
    return DiagonalGaussian(np.where(part.weight > 0, part.mean, every.mean), variance)
