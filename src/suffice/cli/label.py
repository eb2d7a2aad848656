"""`suffice label DATA --target NAME`: a person answers for the rows that teach a model most."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ._outputs import TABLES, FileOption, check_model_path, writes_a_file
from ._tables import columns_of, reading, reads_a_file, use, write_columns

if TYPE_CHECKING:
    from ..active import ActiveLearner, Labelling
    from ..report.rows import Rows


@click.command("label")
@click.argument("data")
@click.option("--target", required=True, help="The column of labels; it may have some already, or be a new one.")
@click.option("--classes", help="What a label may be, with commas between; by default whatever is typed.")
@click.option("--task", type=click.Choice(["auto", "classes", "numbers"]), default="auto", show_default=True,
              help="What labels are; classes where the column says nothing.")  # fmt: skip
@click.option("--model", "named", help="The model that asks; LogisticRegression for classes, Ridge for numbers.")
@click.option("--strategy", help="Whom it asks about: margin, entropy, committee, random …")
@click.option("--queries", type=click.IntRange(min=1), help="How many answers to ask for; until q by default.")
@click.option("--drop", help="Columns that are shown, but that nothing is learned from, with commas between.")
@click.option("--hints/--no-hints", default=True, show_default=True, help="Whether it is said what the model thinks.")
@click.option("--journal", cls=FileOption, help="Where answers are kept; DATA-NAME.labels in this folder by default.")
@click.option("--save", help="Where to keep the model that was learned, such as model.sff, for `suffice predict`.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")
@writes_a_file("Where to write the table with its labels, as .csv, .tsv, .parquet or .json.", endings=TABLES)
@reads_a_file
def command(data: str, target: str, classes: str | None, task: str, named: str | None, strategy: str | None,
            queries: int | None, drop: str | None, hints: bool, journal: str | None, save: str | None, seed: int,
            output: str | None, threads: int | None, progress: bool, **options: object) -> None:  # fmt: skip
    """Label rows in the terminal, those first that a model learns most from.

    A row is shown, and what the model takes it for; type its class, or the beginning of its name where --classes says
    what there is. ? leaves a row out, u takes the last answer back, q ends. Every answer is on the disk before the next
    question: the same command goes on where it was left, also after Ctrl-C or a crash.
    """
    if save is not None:
        check_model_path(save)
    if data == "-":
        raise click.ClickException("the answers come from standard input; give the table as a file.")
    from ._asking import Conversation

    with ExitStack() as stack:
        use(stack, threads, False)
        read = reading(options)
        rows = _rows(data, target, drop, read)
        learner, known = _learner(rows, task, named, strategy, seed)
        book = journal or f"{os.path.splitext(os.path.basename(data))[0]}-{_tidy(target)}.labels"
        session = stack.enter_context(learner.begin(rows.table(), known, classes=_named(classes), journal=book))
        if session.answers:
            click.echo(f"{len(session.answers)} answers from {book}; u takes them back one by one")
        shown = {name: column.to_pylist() for name, column in _columns(data, read).items() if name != target}
        ended = Conversation(session, shown, target, hints).hold(queries)
        click.echo(f"{ended}: {_counted(session)}, kept in {book}; the same command goes on")
        if output is not None:
            _write(data, read, target, session, output)
        if save is not None:
            _save(session, rows, target, save)


def _rows(path: str, target: str, drop: str | None, read: dict[str, Any]) -> Rows:
    """All rows; with the target where the table has one of that name."""
    from ..data.table import as_table
    from ..report.keeping import described_in_full
    from ..report.rows import read_rows

    known = target in as_table(path, **read).schema.names
    left_out = columns_of(drop, path, read)
    return read_rows(path, target if known else None, leave_out=left_out, **read, **described_in_full())


def _learner(rows: Rows, task: str, named: str | None, strategy: str | None, seed: int) -> tuple[ActiveLearner, Any]:
    """Who asks, and the labels that are known, None where there is none."""
    import numpy as np

    from ..active import ActiveLearner
    from ..models.linear import LogisticRegression, Ridge
    from ..models.registry import estimator_named
    from ..pipeline import prepared

    kind, known = "classes" if task == "auto" else task, np.full(len(rows), None, dtype=object)
    if rows.target is not None:
        own, y, kind = rows.labelled(task)  # type: ignore[arg-type]
        flags = any(column.name == rows.target and column.kind == "boolean" for column in rows.columns)
        known[own.places] = [{"0": "false", "1": "true"}[name] for name in y] if flags and kind == "classes" else y
    default = LogisticRegression if kind == "classes" else Ridge
    model = default() if named is None else estimator_named(named)()
    return ActiveLearner(prepared(model, rows.table()), strategy, random_state=seed), known


def _named(classes: str | None) -> list[str] | None:
    return None if classes is None else [name.strip() for name in classes.split(",") if name.strip()]


def _tidy(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name) or "target"


def _counted(session: Labelling) -> str:
    """How many labels there are, of each class."""
    from ..text import counted

    labels = session.labels
    if session.learner.task == "numbers" or not labels:
        return counted(len(labels), "label")
    each = Counter(map(str, labels.values())).most_common(8)
    return f"{counted(len(labels), 'label')} ({', '.join(f'{name} {n}' for name, n in each)})"


def _columns(path: str, read: dict[str, Any]) -> dict[str, Any]:
    """All columns of a table as they are, in memory."""
    import pyarrow as pa

    from ..data.table import as_table

    parts = [chunk.X for chunk in as_table(path, **read).chunks()]
    whole = pa.concat_tables([pa.Table.from_batches([p]) if isinstance(p, pa.RecordBatch) else p for p in parts])
    return {name: whole.column(name) for name in whole.column_names}


def _write(path: str, read: dict[str, object], target: str, session: Labelling, output: str) -> None:
    """The table with its labels, in their own column or a last one."""
    columns = _columns(path, read)
    columns[target] = session.y.tolist()
    write_columns(columns, output)
    click.echo(f"written: {output}")


def _save(session: Labelling, rows: Rows, target: str, path: str) -> None:
    """The model that was learned, with what `suffice predict` asks about the table."""
    from ..persist import Training, save

    if session.learner.task == "classes" and len(set(session.labels.values())) < 2:
        raise click.ClickException(f"there is no model to save: {_counted(session)}; labels of 2 classes are needed.")
    described = [column.name for column in rows.description.columns]
    own = [name for name in rows.table().column_names if name in described]
    save(session.model, path, Training.of(rows.description, own, target))
    click.echo(f"kept in {path}: the model of {_counted(session)}")
