"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that takes the place of `path` when the block ends without an error.

    What is written goes to a file beside it, under a name of its own, which is flushed to the disk and then renamed.
    So a reader sees the old file or the new one, never half of one, several writers do not meet, and a full disk or a
    kill leaves the old file as it was. A pipe or a device is written to as it is; a file that is protected against
    writing is an error, as it is for `open`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(f"{folder}/a.txt") as file:
    ...         _ = file.write(b"whole")
    ...     Path(f"{folder}/a.txt").read_text()
    'whole'
    """
    target = Path(os.path.realpath(path))  # through a link, so that the link stays
    if target.exists() and not target.is_file():
        with open(target, "wb") as device:
            yield device
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    unfinished = target.with_name(f".{target.name[:80]}.{os.getpid()}.{secrets.token_hex(8)}.part")
    try:
        with _opened(unfinished, path) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):  # the new file has the rights of the old one, where there is one and they may be given
            os.chmod(unfinished, stat.S_IMODE(target.stat().st_mode))
        os.replace(unfinished, target)
        _flush_folder(target.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def _opened(unfinished: Path, path: str | os.PathLike[str]) -> BinaryIO:
    """The new file; where it cannot be, the error names the path that was asked for."""
    try:
        return open(unfinished, "xb")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None


def _flush_folder(folder: Path) -> None:
    """Make the new name last, where the system can flush a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def replace_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))
