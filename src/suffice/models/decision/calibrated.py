"""Probabilities that come true, from the scores of any classifier."""

from __future__ import annotations

import math
from functools import partial
from numbers import Integral

import numpy as np
from scipy import special
from sklearn.base import clone, is_classifier

from ...data import Chunk, Source
from ...data.labels import encode
from ...data.schema import Schema
from ...engine import Step
from ...errors import InvalidData
from ...estimator import Attributes, Estimator, estimator
from ...holds import instance, number, require, tuples
from ...params import learned, param
from ...resampling.beta_calibration import Beta
from ...resampling.calibration import Isotonic, Sigmoid
from ...typing import Floats, Labels, TableLike
from ..around import AroundClassifier
from ..bayes import GaussianNB
from ..cluster.alternation import memory_param
from ..inner import ask, columns_of, is_model, predictor_param
from .held_out import all_rows, are_splits, fitted_to, held_out, splits_of

Calibrator = Sigmoid | Isotonic | Beta
METHODS: dict[str, type[Calibrator]] = {"sigmoid": Sigmoid, "isotonic": Isotonic, "beta": Beta}
_LEAST = 1e-15  # probabilities nearer to 0 or 1 count as this
_CERTAIN = 34.5  # log odds beyond this were 0 or 1, or as good as that


@estimator
class Calibrated(AroundClassifier):
    """A classifier whose probabilities come true: P(c | x) = g_c(f_c(x)), g_c learned from rows left out.

    f_c is the decision of the classifier for class c against the others, or the log odds of its probability. Scores of
    rows that were left out, in `cv` parts by the contents of rows, say how often class c is true at each score, and
    g_c is fitted to that: a `sigmoid` 1 / (1 + e^(a f + b)) (Platt), an `isotonic` function that never falls, or
    `beta`, log odds a log p − b log(1 − p) + c. Of more than two classes the g_c are divided by their sum. The
    classifier itself is then fitted to all rows. `predict` is the most probable class. Rows of a class that has only
    one, or only equal ones, are not left out, so that its probabilities are too good. A probability of 0 or 1, as trees
    and neighbours say it, has log odds without end; a sigmoid and `beta` take them as at most `reach_`, that of
    1 / 2(n + 1), or half of the least odds above 0 that n rows left out were given.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> X, y = crabs.matrix(["FL", "RW", "CL", "CW", "BD"]), crabs["sp"]
    >>> sure = sf.GaussianNB().fit(X, y).predict_proba(X).max(axis=1).mean()
    >>> honest = sf.Calibrated(sf.GaussianNB()).fit(X, y).predict_proba(X).max(axis=1).mean()
    >>> print(f"sure of {sure:.2f}, calibrated {honest:.2f}, right {sf.GaussianNB().fit(X, y).score(X, y):.2f}")
    sure of 0.87, calibrated 0.65, right 0.62
    """

    instead = GaussianNB

    model: object = predictor_param(
        is_classifier, "What scores come from, any classifier with decisions or probabilities; None: `GaussianNB`."
    )
    method: str = param("sigmoid", positional=True, choices=tuple(METHODS), doc="What scores become probabilities by.")
    cv: object = param(
        5, integer=True, at_least=2, at_most=1000, accept=are_splits, allowed="a splitter, or pairs of row numbers",
        doc="How many parts of rows are left out in turn; or a splitter of scikit-learn, or pairs of row numbers.",
    )  # fmt: skip
    memory: int = memory_param("rows gathered from files or Dask")

    calibrators_: tuple[Calibrator, ...] = learned(
        "The g of each class; of two classes that of the second alone.", holds=tuples(instance(Sigmoid, Isotonic, Beta))
    )
    reach_: float = learned(
        "How large log odds count at the most; infinite for decisions and `isotonic`.",
        holds=number(at_least=0, finite=False),
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        many = len(self.classes_) if len(self.classes_) > 2 else len(self.classes_) - 1
        require(len(self.calibrators_) == many, "calibrators_ must be one a class")

    # -- learning -----------------------------------------------------------------------------------------------------
    def _solved(self, source: Source) -> Step[Attributes]:
        whole, owner = all_rows(source, self.memory), source.needs.owner
        kept = np.arange(len(whole)) if whole.weight is None else np.flatnonzero(whole.weight > 0)
        rows = whole.at(kept)
        classes, codes = encode(np.asarray(rows.y))
        model = fitted_to(self._inner(), rows, source)
        found: Attributes = {"classes_": classes, "model_": model, "calibrators_": (), "reach_": math.inf}
        if len(classes) == 1:
            return Step(found, 0.0)
        splits = splits_of(self.cv, whole, kept, codes, owner)
        asked = partial(_scores_of_all, schema=source.schema, classes=classes)
        scores = held_out(clone(self._inner()), rows, source, splits, asked)
        weight = np.ones(len(codes)) if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)
        if not isinstance(self.cv, Integral):  # which may leave rows out that are never asked about
            told = np.sort(np.concatenate([test for _, test in splits]))
            codes, scores, weight = codes[told], scores[told], weight[told]
        if self.method != "isotonic" and decisions_of(model, rows.rows(0, 1), source.schema) is None:
            found["reach_"] = reach_of(scores, float(weight.sum()))
        scores = np.clip(scores, -found["reach_"], found["reach_"])
        which = range(len(classes)) if len(classes) > 2 else (1,)
        maps = tuple(METHODS[self.method].of(scores[:, j], codes == c, weight) for j, c in enumerate(which))
        chance = _shares(maps, scores)[np.arange(len(codes)), codes]
        return Step({**found, "calibrators_": maps}, -float(weight @ np.log(np.maximum(chance, _LEAST))))

    # -- answers ------------------------------------------------------------------------------------------------------
    def predict(self, X: TableLike) -> Labels:
        """The most probable class of each row, (n,); of equal ones the first."""
        self._check_fitted("model_")
        found: Labels = self._rows(X, lambda chunk: self.classes_[np.argmax(self._chances(chunk), axis=1)])
        return found

    def _chances(self, chunk: Chunk) -> Floats:
        if len(self.classes_) == 1:
            return np.ones((len(chunk), 1))
        scores = scores_of(self.model_, chunk, columns_of(self))
        return _shares(self.calibrators_, np.clip(scores, -self.reach_, self.reach_))


