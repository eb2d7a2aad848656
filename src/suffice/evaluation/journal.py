"""A journal on disk of folds that are done, so that a run that was killed goes on where it was.

The file has one JSON document a line: first what the run is about (`{"format": "suffice journal", "version": 2, …}`),
then one line a finished fold, added and flushed to the disk when the fold is done. Arrays are written as type, shape
and base64 of their bytes, so they come back to the bit. Fitted models stand beside it, in the folder
`<journal>.models`; the line of a fold holds the digest of its model file.

The last entry of each line is the digest of the line and of the digest before it. So a line that was changed, moved,
repeated or taken out is an error that names the first line that does not follow. Only the end may be missing, as a
run that is killed leaves it: whole folds, and a last line that was not finished, which is dropped.

A file that does not begin as a journal is refused before anything is written. Version 1 had no digests and is refused
too: to go on with it would put a digest on lines that may be damaged.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import InvalidData, InvalidParameter
from ..persist import load, save

FORMAT, VERSION = "suffice journal", 2
_BEGINNING = b'{"format": "suffice'  # of a first line that may have been cut
_LONGEST_HEAD = 1 << 16  # bytes; a file without a newline in so many is no journal
_DIGEST = ', "digest": "{}"}}'
_DIGEST_LENGTH = len(_DIGEST.format("0" * 32))


class Journal:
    """The folds of a run that are done: read when it is opened, one more with each `add`."""

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, str]) -> None:
        """Open or begin a journal; `about` holds the fingerprint of each thing that the results depend on."""
        self.path = Path(path)
        self.done: dict[tuple[str, int], dict[str, object]] = {}
        self._models: dict[str, str] = {}  # the fingerprint of each model, by its name
        self._last = ""  # the digest of the last line
        self._file = self._opened()
        try:
            _lock(self._file, self.path)
            self._read(dict(about))
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _opened(self) -> BinaryIO:
        try:
            if self.path.exists() and not self.path.is_file() and not self.path.is_dir():  # a pipe would block
                raise InvalidData(f"evaluate: the journal {self.path} is no file on a disk; give another path.")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return open(self.path, "a+b")
        except OSError as error:
            raise InvalidData(f"evaluate: the journal {self.path} cannot be opened: {error.strerror}.") from None

    def _read(self, about: dict[str, str]) -> None:
        """Take over the lines; the file is changed only after all of them are found to be right."""
        head, self._last = _sealed({"format": FORMAT, "version": VERSION, "about": about}, "")
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
            self._take(document)
        if unfinished:  # the run was killed within this line
            self._file.truncate(len(first) + sum(len(line) + 1 for line in lines))

    def _check_head(self, first: bytes, about: dict[str, str]) -> None:
        found = _parsed(first)
        if found is None or "format" not in found or not first.endswith(b"\n"):
            raise InvalidData(f"evaluate: {self.path} is no journal of Suffice and was not touched; give another path.")
        if found["format"] != FORMAT or found.get("version") != VERSION:
            raise InvalidData(
                f"evaluate: {self.path} is {found['format']!r} version {found.get('version')!r}; this version of "
                f"Suffice writes {FORMAT!r} version {VERSION} and goes on with no other. Give another path."
            )
        kept = self._checked(first[:-1], 1, "")["about"]
        changed = [name for name, digest in about.items() if kept.get(name) != digest]
        if changed:
            raise InvalidData(
                f"evaluate: the journal {self.path} is about another run: {', '.join(changed)} changed since. "
                "Give another path, or remove the file to begin anew."
            )

    def _checked(self, line: bytes, number: int, before: str) -> dict[str, Any]:
        """The document of a line that follows from the one with the digest before."""
        digest = _digest(line[:-_DIGEST_LENGTH], before)
        if line[-_DIGEST_LENGTH:] != _DIGEST.format(digest).encode():
            raise InvalidData(
                f"evaluate: {self.path} is a journal that is damaged in line {number}: the line was changed, or is not "
                "the one that followed. Cut the file off before it, or remove it to begin anew."
            )
        document: dict[str, object] = json.loads(line)
        return document

    def _take(self, document: dict[str, Any]) -> None:
        self.done[document["name"], document["fold"]] = document
        self._models[document["name"]] = document["fingerprint"]

    def check_model(self, name: str, fingerprint: str) -> None:
        """Refuse to go on with a model that is not the one whose folds are here."""
        if self._models.setdefault(name, fingerprint) != fingerprint:
            raise InvalidData(
                f"evaluate: the journal {self.path} holds folds of {name!r} with another class, other parameters, or "
                "other answers (search, measures, train). Give another path, or remove the file to begin anew."
            )

    def add(self, name: str, fingerprint: str, fold: int, content: Mapping[str, object], model: object = None) -> None:
        """Write down a finished fold; its model too, where a model file can hold it."""
        document = {"name": name, "fold": fold, "fingerprint": fingerprint, **_plain(content)}
        document["model"] = None if model is None else self._saved(model, name, fold)
        line, self._last = _sealed(document, self._last)
        self._append(line)
        self._take(document)

    def _append(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def content(self, name: str, fold: int) -> dict[str, Any] | None:
        """What was written of a fold; None where it is not done."""
        document = self.done.get((name, fold))
        return None if document is None else {key: _restored(value) for key, value in document.items()}

    def _model_file(self, name: str, fold: int) -> Path:
        safe = "".join(letter if letter.isalnum() else "_" for letter in name)[:40]
        own = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]  # two names may look alike when safe
        return self.path.with_name(f"{self.path.name}.models") / f"{safe}-{own}-{fold}.sff"

    def _saved(self, model: object, name: str, fold: int) -> str | None:
        """Write the model file of a fold and give its digest; None where the class is not one that model files hold."""
        file = self._model_file(name, fold)
        try:
            file.parent.mkdir(exist_ok=True)
            save(model, file)
            return _file_digest(file)
        except InvalidParameter:
            return None
        except OSError as error:
            raise InvalidData(f"evaluate: the model file {file} cannot be written: {error.strerror}.") from None

    def model(self, name: str, fold: int, like: Any) -> Any:
        """The fitted model of a fold that is done; None where no file holds it, as the answers are here anyway."""
        file, digest = self._model_file(name, fold), self.done[name, fold]["model"]
        if digest is None or not file.exists():
            return None
        if not file.is_file() or _file_digest(file) != digest:
            raise InvalidData(
                f"evaluate: {file} is not the model that the journal {self.path} knows of fold {fold}: it was damaged "
                "or replaced. Remove it to go on without the model of this fold, or the journal to fit again."
            )
        try:
            return load(file, classes=[type(part) for part in (like, *like.get_params().values())])
        except InvalidData:  # a class that is not known here
            return None


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


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def _lock(file: BinaryIO, path: Path) -> None:
    """Let no second run write to the same journal, where the system has locks; they go when the process does."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InvalidData(f"evaluate: the journal {path} is in use by another run; wait, or give another.") from None
    except OSError:  # a file system without locks
        return


def _plain(value: object) -> Any:
    """A value as JSON holds it."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return {"dtype": "object", "values": [_plain(item) for item in value.tolist()]}
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {"dtype": value.dtype.str, "shape": list(value.shape), "base64": data}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _restored(value: object) -> object:
    if isinstance(value, dict) and "base64" in value:
        return np.frombuffer(base64.b64decode(value["base64"]), dtype=value["dtype"]).reshape(value["shape"]).copy()
    if isinstance(value, dict) and value.get("dtype") == "object":
        out = np.empty(len(value["values"]), dtype=object)
        out[:] = value["values"]
        return out
    return {key: _restored(item) for key, item in value.items()} if isinstance(value, dict) else value
