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

Command = Callable[..., Any]


class FileOption(click.Option):
    """An option that names a file which the command uses, beside its arguments."""


def writes_a_file(help: str, default: Callable[[str], str] | None = None) -> Callable[[Command], Command]:
    """The options --output and --force; an output that cannot be, or that is an input, is refused before any work.

    `default` gives the output from the argument DATA where none is named.
    """

    def decorate(f: Command) -> Command:
        @wraps(f)
        def checked(*, output: str | None, force: bool, **options: Any) -> Any:
            if output is None and default is not None:
                output = default(options["data"])
            if output is not None:
                _check(output, force, click.get_current_context())
            return f(output=output, **options)

        with_force = click.option("--force", is_flag=True, help="Write even where the output is an input.")(checked)
        return click.option("-o", "--output", help=help)(with_force)

    return decorate


def _check(output: str, force: bool, ctx: click.Context) -> None:
    if os.path.isdir(os.path.abspath(output)):
        raise click.ClickException(f"{output!r} is a folder; name a file to write to.")
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise click.ClickException(f"there is no folder {folder!r} to write to; make it first.")
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