def reach_of(scores: Floats, weight: float) -> float:
    """How large log odds may be for a curve to be fitted to them: beyond that rows of this weight say nothing.

    They cannot tell a probability of 0 from one of 1 / 2(n + 1), nor from half of the least odds that were said, and
    likewise near 1. Without a bound the 0 of one tree in twenty would outweigh all that the others say.

    >>> round(reach_of(np.array([-40.0, -1.0, 2.0]), 100.0), 3)
    2.693
    """
    said = np.abs(scores[np.abs(scores) < _CERTAIN])
    by_weight = math.log(2 * weight + 1)
    return min(by_weight, float(said.max()) + math.log(2)) if said.size else by_weight


def _scores_of_all(model: Estimator, chunk: Chunk, schema: Schema, classes: Labels) -> Floats:
    """The scores of all classes, by a model whose fold had all of them."""
    absent = np.setdiff1d(classes, model.classes_)
    if len(absent):
        raise InvalidData(
            f"the class {absent.tolist()[0]!r} is absent from the rows that one of the splits learns from; give a cv "
            "that has every class on either side, such as a number of parts."
        )
    return scores_of(model, chunk, schema)


def scores_of(model: Estimator, chunk: Chunk, schema: Schema) -> Floats:
    """The score of each class against the others, (n, k), or of the second of two, (n, 1)."""
    found = decisions_of(model, chunk, schema)
    if found is not None:
        return found
    if not is_model(model, "predict_proba"):
        raise InvalidData(f"{type(model).__name__} has neither decisions of each class nor probabilities to calibrate.")
    chance = np.asarray(ask(model, "predict_proba", chunk, schema), dtype=np.float64)
    chance = np.clip(chance[:, 1:] if chance.shape[1] == 2 else chance, _LEAST, 1 - _LEAST)
    return np.asarray(special.logit(chance))


def decisions_of(model: Estimator, chunk: Chunk, schema: Schema) -> Floats | None:
    """The decision for each class, (n, k), or for the second of two, (n, 1); None where a model has no such."""
    if not is_model(model, "decision_function"):
        return None
    found = np.asarray(ask(model, "decision_function", chunk, schema), dtype=np.float64)
    of_classes = found.ndim == 1 or found.shape[1] == len(model.classes_) > 2
    return found.reshape(len(chunk), -1) if of_classes else None


def _shares(maps: tuple[Calibrator, ...], scores: Floats) -> Floats:
    """Probabilities of the classes, (n, k); equal where all are 0."""
    own = np.column_stack([one(scores[:, j]) for j, one in enumerate(maps)])
    if own.shape[1] == 1:
        return np.column_stack([1 - own, own])
    total = own.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, own / np.where(total > 0, total, 1.0), 1 / own.shape[1]))
