"""The zip of a model file: what is in it is compared with its size before anything is read."""

from __future__ import annotations

import json
import math
import os
import re
import struct
import zipfile
import zlib
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..holds import require

DOCUMENT = "model.json"
_ARRAY = re.compile(r"arrays/\d{1,9}\.npy")
_HEADER = re.compile(
    r"\{'descr': '([<>|][a-zA-Z]\d*(?:\[\w+\])?)', 'fortran_order': (True|False), 'shape': \(([\d, ]*)\), \} *\n"
)
_LONGEST_HEADER = 4096
_LOCAL = "<4s22x2H"  # what stands before each member: a signature, and how long its name and the rest are


class Archive:
    """The members of a model file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._zip = file, zipfile.ZipFile(file)
        self._members = {member.filename: member for member in self._zip.infolist()}
        require(len(self._members) == len(self._zip.infolist()), "a member stands twice in it")
        for name, member in self._members.items():
            stored = member.compress_type == zipfile.ZIP_STORED and member.compress_size == member.file_size
            require(stored, f"{name!r} is compressed")
            require(name == DOCUMENT or _ARRAY.fullmatch(name), f"it has a member {name!r}")
        size = os.fstat(file.fileno()).st_size
        require(sum(member.file_size for member in self._members.values()) <= size, "its members are larger than it")
        self._arrays: dict[str, NDArray[np.generic]] = {}

    def document(self) -> Any:
        """The JSON document."""
        return json.loads(self._zip.read(DOCUMENT), parse_constant=_refuse_constant)

    def array(self, name: Any) -> NDArray[np.generic]:
        """An array by its name, in the order of C; the same one each time."""
        known = isinstance(name, str) and name != DOCUMENT and name in self._members
        require(known, f"it has no array {str(name)[:40]!r}")
        if name not in self._arrays:
            self._arrays[name] = self._read(self._members[name])
        return self._arrays[name]

    def _read(self, member: zipfile.ZipInfo) -> NDArray[np.generic]:
        """The array of a .npy file; what its header asks for is compared with the member before it is made."""
        self._go_to(member)
        header = self._file.read(min(member.file_size, _LONGEST_HEADER))
        dtype, is_fortran, shape, begin = _header(header)
        size = member.file_size - begin
        require(math.prod(shape) * dtype.itemsize == size, "an array has another size than its header says")
        require(dtype.itemsize or 0 in shape, "an array has cells of no bytes")
        array = np.empty(shape[::-1] if is_fortran else shape, dtype)
        cells = array.reshape(-1).view(np.uint8) if size else np.empty(0, np.uint8)
        self._file.seek(begin - len(header), os.SEEK_CUR)
        require(self._file.readinto(cells) == size, "an array ends too early")  # type: ignore[attr-defined]
        require(zlib.crc32(cells.data, zlib.crc32(header[:begin])) == member.CRC, "the checksum of an array is wrong")
        return array.T.copy(order="C") if is_fortran else array

    def _go_to(self, member: zipfile.ZipInfo) -> None:
        """Move to the first byte of a member, which stands behind a header of its own."""
        self._file.seek(member.header_offset)
        head = struct.unpack(_LOCAL, self._file.read(struct.calcsize(_LOCAL)))
        require(head[0] == b"PK\x03\x04", "a member is not where it should be")
        self._file.seek(head[-2] + head[-1], os.SEEK_CUR)


def _refuse_constant(word: str) -> None:
    raise InvalidData(f"{word} stands in it for a number")


def _header(start: bytes) -> tuple[np.dtype[np.generic], bool, tuple[int, ...], int]:
    """Type, order and shape of an array, as NumPy writes them, and where its cells begin."""
    require(start[:8] in (b"\x93NUMPY\x01\x00", b"\x93NUMPY\x02\x00"), "an array is no .npy file")
    form = "<H" if start[6] == 1 else "<I"
    first = 8 + struct.calcsize(form)
    (length,) = struct.unpack(form, start[8:first])
    found = _HEADER.fullmatch(start[first : first + length].decode("latin1"))
    if found is None:
        raise InvalidData("an array has a header that NumPy does not write")
    dtype = np.dtype(found[1])
    require(dtype.kind in "biufcUSMm", f"an array is of type {dtype}")
    shape = tuple(int(size) for size in found[3].replace(" ", "").split(",") if size)
    return dtype, found[2] == "True", shape, first + length
