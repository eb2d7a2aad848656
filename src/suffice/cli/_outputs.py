"""What the commands that write a file have in common: the option, and that no input is overwritten by mistake."""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import Any

import click

Command = Callable[..., object]


class FileOption(click.Option):
    """An option that names a file which the command uses, beside its arguments."""


TABLES = (".csv", ".tsv", ".parquet", ".json")
_PAGES = (".html", ".htm")


def writes_a_file(
    help: str, default: Callable[[str], str] | None = None, endings: tuple[str, ...] = ()
) -> Callable[[Command], Command]:
    """The options --output and --force; an output that cannot be, or that is an input, is refused before any work.

    `default` gives the output from the argument DATA where none is named, `endings` those that a name may have. A file
    of that name is replaced, once the new one is whole.
    """

    def decorate(f: Command) -> Command:
        @wraps(f)
        def checked(*, output: str | None, force: bool, **options: Any) -> Any:
            if output is None and default is not None:
                output = default(options["data"])
            if output is not None:
                _check(output, force, click.get_current_context(), endings)
            return f(output=output, **options)

        with_force = click.option("--force", is_flag=True, help="Write even where the output is an input.")(checked)
        return click.option("-o", "--output", help=help)(with_force)

    return decorate


def writes_a_table(f: Command) -> Command:
    """The options of a command whose result is a table."""
    return writes_a_file("Where to write, as .csv, .tsv, .parquet or .json; CSV to standard output.", endings=TABLES)(f)


def keeps_the_best(f: Command) -> Command:
    """The option --save, beside those of `writes_a_file`: a path for the best model."""

    @wraps(f)
    def checked(*, save: str | None, output: str | None, **options: object) -> object:
        if save is not None:
            ctx = click.get_current_context()
            check_model_path(save)
            _check(save, bool(ctx.params.get("force")), ctx)
            if output is not None and _is_same(output, save):
                raise click.ClickException(f"--save and --output both name {save!r}; name two files.")
        return f(save=save, output=output, **options)

    text = "Where to keep the best model, fitted to all rows, such as best.sff, for `suffice predict`."
    return click.option("--save", help=text)(checked)


def check_model_path(path: str) -> None:
    """Refuse a name for a model that is one of a table or a page: two options were mixed up."""
    ending = os.path.splitext(path)[1].lower()
    if ending in (*TABLES, *_PAGES) and not click.get_current_context().params.get("force"):
        raise click.ClickException(f"{path!r} ends in {ending!r}; a model is kept in a file such as model.sff.")


def _check(output: str, force: bool, ctx: click.Context, endings: tuple[str, ...] = ()) -> None:
    if os.path.isdir(os.path.abspath(output)):
        raise click.ClickException(f"{output!r} is a folder; name a file to write to.")
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise click.ClickException(f"there is no folder {folder!r} to write to; make it first.")
    if not os.access(output if os.path.exists(output) else folder, os.W_OK):
        raise click.ClickException(f"{output!r} may not be written; name a file in a folder of yours.")
    ending = os.path.splitext(output)[1].lower()
    if endings and ending not in endings:
        named = f"ends in {ending!r}" if ending else "has no ending"
        raise click.ClickException(f"{output!r} {named}; results are written as .csv, .tsv, .parquet or .json.")
    if not force and any(_is_same(name, output) for name in _inputs(ctx)):
        raise click.ClickException(
            f"{output!r} is an input of this command and is not overwritten; name another file, or say --force."
        )


def _inputs(ctx: click.Context) -> Iterator[str | int]:
    """Every file that the arguments name: paths, patterns, bundled tables, or standard input as its number."""
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if not isinstance(param, click.Argument | FileOption) or not isinstance(value, str):
            continue
        if value == "-":
            with suppress(AttributeError, OSError, ValueError):  # no stream, or one that is no file
                yield sys.stdin.fileno()
            continue
        path = os.path.expanduser(value)
        yield path
        yield from glob.iglob(path, recursive=True)
        if not os.path.exists(path):
            from ..data import datasets

            yield datasets.path(value)


def _is_same(name: str | int, output: str) -> bool:
    """Whether two names are one file, through links and other spellings; a device may be read and written."""
    try:
        one, other = os.stat(name), os.stat(output)
    except OSError:  # one of them is not there yet
        return isinstance(name, str) and os.path.realpath(name) == os.path.realpath(output)
    return os.path.samestat(one, other) and stat.S_ISREG(one.st_mode)
