"""The command `suffice`: finds its subcommands by file name and turns every error into one line."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

import click

from .. import cli as commands
from ..errors import MissingExtra, SufficeError, did_you_mean
from ._said import as_options

_ERROR, _INTERRUPTED, _CLOSED_PIPE = 2, 130, 1  # the last one as Python and click do


class LazyGroup(click.Group):
    """A group whose command NAME is `suffice.cli.NAME:command`, imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The files of this folder that are commands."""
        names = (module.name for module in pkgutil.iter_modules(commands.__path__))
        return sorted(name.replace("_", "-") for name in names if name != "main" and not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; a name that none has is refused with a hint."""
        known = self.list_commands(ctx)
        if cmd_name not in known:
            ctx.fail(f"There is no command {cmd_name!r}.{did_you_mean(cmd_name, known)} Known: {', '.join(known)}.")
        module = importlib.import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command


@click.group(
    "suffice",
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="suffice", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Machine learning from summaries that add up.

    Try: suffice describe iris
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run the command line with these arguments and return the exit status; errors become one line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warned
            status = cli.main(list(arguments), prog_name="suffice", standalone_mode=False)
        sys.stdout.flush()
    except (click.Abort, KeyboardInterrupt):
        click.echo("suffice: stopped by Ctrl-C; no result was written.", err=True)
        return _INTERRUPTED
    except BrokenPipeError:
        return _quiet_pipe()
    except click.ClickException as error:
        return _fail(f"{error.format_message()} {_hint(error)}")
    except MissingExtra as error:  # the command's own extra brings what reads files
        return _fail(str(MissingExtra(error.package, "cli") if error.extra == "files" else error))
    except SufficeError as error:
        return _fail(as_options(str(error)))
    except OSError as error:
        return _fail(_of_system(error))
    return status if isinstance(status, int) else 0


def _hint(error: click.ClickException) -> str:
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return ""
    named = "unexpected extra argument" in error.message and any("--model" in p.opts for p in error.ctx.command.params)
    comma = re.search(r"'(\d*),(\d+)' is not a valid float", error.message)
    more = "A model is named with --model. " if named else ""
    more += f"Write a decimal point: {comma[1]}.{comma[2]}. " if comma else ""
    return f"{more}See: {error.ctx.command_path} --help"


def _of_system(error: OSError) -> str:
    """An error of the file system without its number.

    >>> _of_system(FileNotFoundError(2, "No such file or directory", "best.sff"))
    "there is no file 'best.sff'."
    """
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"there is no file {error.filename!r}."
    return f"{error.filename!r}: {error.strerror}." if error.filename is not None and error.strerror else str(error)


def _fail(message: str) -> int:
    click.echo(f"suffice: error: {' '.join(message.split())}", err=True)
    return _ERROR


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as one line; where it comes from says nothing to who wrote a command."""
    click.echo(f"suffice: warning: {' '.join(as_options(str(message)).split())}", err=True)


def _quiet_pipe() -> int:
    """The reader went away: leave nothing to be flushed at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _CLOSED_PIPE
