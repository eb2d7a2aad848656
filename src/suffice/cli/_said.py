"""What is said in a shell: remedies as options, and warnings of many fits as a few lines."""

from __future__ import annotations

import re
import shlex
from collections import Counter

_OPTIONS = {  # by what a message says in Python
    "name what is missing without it, as in missing=['', 'NA']": "say --present None",
    "Give y, or name the target column: scan(path, target=…)": "Name the target column: --target COLUMN",
    "(for a file: columns=[…])": "(--drop)",
    "columns=…": "--columns",
    "types=…": "--type",
    "delimiter=…": "--delimiter",
    "drop the row, or leave all such rows out: scan(…, without_target='leave_out')": "take the row out of the file",
}
_TYPE = re.compile(r"types=\{'([^']*)': '([^']*)'\}")
_MISSING = re.compile(r"missing=\[(.*?), …\]")
_ENCODING = re.compile(r"encoding='([\w-]+)'")
_DELIMITER = re.compile(r"delimiter='(.)'")
_ALIKE = 40  # characters by which messages are taken for the same


def counted_once(messages: list[str]) -> list[str]:
    """One line for all messages that begin alike, as those about each fold do, with how many there were.

    >>> counted_once(["no luck\\n in fold 1", "no luck in fold 1", "other"])
    ['warning: no luck in fold 1 (2 times)', 'warning: other']
    """
    lines = [" ".join(message.split()) for message in messages]
    first = {line[:_ALIKE]: line for line in reversed(lines)}
    times = Counter(line[:_ALIKE] for line in lines)
    return [f"warning: {first[key]}" + (f" ({n} times)" if n > 1 else "") for key, n in times.items()]


def as_options(message: str) -> str:
    """A message whose remedies are arguments, in the options of the shell.

    >>> as_options("say types={'day of birth': 'dd/mm/yyyy'} or missing=['see note', 'x', …]")
    "say --type 'day of birth=dd/mm/yyyy' or --missing 'see note' --missing x"
    >>> as_options("say missing=['n.a.', …].")
    "say --missing 'n.a.'."
    """
    message = _TYPE.sub(lambda found: f"--type {shlex.quote(f'{found[1]}={found[2]}')}", message)
    message = _MISSING.sub(lambda found: _as_missing(found[1]), message)
    message = _ENCODING.sub(r"--encoding \1", message)
    message = _DELIMITER.sub(r"--delimiter '\1'", message)
    for argument, option in _OPTIONS.items():
        message = message.replace(argument, option)
    return message


def _as_missing(listed: str) -> str:
    import ast

    words = ast.literal_eval(f"[{listed}]")
    return " ".join(f"--missing {_quoted(str(word))}" for word in words)


def _quoted(word: str) -> str:
    """A word as a shell takes it, in quotes too where its full stop could be that of the sentence."""
    return f"'{word}'" if word.endswith(".") and shlex.quote(word) == word else shlex.quote(word)
