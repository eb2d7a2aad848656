"""A journal on disk of folds that are done, so that a run that was killed goes on where it was.

The file has one JSON document a line: first what the run is about (`{"format": "suffice journal", "version": 2, …}`),
then one line a finished fold, added and flushed to the disk when the fold is done. Arrays are written as type, shape
and base64 of their bytes, so they come back to the bit. Fitted models stand beside it, in the folder
`<journal>.models`; the line of a fold holds the digest of its model file.

Each line holds the digest of those before it, so that none can be changed, moved, repeated or taken out unseen; only
the end may be missing, as a run that is killed leaves it (`sealed_lines`).

Version 1 had no digests and is refused: to go on with it would put a digest on lines that may be damaged.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidData, InvalidParameter
from ..persist import load, save
from .sealed_lines import SealedLines


class Journal(SealedLines):
    """The folds of a run that are done: read when it is opened, one more with each `add`."""

    format, version = "suffice journal", 2

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, str], owner: str = "evaluate") -> None:
        """Open or begin a journal; `about` holds the fingerprint of each thing that the results depend on."""
        self.done: dict[tuple[str, int], dict[str, object]] = {}
        self._models: dict[str, str] = {}  # the fingerprint of each model, by its name
        super().__init__(path, about, owner)

    def take(self, document: dict[str, Any]) -> None:
        """Keep a finished fold, and whose it is."""
        self.done[document["name"], document["fold"]] = document
        self._models[document["name"]] = document["fingerprint"]

    def check_model(self, name: str, fingerprint: str) -> None:
        """Refuse to go on with a model that is not the one whose folds are here."""
        if self._models.setdefault(name, fingerprint) != fingerprint:
            raise InvalidData(
                f"{self.owner}: the journal {self.path} holds folds of {name!r} with another class, other parameters, "
                "or other answers (search, measures, train). Give another path, or remove the file to begin anew."
            )

    def add(self, name: str, fingerprint: str, fold: int, content: Mapping[str, object], model: object = None) -> None:
        """Write down a finished fold; its model too, where a model file can hold it."""
        document = {"name": name, "fold": fold, "fingerprint": fingerprint, **_plain(content)}
        document["model"] = None if model is None else self._saved(model, name, fold)
        self.append(document)

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
            raise InvalidData(f"{self.owner}: the model file {file} cannot be written: {error.strerror}.") from None

    def model(self, name: str, fold: int, like: Any) -> Any:
        """The fitted model of a fold that is done; None where no file holds it, as the answers are here anyway."""
        file, digest = self._model_file(name, fold), self.done[name, fold]["model"]
        if digest is None or not file.exists():
            return None
        if not file.is_file() or _file_digest(file) != digest:
            raise InvalidData(
                f"{self.owner}: {file} is not the model that the journal {self.path} knows of fold {fold}: it was "
                "damaged or replaced. Remove it to go on without the model of this fold, or the journal to fit again."
            )
        try:
            return load(file, classes=[type(part) for part in (like, *like.get_params().values())])
        except InvalidData:  # a class that is not known here
            return None


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


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
