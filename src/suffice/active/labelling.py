"""A session of asking for labels: whom to ask next, what was answered, and the model of that."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from numbers import Integral
from time import monotonic
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..errors import InvalidData, InvalidParameter, TimeLimit
from ..models.inner import named
from ..observing import Iteration, announced, observers, part_done, unobserved
from ..params import check_argument
from ..resampling.folds import seeded
from ..resampling.rows import count_rows, in_memory, rows_of
from ..text import counted
from ..typing import Flags, Labels, Predictor, TableLike, TargetLike, Whole
from .answers import Label, LabelJournal, checked, column_of
from .different import as_points, best_of, first_rows
from .learner import ActiveLearner
from .query import OWNER, Pool, quiet
from .uncertain import checked_scores

Oracle = Callable[[int], object] | Mapping[int, object] | Sequence[object] | Labels


class Labelling:
    """A session: `ask` says which rows to label next, `tell` learns labels, `model` is what was learned.

    `run(oracle)` does both with somebody who knows: a function of the number of a row, or a column. Whatever an oracle
    does, the labels before it are kept, here and in the journal.
    """

    def __init__(
        self,
        learner: ActiveLearner,
        X: TableLike,
        y: TargetLike = None,
        classes: Iterable[Label] | None = None,
        journal: str | os.PathLike[str] | None = None,
    ) -> None:
        self.learner, self.status = learner, "begun"
        self.X: Any = in_memory(X, OWNER)
        self.n = count_rows(self.X, OWNER)
        self.declared = _declared(classes, learner.task)
        self.known: dict[int, Label] = {}  # what y said, by row
        self.answers: list[tuple[int, Label | None]] = []  # in order; None where somebody did not know
        self._asked: list[int] = []  # the rows of the batch that is being asked about, as far as they have no answer
        self._begun = False  # whether some of the batch were answered
        for row, label in enumerate([] if y is None else column_of(y, self.n)):
            if label is not None:
                self.known[row] = self._checked(label, f"the label of row {row} in y")
        self._book = None if journal is None else LabelJournal(journal, self.X, learner.task)
        if self._book is not None:
            self._replay_all(self._book)

    # -- what is known ------------------------------------------------------------------------------------------------
    @property
    def labels(self) -> dict[int, Label]:
        """The label of each row that has one, by its number, in the order in which they came."""
        return {**self.known, **{row: label for row, label in self.answers if label is not None}}

    @property
    def skipped(self) -> list[int]:
        """The rows that nobody knew the label of."""
        return [row for row, label in self.answers if label is None]

    @property
    def y(self) -> Labels:
        """The labels as a column, (n,), None where there is none."""
        column = np.full(self.n, None, dtype=object)
        for row, label in self.labels.items():
            column[row] = label
        return column

    @property
    def classes(self) -> list[Label]:
        """The classes that were declared, or turned up so far."""
        return list(dict.fromkeys([*self.declared, *self.labels.values()]))

    @cached_property
    def model(self) -> Predictor:
        """The model, fitted to the rows that have a label."""
        rows, labels = self._labelled()
        found: Predictor = self._fitted(seeded(clone(self.learner.model), self.learner.random_state), rows, labels)
        return found

    @cached_property
    def places(self) -> Any:
        """All rows as points in which no unit matters."""
        with named(OWNER):
            return as_points(self.X)

    # -- asking and telling -------------------------------------------------------------------------------------------
    def ask(self, n: int | None = None) -> list[int]:
        """The numbers of the rows to label next, the best first: so many as the batch of the learner, or n."""
        n = self.learner.batch if n is None else n
        check_argument("ask", "n", n, integer=True, at_least=1)
        if not self._asked or (len(self._asked) < n and not self._begun):
            self._asked, self._begun = [int(row) for row in self._chosen(n)], False
        return self._asked[:n]

    def tell(self, row: int | Sequence[int], label: object) -> Self:
        """Learn the label of a row, or those of several; what cannot be one is refused, and nothing of it kept."""
        alone, several = np.ndim(row) == 0, np.asarray(label, dtype=object)
        rows: list[object] = [row] if alone else np.asarray(row).tolist()
        if not alone and several.shape[:1] != (len(rows),):
            raise InvalidData(
                f"{OWNER}: tell needs a label for each row; got {len(rows)} rows and labels of shape {several.shape}."
            )
        told: dict[int, Label] = {}
        for one, own in zip(rows, [label] if alone else several, strict=True):
            place = self._checked_row(one, told)
            told[place] = self._checked(own, f"the label of row {one}", told.values())
        for place, found in told.items():
            self._write({"row": place, "label": found})
            self._take(place, found)
        return self

    def skip(self, row: int) -> Self:
        """Leave a row out whose label nobody knows; it is not asked about again."""
        place = self._checked_row(row)
        self._write({"row": place, "skip": True})
        self._take(place, None)
        return self

    def undo(self) -> int | None:
        """Take the last answer back and give its row; None where there is none. What y said stays."""
        if not self.answers:
            return None
        row = self.answers[-1][0]
        self._write({"row": row, "undo": True})
        self.answers.pop()
        self._asked = []
        for name in ("model", "_answered_rows"):
            self.__dict__.pop(name, None)
        return row

    def run(self, oracle: Oracle, queries: int | None = None) -> Self:
        """Ask, and let somebody answer: a function of a row's number, a mapping or a column; None is "I do not know".

        It ends after so many questions, or when no row is left, and keeps what it has at Ctrl-C and time limits. Where
        the oracle fails, or its answer cannot be a label, that is an error; call it again to go on.
        """
        if queries is not None:
            check_argument("run", "queries", queries, integer=True, at_least=1)
        answer, began, count = _oracle(oracle, self.n), monotonic(), 0
        total = self.n - len(self.labels) - len(self.skipped)
        total = total if queries is None else min(queries, total)
        self.status = "failed"
        with announced(OWNER, {"strategy": self.learner.query.names[0], "questions": total}) as ended:
            try:
                while count < total:
                    for row in self.ask(min(self.learner.batch, total - count)):
                        self._answered(row, answer(row))
                        count += 1
                    self._observed(count, total, monotonic() - began)
                self.status = "finished"
            except (KeyboardInterrupt, TimeLimit) as reason:
                self.status = "time_limit" if isinstance(reason, TimeLimit) else "interrupted"
            ended.append("converged" if self.status == "finished" else self.status)
        return self

    def close(self) -> None:
        """Let another session use the journal."""
        if self._book is not None:
            self._book.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"Labelling({len(self.labels)} of {self.n:,} rows have a label{skipped})"

    # -- inside -------------------------------------------------------------------------------------------------------
    def _labelled(self) -> tuple[Whole, Labels]:
        """The rows that have a label and their labels, in the order of the table, so that models depend on no other."""
        labels = self.labels
        rows = np.array(sorted(labels), dtype=np.int64)
        if not len(rows):
            raise InvalidData(f"{OWNER}: no row has a label yet; tell some before you ask for the model.")
        told = [labels[row] for row in rows.tolist()]
        return rows, np.asarray(told, dtype=np.float64 if self.learner.task == "numbers" else None)

    def _fitted(self, model: Any, rows: Whole, labels: Labels) -> Any:
        return model.fit(rows_of(self.X, rows), labels)

    def _chosen(self, n: int) -> Whole:
        """The rows to ask about: by the strategy, once it has something to go by."""
        learner, others = self.learner, np.flatnonzero(~self._gone())
        query, rng = learner.query, np.random.default_rng([learner.random_state, len(self.answers)])
        if not len(others):
            return others
        if query.draws:
            return rng.choice(others, min(n, len(others)), replace=False)
        with unobserved():
            if self.is_beginning:
                left = self._first[np.isin(self._first, others)]
                return left[:n] if len(left) else first_rows(self.places, others, np.flatnonzero(self._gone()), n, rng)
            if len(others) > learner.candidates:
                others = np.sort(rng.choice(others, learner.candidates, replace=False))
            fits = lambda model, rows, told: quiet(partial(self._fitted, model, rows, told))  # noqa: E731
            pool = Pool(learner.model, self.X, *self._labelled(), others, rng, lambda: self.places, fits)
            scores = quiet(lambda: checked_scores(query.scores(pool), len(others), query, others))
            differ = n > 1 and len(others) > n
            return others[best_of(scores, self.places[others] if differ else None, n, differ, rng)]

    @property
    def is_beginning(self) -> bool:
        """Whether there are too few labels, or too few different ones, for a strategy to go by."""
        labels = self.labels
        return len(labels) < self.learner.first or (self.learner.task == "classes" and len(set(labels.values())) < 2)

    @cached_property
    def _first(self) -> Whole:
        """The rows to begin with, beside those whose label y said; the same whenever a session goes on."""
        gone = np.zeros(self.n, dtype=bool)
        gone[list(self.known)] = True
        rng = np.random.default_rng(self.learner.random_state)
        return first_rows(self.places, np.flatnonzero(~gone), np.flatnonzero(gone), self.learner.first, rng)

    def _gone(self) -> Flags:
        """Which rows have an answer, (n,)."""
        gone = np.zeros(self.n, dtype=bool)
        gone[[*self.known, *(row for row, _ in self.answers)]] = True
        return gone

    def _answered(self, row: int, label: object) -> None:
        """An oracle's answer, whatever it is."""
        if label is None:
            self.skip(row)
            return
        try:
            self.tell(row, label)
        except InvalidData as error:
            kept = counted(len(self.labels), "label")
            raise InvalidData(f"{error} What was told before it, {kept}, is kept; call run again to go on.") from None

    def _checked(self, label: object, who: str, beside: Iterable[Label] = ()) -> Label:
        return checked(label, self.learner.task, [*self.labels.values(), *beside], self.declared, who)

    def _checked_row(self, row: object, beside: Collection[int] = ()) -> int:
        """The number of a row that has no answer, neither yet nor among those that come with it."""
        if not isinstance(row, Integral) or isinstance(row, bool) or not 0 <= int(row) < self.n:
            raise InvalidData(f"{OWNER}: a row must be a number from 0 to {self.n - 1}; got {row!r}.")
        if int(row) in self._answered_rows:
            raise InvalidData(f"{OWNER}: row {row} was answered before; undo that first.")
        if int(row) in beside:
            raise InvalidData(f"{OWNER}: row {row} is told twice; give it one label.")
        return int(row)

    @cached_property
    def _answered_rows(self) -> set[int]:
        return {*self.known, *(row for row, _ in self.answers)}

    def _take(self, row: int, label: Label | None) -> None:
        """Keep an answer; the rest of its batch stays as it was asked, and what follows from labels goes."""
        self.answers.append((row, label))
        self._answered_rows.add(row)
        self._asked, self._begun = [one for one in self._asked if one != row] if row in self._asked else [], True
        self.__dict__.pop("model", None)

    def _write(self, document: dict[str, object]) -> None:
        if self._book is not None:
            self._book.append(document)

    def _replay_all(self, book: LabelJournal) -> None:
        """The answers of a journal, which is closed where they do not fit."""
        try:
            for document in book.documents:
                self._replay(document)
        except BaseException:
            book.close()
            raise

    def _replay(self, document: dict[str, Any]) -> None:
        """An answer from the journal."""
        row = document["row"]
        if document.get("undo"):
            self.answers = self.answers[:-1]
            return
        label = None if document.get("skip") else self._checked(document["label"], f"the label of row {row}")
        if row not in self.known:
            self.answers.append((row, label))
        elif label is not None and self.known[row] != label:
            raise InvalidData(
                f"{OWNER}: row {row} is {self.known[row]!r} in y and {label!r} in the journal; mend one of the two."
            )

    def _observed(self, done: int, total: int, seconds: float) -> None:
        part_done(done, total)
        for observer in observers():
            observer.iteration_done(Iteration(done, float(len(self.labels)), seconds), {})


def _declared(classes: Iterable[Label] | None, task: str) -> tuple[Label, ...]:
    """The classes that were declared, checked."""
    if classes is None:
        return ()
    if task == "numbers":
        raise InvalidParameter(
            f"{OWNER}: classes are for classifiers, and this model predicts numbers; leave them out."
        )
    given: list[object] = [classes] if isinstance(classes, str) or not isinstance(classes, Iterable) else list(classes)
    found: list[Label] = []
    for one in given:
        found.append(checked(one, task, found, (), "a class"))
    if len(set(map(str, found))) < max(2, len(given)):
        raise InvalidParameter(f"{OWNER}: classes must be at least 2 different ones; got {given!r}.")
    return tuple(found)


def _oracle(oracle: Oracle, n: int) -> Callable[[int], object]:
    """A function of the number of a row."""
    if callable(oracle):
        return oracle
    if isinstance(oracle, Mapping):
        return lambda row: oracle.get(row)
    if oracle is None or isinstance(oracle, str):
        raise InvalidParameter(
            f"{OWNER}: oracle must be a function of a row's number, a mapping, or a column of labels; got {oracle!r}."
        )
    column = column_of(oracle, n)
    return lambda row: column[row]
