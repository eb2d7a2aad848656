"""A file of JSON documents, one a line, of which each one follows from the one before: nothing that is in it is lost.

The first line says what the file is about (`{"format": …, "version": …, "about": …}`); every other one is added and
flushed to the disk by `append`. The last entry of each line is the digest of the line and of the digest before it. So
a line that was changed, moved, repeated or taken out is an error that names the first line that does not follow. Only
the end may be missing, as a process that is killed leaves it: whole lines, and a last one that was not finished, which
is dropped. A file that does not begin as one of its kind is refused before anything is written.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Self

from ..errors import InvalidData

_BEGINNING = b'{"format": "suffice'  # of a first line that may have been cut
_LONGEST_HEAD = 1 << 16  # bytes; a file without a newline in so many is no journal
_DIGEST = ', "digest": "{}"}}'
_DIGEST_LENGTH = len(_DIGEST.format("0" * 32))


class SealedLines:
    """Base of journals: documents that are read when the file is opened, one more with each `append`."""

    format: ClassVar[str] = ""
    version: ClassVar[int] = 1

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, str], owner: str) -> None:
        """Open or begin a file; `about` holds the fingerprint of each thing that the documents depend on."""
        self.path, self.owner = Path(path), owner
        self._last = ""  # the digest of the last line
        self._file = self._opened()
        try:
            self._lock()
            self._read(dict(about))
        except BaseException:
            self._file.close()
            raise

    def take(self, document: dict[str, Any]) -> None:
        """Keep a document that was read, or written."""
        raise NotImplementedError

    def append(self, document: Mapping[str, object]) -> None:
        """Write a document down, and keep it; it is on the disk when this returns."""
        line, self._last = _sealed(document, self._last)
        self._append(line)
        self.take(dict(document))

    def close(self) -> None:
        """Let others use the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _opened(self) -> BinaryIO:
        try:
            if self.path.exists() and not self.path.is_file() and not self.path.is_dir():  # a pipe would block
                raise InvalidData(f"{self.owner}: the journal {self.path} is no file on a disk; give another path.")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return open(self.path, "a+b")
        except OSError as error:
            raise InvalidData(f"{self.owner}: the journal {self.path} cannot be opened: {error.strerror}.") from None

    def _read(self, about: dict[str, str]) -> None:
        """Take over the lines; the file is changed only after all of them are found to be right."""
        head, self._last = _sealed({"format": self.format, "version": self.version, "about": about}, "")
        self._file.seek(0)
        first = self._file.readline(_LONGEST_HEAD)
        if head.startswith(first) and (not first or first.startswith(_BEGINNING)):  # killed within the first line
            self._append(head[len(first) :])
            return
        self._check_head(first, about)
        *lines, unfinished = self._file.read().split(b"\n")
        for number, line in enumerate(lines, start=2):
            document = self._checked(line, number, self._last)
            self._last = document["digest"]
            self.take(document)
        if unfinished:  # the run was killed within this line
            self._file.truncate(len(first) + sum(len(line) + 1 for line in lines))

    def _check_head(self, first: bytes, about: dict[str, str]) -> None:
        found = _parsed(first)
        if found is None or "format" not in found or not first.endswith(b"\n"):
            raise InvalidData(
                f"{self.owner}: {self.path} is no journal of Suffice and was not touched; give another path."
            )
        if found["format"] != self.format or found.get("version") != self.version:
            raise InvalidData(
                f"{self.owner}: {self.path} is {found['format']!r} version {found.get('version')!r}; this version of "
                f"Suffice writes {self.format!r} version {self.version} and goes on with no other. Give another path."
            )
        kept = self._checked(first[:-1], 1, "")["about"]
        changed = [name for name, digest in about.items() if kept.get(name) != digest]
        if changed:
            raise InvalidData(
                f"{self.owner}: the journal {self.path} is about another run: {', '.join(changed)} changed since. "
                "Give another path, or remove the file to begin anew."
            )

    def _checked(self, line: bytes, number: int, before: str) -> dict[str, Any]:
        """The document of a line that follows from the one with the digest before."""
        digest = _digest(line[:-_DIGEST_LENGTH], before)
        if line[-_DIGEST_LENGTH:] != _DIGEST.format(digest).encode():
            raise InvalidData(
                f"{self.owner}: {self.path} is a journal that is damaged in line {number}: the line was changed, or is "
                "not the one that followed. Cut the file off before it, or remove it to begin anew."
            )
        document: dict[str, object] = json.loads(line)
        return document

    def _lock(self) -> None:
        """Let no second run write to the same journal, where the system has locks; they go when the process does."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidData(
                f"{self.owner}: the journal {self.path} is in use by another run; wait, or give another."
            ) from None
        except OSError:  # a file system without locks
            return

    def _append(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _parsed(line: bytes) -> dict[str, object] | None:
    """A line that is a JSON object, or None."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _sealed(document: Mapping[str, object], before: str) -> tuple[bytes, str]:
    """The line of a document, its digest added as the last entry, and the digest."""
    body = json.dumps(document)[:-1].encode()
    digest = _digest(body, before)
    return body + _DIGEST.format(digest).encode(), digest


def _digest(body: bytes, before: str) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()[:32]
