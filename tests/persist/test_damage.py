"""Files that are damaged, or made to do harm, give `InvalidModelFile`."""

import io
import json
import os
import zipfile

import numpy as np
import pytest

import suffice as sf
from model_file_helpers import Held
from suffice.contracts.model_files import npy, pack, unpacked
from suffice.errors import InvalidModelFile


def zipped(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in members:
            file.writestr(name, content)
    return path


def test_compressed_members_are_refused(saved):
    zipped(saved, unpacked(saved).items(), zipfile.ZIP_DEFLATED)
    with pytest.raises(InvalidModelFile, match="is compressed"):
        sf.load(saved)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_stands_twice_is_refused(saved):
    members = list(unpacked(saved).items())
    with pytest.raises(InvalidModelFile, match="stands twice"):
        sf.load(zipped(saved, [*members, members[-1]]))


def test_a_member_that_no_model_has_is_refused(saved):
    with pytest.raises(InvalidModelFile, match=r"member '\.\./evil'"):
        sf.load(zipped(saved, [*unpacked(saved).items(), ("../evil", b"x")]))


HEADER = "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}"


def headed(text, content=b""):
    """A .npy file with this header."""
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("latin1") + content


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEADER.format("<f8", "(100000000000,)") + "\n", "another size"),
        (HEADER.format("<f8", "(2, 2305843009213693952, 4)") + "\n", "another size"),
        (HEADER.format("<U0", "(100000000000,)") + "\n", "another size"),
        (HEADER.format("|O", "(1,)") + "\n", "of type object"),
        (HEADER.format("|V8", "(1,)") + "\n", "of type"),
        (HEADER.format("<f8", "(1,)"), "does not write"),
        (HEADER.format("<f8", "(-1,)") + "\n", "does not write"),
        ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n", "does not write"),
        ("__import__('os').system('true')\n", "does not write"),
        ("[" * 3000 + "\n", "does not write"),
    ],
    ids=range(10),
)
def test_headers_of_arrays_are_checked(saved, text, words):
    members = unpacked(saved)
    pack({**members, "arrays/0.npy": headed(text, b"\0" * 8)}, saved)
    with pytest.raises(InvalidModelFile, match=words):
        sf.load(saved)


def test_cells_of_no_bytes_are_refused(saved):
    pack({**unpacked(saved), "arrays/0.npy": headed(HEADER.format("<U0", "(100000000000,)") + "\n")}, saved)
    with pytest.raises(InvalidModelFile, match="no bytes"):
        sf.load(saved)


def test_a_small_file_does_not_become_large(saved):
    before = saved.stat().st_size
    pack({**unpacked(saved), "arrays/0.npy": headed(HEADER.format("<f8", "(800000000,)") + "\n")}, saved)
    assert saved.stat().st_size < 2 * before
    with pytest.raises(InvalidModelFile, match="another size than its header says"):
        sf.load(saved)


def test_arrays_in_the_order_of_fortran_are_read(tmp_path):
    path = tmp_path / "held.sff"
    sf.save(Held(np.arange(6.0).reshape(2, 3)), path)
    members = unpacked(path)
    pack({**members, "arrays/0.npy": npy(np.asfortranarray(np.arange(6.0).reshape(2, 3)))}, path)
    assert b"'fortran_order': True" in unpacked(path)["arrays/0.npy"]
    again = sf.load(path, classes=[Held]).value
    assert again.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert again.flags.c_contiguous


def test_another_byte_order_is_refused_where_kernels_read(saved):
    members = unpacked(saved)
    at = json.loads(members["model.json"])["model"]["state"]["_centres"]["at"]
    pack({**members, at: npy(np.load(io.BytesIO(members[at])).astype(">f8"))}, saved)
    with pytest.raises(InvalidModelFile, match="must be an array of float64; got >f8"):
        sf.load(saved)


@pytest.mark.parametrize(
    "model",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"$": "tuple", "items": [' * 5000 + b"]}" * 5000,
        b"1" * 10_000,
        b"NaN",
        b'{"$": "array"}',
        b'{"$": "array", "at": ["x"]}',
        b'{"$": "array", "at": "model.json"}',
        b'{"$": "array", "at": "arrays/99.npy"}',
        b'{"$": "tuple", "items": 3}',
        b'{"$": "dict", "items": [[1]]}',
        b'{"$": "dict", "items": [[[], 1]]}',
        b'{"$": "float", "value": []}',
        b'{"$": "objects", "shape": [2, -1], "items": [1, 2]}',
        b'{"$": "objects", "shape": [1000000000000], "items": []}',
        b'{"$": "scalar", "at": "arrays/0.npy"}',
        b'{"$": "dtype", "value": "O"}',
        b'{"$": "generator", "name": "os", "state": {}}',
        b'{"$": "sparse", "kind": "csr_matrix", "shape": [1, 1], "data": 1, "indices": 2, "indptr": 3}',
        b'{"$": "object", "class": "KMeans"}',
        b'{"$": "object", "class": "KMeans", "state": []}',
        b'{"$": "object", "class": "KMeans", "state": {"__class__": 1}}',
        b'{"$": "object", "class": "KMeans", "state": {}, "more": 1}',
        b'{"$": ["object"]}',
        b"\xff\xfe",
        b"",
    ],
    ids=range(25),
)
def test_damaged_documents(saved, model):
    document = b'{"format": "suffice model", "version": 2, "suffice": "0", "model": ' + model + b"}"
    pack({**unpacked(saved), "model.json": document}, saved)
    with pytest.raises(InvalidModelFile, match=r"load: .*damaged"):
        sf.load(saved)


@pytest.mark.parametrize("head", ["[]", "{}", '{"format": 3}', '{"format": "suffice model", "version": true}', "nul"])
def test_damaged_heads(saved, head):
    pack({"model.json": head.encode()}, saved)
    with pytest.raises(InvalidModelFile):
        sf.load(saved)


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.sff"):
        sf.load(tmp_path / "nowhere.sff")


def test_what_is_no_file(tmp_path):
    with pytest.raises(InvalidModelFile, match="is a folder"):
        sf.load(tmp_path)
    with pytest.raises(InvalidModelFile, match="is no regular file"):
        sf.load("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidModelFile, match="is no regular file"):
        sf.load(tmp_path / "pipe")
