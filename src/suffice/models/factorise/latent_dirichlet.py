"""Latent Dirichlet allocation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ...data import Chunk, Source
from ...engine import Outcome, Step, closed_form, gain_tol_param, iterate, little_to_gain, small_change
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import either, floats, number
from ...params import are_numbers, learned, numbers, param
from ...randomness import generator
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...typing import Floats, Reals, TableLike, TargetLike, WeightLike
from .dirichlet_topics import (
    Inference,
    Posteriors,
    Priors,
    bound_of_topics,
    expected_logs,
    posterior,
    row_bounds,
    started,
    word_sums,
)
from .documents import Documents, Passes
from .topic_starts import best_posteriors
from .topics import TopicModel, words_of


@estimator
class LatentDirichletAllocation(TopicModel):
    """Topics with Dirichlet priors: words of row i are of topics θᵢ ~ Dir(α), words of topic z of β_z ~ Dir(η).

    Variational EM: the posteriors of all θ and β are Dirichlet too, and each iteration finds first those of the rows
    and then, from sums over them, those of the topics. The objective is the bound of the log probability of a word that
    they give; it never falls (Blei, Ng and Jordan, 2003). `partial_fit`, and `learning_method="online"`, move the
    topics a part of the way after each batch (Hoffman, Blei and Bach, 2010).

    Examples
    --------
    >>> import suffice as sf
    >>> words = [[4, 3, 0, 0], [2, 4, 1, 0], [0, 0, 3, 5], [0, 1, 2, 4]]
    >>> model = sf.LatentDirichletAllocation(2, random_state=0).fit(words)
    >>> model.transform(words).round(1).tolist()
    [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.2, 0.8]]
    """

    small: ClassVar = {"n_components": 2, "max_iter": 8, "max_doc_update_iter": 20}
    read_late = ("mean_change_tol", "max_doc_update_iter")

    counterpart: ClassVar = Counterpart(
        "sklearn.decomposition",
        ignored={
            "evaluate_every": "the bound is known at every iteration",
            "perp_tol": "`tol` says when to stop",
            "n_jobs": JOBS,
            "verbose": VERBOSE,
        },
    )

    doc_topic_prior: Any = param(
        None,
        number=True,
        above=0,
        at_most=1e9,
        choices=(None,),
        accept=lambda value: are_numbers(value, 1),
        allowed="an array (k,)",
        doc="α, the prior of topics in a row; None: 1 / k.",
    )
    topic_word_prior: float | None = param(
        None, number=True, above=0, at_most=1e9, choices=(None,), doc="η, the prior of words in a topic; None: 1 / k."
    )
    learning_method: Literal["batch", "online"] = param(
        "batch", choices=("batch", "online"), doc="Whether topics move after all rows, or after each batch of them."
    )
    learning_decay: float = param(
        0.7, number=True, at_least=0, at_most=1, doc="A batch t moves the topics by (offset + t)^−decay of the way."
    )
    learning_offset: float = param(10.0, number=True, at_least=1, doc="The offset of that.")
    batch_size: int = param(128, integer=True, at_least=1, doc="How many rows an online batch has.")
    total_samples: float = param(1e6, number=True, above=0, doc="How many rows `partial_fit` is to expect in all.")
    tol: float = gain_tol_param(1e-5)
    max_iter: int = param(100, integer=True, at_least=0, doc="How many passes over all rows at the most.")
    mean_change_tol: float = param(
        1e-4, number=True, at_least=0, doc="The posterior of a row is found when it changes by less than this part."
    )
    max_doc_update_iter: int = param(100, integer=True, at_least=1, doc="How often that is tried at the most.")

    exp_dirichlet_component_: Floats = learned(
        "exp E log p of every word in every topic, (k, d).", holds=floats("k", "d", at_least=0)
    )
    doc_topic_prior_: Any = learned("α.", holds=either(number(above=0), floats("k", above=0)))
    topic_word_prior_: float = learned("η.")
    n_batch_iter_: int = learned("How many times the topics were moved.")
    bound_: float = learned("The perplexity exp(−bound / words) of the fit at its end.")
    holds: ClassVar = {"_alpha": floats("k", above=0)}

    @classmethod
    def as_proposed(cls) -> Self:
        return cls(5)

    # ---- the fit ----

    def _priors(self) -> Priors:
        k, given = self.n_components, self.doc_topic_prior
        if given is None:
            alpha = np.full(k, 1 / k)
        elif np.ndim(given):
            alpha = numbers(type(self).__name__, "doc_topic_prior", given, (k,), "one number a topic")
            if (alpha <= 0).any():
                raise InvalidParameter(
                    f"{type(self).__name__}: doc_topic_prior must be above 0 for each topic; got {given!r:.80}."
                )
        else:
            alpha = np.full(k, float(given))
        return Priors(alpha, 1 / k if self.topic_word_prior is None else float(self.topic_word_prior))

    def _inference(self, source: Source) -> Inference:
        passes = Passes(source, type(self).__name__)
        return Inference(passes, self._priors(), self.max_doc_update_iter, self.mean_change_tol)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        words, fit = words_of(source, type(self).__name__), self._inference(source)
        rng, priors = generator(self.random_state), fit.priors

        def start() -> Floats:
            return best_posteriors(fit, words.total, rng)

        if not self.max_iter:
            return closed_form(lambda: Step(self._attributes(start(), priors, 0, 0, 0.0), 0.0))
        if self.learning_method == "online":
            return self._online(source, start, priors, words.total)

        def step(now: Posteriors) -> Step[Posteriors]:
            better = fit.improved(now)
            return Step(better, better.bound / words.total)

        outcome = iterate(
            lambda run: fit.started(start()), step, stop=little_to_gain(self.tol), max_iter=self.max_iter,
            minimise=False, snapshot=lambda now: {"components_": now.columns.T.copy()},
            kept=lambda: Posteriors.kept(len(source.schema), source.count(), self.n_components),
        )  # fmt: skip
        self._say_if_unfinished(outcome.history.status, self.max_iter)
        n = len(outcome.history)
        bound = float(outcome.history.objective[-1])
        return outcome.then(lambda now: self._attributes(now.columns, priors, n, n, bound))

    def _attributes(self, columns: Floats, priors: Priors, n_iter: int, batches: int, bound: float) -> Attributes:
        with np.errstate(over="ignore"):
            perplexity = float(np.exp(min(-bound, 700.0)))
        return {
            "components_": np.ascontiguousarray(columns.T),
            "exp_dirichlet_component_": np.ascontiguousarray(np.exp(expected_logs(columns, 0)).T),
            "topic_shares_": columns.sum(axis=0) / columns.sum(),
            "doc_topic_prior_": float(priors.topics[0]) if np.ptp(priors.topics) == 0 else priors.topics,
            "topic_word_prior_": priors.words,
            "_alpha": priors.topics,
            "n_iter_": n_iter,
            "n_batch_iter_": batches,
            "bound_": perplexity,
        }

    # ---- batches ----

    def _online(self, source: Source, start: Callable[[], Floats], priors: Priors, words: float) -> Outcome[Attributes]:
        """Passes over all rows whose topics move after every batch; the objective is that of the batches on the way."""
        rows = float(source.count())

        def step(state: tuple[Floats, int]) -> Step[tuple[Floats, int]]:
            now, t = state
            bound = 0.0
            for chunk in source.batches(self.batch_size):
                now, t, own = self._moved(chunk, now, t, priors, rows)
                bound += own
            return Step((now, t), (bound + bound_of_topics(now, priors.words)) / words)

        outcome = iterate(
            lambda run: (start(), 0), step, stop=small_change(self.tol), max_iter=self.max_iter, minimise=False,
            snapshot=lambda state: {"components_": state[0].T.copy()},
        )  # fmt: skip
        n, bound = len(outcome.history), float(outcome.history.objective[-1])
        return outcome.then(lambda state: self._attributes(state[0], priors, n, state[1], bound))

    def _moved(self, chunk: Chunk, columns: Floats, t: int, priors: Priors, rows: float) -> tuple[Floats, int, float]:
        """Topics after a batch of as many rows as there are in all: a part of the way to what it says by itself."""
        found = self._documents(chunk)
        likely = np.exp(expected_logs(columns, 0))
        γ = posterior(found, likely, priors, started(found, priors), self.max_doc_update_iter, self.mean_change_tol)
        logs = expected_logs(γ, 1)
        sums = word_sums(found, likely, logs, row_bounds(found, likely, priors, γ, logs))
        far = (self.learning_offset + t) ** -self.learning_decay
        there = priors.words + sums.counts * (rows / len(found))
        return (1 - far) * columns + far * there, t + 1, sums.bound

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """Move the topics after some more rows, as one online batch of `total_samples` rows in all."""
        first = not hasattr(self, "components_")

        def learn() -> Outcome[Attributes]:
            source, priors = self._open(X, y, sample_weight, reset=first), self._priors()
            words = words_of(source, type(self).__name__)
            t, n = (0, 0) if first else (self.n_batch_iter_, self.n_iter_)

            def solve() -> Step[Attributes]:
                at, bound = t, 0.0
                if first:
                    now = best_posteriors(self._inference(source), words.total, generator(self.random_state))
                else:
                    now = np.ascontiguousarray(self.components_.T)
                for chunk in source.batches(self.batch_size):
                    now, at, own = self._moved(chunk, now, at, priors, self.total_samples)
                    bound += own
                mean = (bound + bound_of_topics(now, priors.words)) / words.total
                return Step(self._attributes(now, priors, n + 1, at, mean), mean)

            return closed_form(solve)

        return self._adopt(learn)

    # ---- rows ----

    def _posteriors(self, found: Documents) -> Floats:
        likely, priors = (
            np.ascontiguousarray(self.exp_dirichlet_component_.T),
            Priors(self._alpha, self.topic_word_prior_),
        )
        return posterior(found, likely, priors, started(found, priors), self.max_doc_update_iter, self.mean_change_tol)

    def _shares(self, found: Documents) -> Floats:
        γ = self._posteriors(found)
        return np.asarray(γ / γ.sum(axis=1, keepdims=True))

    def _word_probability(self) -> Floats:
        return np.asarray(self.components_ / self.components_.sum(axis=1, keepdims=True))

    def transform(self, X: TableLike, *, normalize: bool = True) -> Reals:
        """The shares of the topics in every row, (n, k); with normalize=False the parameters of their posterior."""
        if normalize:
            return super().transform(X)
        self._check_fitted("components_")
        return self._rows(X, lambda chunk: self._posteriors(self._documents(chunk)).astype(chunk.X.dtype))

    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """The bound of the log probability of all words of these rows, given the topics."""
        self._check_fitted("components_")
        likely, priors = (
            np.ascontiguousarray(self.exp_dirichlet_component_.T),
            Priors(self._alpha, self.topic_word_prior_),
        )

        def bound(chunk: Chunk) -> float:
            found = self._documents(chunk)
            γ = self._posteriors(found)
            bounds = row_bounds(found, likely, priors, γ, expected_logs(γ, 1))
            return float(bounds.sum() if chunk.weight is None else bounds @ chunk.weight)

        total = self._summed(X, sample_weight, bound)
        return float(total) + bound_of_topics(np.ascontiguousarray(self.components_.T), self.topic_word_prior_)
