"""Model files (.sff): a zip of one JSON document and the arrays it names. Loading runs no code from the file.

`model.json` holds `{"format": "suffice model", "version": 2, "suffice": …, "model": node}`. A node is a JSON value
(null, true, a number, text, a list), or an object whose `"$"` says what it stands for:

=========== ==========================================================================
`float`     `value`: "nan", "inf" or "-inf"
`tuple`     `items`
`dict`      `items`: pairs of nodes
`array`     `at`: the name of a .npy file in the zip (never with pickled objects)
`scalar`    the same, for a single NumPy number
`objects`   `shape`, `items`: an array of other values
`dtype`     `value`: the type of an array's numbers
`sparse`    `kind`, `shape`, and the three arrays of a compressed matrix
`generator` `name`, `state`: a random generator
`object`    `class`, `state`: an object, by the name of its class, and its attributes
=========== ==========================================================================

A class has the name that it is registered by (see `suffice.registry`), never that of a module, so that files can be
read after a class has moved. Classes of the user's are called `module:class`, and made only where the caller names
them. In version 1 every class was called so. What an object holds is compared with what its class declares (see
`suffice.holds`) before it is made, so that nothing in a file reaches a kernel unchecked. Members of the zip are stored
as they are, so that no file becomes larger in memory than it is.
"""

from __future__ import annotations

import importlib
import json
import os
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from ..errors import InvalidModelFile
from ..holds import Sizes
from ..replacing import replacing
from .archive import DOCUMENT, Archive
from .names import Names
from .reading import Reader
from .training import Training, check_type
from .writing import Writer

__all__ = ["FORMAT", "VERSION", "Training", "load", "load_measured", "load_training", "save"]

FORMAT, VERSION = "suffice model", 2
_PACKAGE = __name__.partition(".")[0]


def save(model: object, path: str | os.PathLike[str], training: Training | None = None) -> None:
    """Write a model to a file, whole or not at all; beside it, where given, what it learned from in a few figures.

    >>> import suffice as sf, tempfile
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.GaussianNB().fit(iris.matrix(), iris["species"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sf.save(model, f"{folder}/iris.sff")
    ...     again = sf.load(f"{folder}/iris.sff")
    >>> bool(np.array_equal(again.theta_, model.theta_))
    True
    """
    writer = Writer()
    check_type(training)
    document = {"format": FORMAT, "version": VERSION, "suffice": _version(), "model": writer.node(model, "")}
    if training is not None:
        document["training"] = training.packed()
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    with replacing(path) as target, zipfile.ZipFile(target, "w") as file:
        file.writestr(DOCUMENT, text)
        for name, array in writer.arrays.items():
            with file.open(name, "w", force_zip64=True) as part:
                np.lib.format.write_array(part, array, allow_pickle=False)


def load(path: str | os.PathLike[str], classes: Iterable[type] = ()) -> Any:
    """The model in a file. `classes` names dataclasses of your own that it may hold.

    A file that cannot be used, whatever is wrong with it, gives `InvalidModelFile`.
    """
    return load_measured(path, classes)[0]


def load_measured(path: str | os.PathLike[str], classes: Iterable[type] = ()) -> tuple[object, Mapping[int, Sizes]]:
    """As `load`, with the dimensions of all objects in it, by identity: for what is compared with a kind later."""
    with _read(path) as (archive, document, version):
        reader = Reader(archive, Names(version, classes))
        return reader.model(document["model"]), reader.sizes


def load_training(path: str | os.PathLike[str]) -> Training | None:
    """What the model in a file learned from; None where the file does not say."""
    with _read(path) as (_, document, _):
        return Training.unpacked(document["training"]) if "training" in document else None


@contextmanager
def _read(path: str | os.PathLike[str]) -> Iterator[tuple[Archive, Any, int]]:
    """The members of a model file; whatever is wrong with them is one error."""
    with _opened(path) as file:
        try:
            archive = Archive(file)
            document = archive.document()
            yield archive, document, _checked_version(document, path)
        except InvalidModelFile:
            raise
        except Exception as error:  # from here on nothing but the file can be wrong
            reason = str(error).rstrip(".") or type(error).__name__
            raise InvalidModelFile(
                f"load: {path} is no model file, or a damaged one ({reason}). Save the model again."
            ) from error


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file; a pipe is not waited for."""
    if os.path.isdir(path):
        raise InvalidModelFile(f"load: {path} is a folder, no model file.")
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise InvalidModelFile(f"load: {path} is no regular file, so that it can be no model file.")
    return file


def _version() -> str:
    return str(importlib.import_module(_PACKAGE).__version__)


def _checked_version(document: object, path: object) -> int:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidModelFile(f"load: {path} is a zip file, but no model of Suffice.")
    version = document.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= VERSION:
        raise InvalidModelFile(
            f"load: {path} has format version {str(version)[:20]}, written by Suffice "
            f"{str(document.get('suffice'))[:20]}; this is Suffice {_version()}, which reads versions up to {VERSION}. "
            "Update with: pip install -U suffice."
        )
    return version
