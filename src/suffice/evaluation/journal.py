"""A journal on disk of folds that are done, so that a run that was killed goes on where it was.

The file has one JSON document a line: first what the run is about (`{"format": "suffice journal", "version": 1, …}`),
then one line a finished fold, added and flushed to the disk when the fold is done. Arrays are written as type, shape
and base64 of their bytes, so they come back to the bit. Fitted models stand beside it, in the folder
`<journal>.models`. A last line that was not finished is dropped; any other line that cannot be read is an error.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidData, InvalidParameter
from ..persist import load, save

FORMAT, VERSION = "suffice journal", 1


class Journal:
    """The folds of a run that are done: read when it is opened, one more with each `add`."""

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, str]) -> None:
        """Open or begin a journal; `about` holds the fingerprint of each thing that the results depend on."""
        self.path = Path(path)
        self.done: dict[tuple[str, int], dict[str, Any]] = {}
        self._models: dict[str, str] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "a+b")  # noqa: SIM115
        except OSError as error:
            raise InvalidData(f"evaluate: the journal {self.path} cannot be opened: {error.strerror}.") from None
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

    def _read(self, about: dict[str, str]) -> None:
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        if lines[-1]:  # the run was killed within this line
            self._file.truncate(sum(len(line) + 1 for line in lines[:-1]))
        documents = [self._parsed(line, number) for number, line in enumerate(lines[:-1], start=1)]
        if not documents:
            self._write({"format": FORMAT, "version": VERSION, "about": about})
            return
        self._check_head(documents[0], about)
        for document in documents[1:]:
            self.done[document["name"], document["fold"]] = document
            self._models[document["name"]] = document["fingerprint"]

    def _parsed(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            document = json.loads(line)
        except ValueError:
            document = None
        known = {"format"} if number == 1 else {"name", "fold", "fingerprint"}
        if not isinstance(document, dict) or not known <= set(document):
            what = "no journal of Suffice" if number == 1 else f"a journal that is damaged in line {number}"
            raise InvalidData(f"evaluate: {self.path} is {what}; give another path, or remove the file.")
        return document

    def _check_head(self, head: dict[str, Any], about: dict[str, str]) -> None:
        if head["format"] != FORMAT or head.get("version") != VERSION:
            raise InvalidData(
                f"evaluate: {self.path} is {head['format']!r} version {head.get('version')!r}; this version of Suffice "
                f"writes {FORMAT!r} version {VERSION}. Give another path."
            )
        changed = [name for name, digest in about.items() if head.get("about", {}).get(name) != digest]
        if changed:
            raise InvalidData(
                f"evaluate: the journal {self.path} is about another run: {', '.join(changed)} changed since. "
                "Give another path, or remove the file to begin anew."
            )

    def check_model(self, name: str, fingerprint: str) -> None:
        """Refuse to go on with a model that is not the one whose folds are here."""
        if self._models.setdefault(name, fingerprint) != fingerprint:
            raise InvalidData(
                f"evaluate: the journal {self.path} holds folds of {name!r} with another class or other parameters. "
                "Give another path, or remove the file to begin anew."
            )

    def add(self, name: str, fingerprint: str, fold: int, content: Mapping[str, Any], model: Any = None) -> None:
        """Write down a finished fold; its model too, where a model file can hold it."""
        document = {"name": name, "fold": fold, "fingerprint": fingerprint, **_plain(content)}
        document["model"] = None if model is None else self._saved(model, name, fold)
        self._write(document)
        self.done[name, fold] = document

    def content(self, name: str, fold: int, model: Any) -> dict[str, Any] | None:
        """What was written of a fold, with the fitted model under "model"; None where it is not done."""
        document = self.done.get((name, fold))
        if document is None:
            return None
        found = {key: _restored(value) for key, value in document.items()}
        found["model"] = self._loaded(document.get("model"), model)
        return found

    def _write(self, document: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(document, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _saved(self, model: Any, name: str, fold: int) -> str | None:
        folder = self.path.with_name(f"{self.path.name}.models")
        folder.mkdir(exist_ok=True)
        safe = "".join(letter if letter.isalnum() else "_" for letter in name)
        number = list(self._models).index(name)  # two names may look alike when made safe
        file = folder / f"{number}-{safe}-{fold}.sff"
        try:
            save(model, file)
        except InvalidParameter:  # a class that model files do not hold
            return None
        return f"{folder.name}/{file.name}"

    def _loaded(self, name: str | None, model: Any) -> Any:
        """The fitted model; None where no file holds it, as the answers of its fold are here anyway."""
        if name is None:
            return None
        try:
            return load(self.path.parent / name, classes=[type(part) for part in (model, *model.get_params().values())])
        except (InvalidData, OSError):
            return None


def _lock(file: Any, path: Path) -> None:
    """Let no second run write to the same journal, where the system has locks; they go when the process does."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InvalidData(f"evaluate: the journal {path} is in use by another run; wait, or give another.") from None


def _plain(value: Any) -> Any:
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


def _restored(value: Any) -> Any:
    if isinstance(value, dict) and "base64" in value:
        return np.frombuffer(base64.b64decode(value["base64"]), dtype=value["dtype"]).reshape(value["shape"]).copy()
    if isinstance(value, dict) and value.get("dtype") == "object":
        out = np.empty(len(value["values"]), dtype=object)
        out[:] = value["values"]
        return out
    return value
