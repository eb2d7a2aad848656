"""CSV files that several threads read are read as one thread reads them: same rows, same errors, same places."""

import numpy as np
import pytest

import suffice as sf
from suffice import backend
from suffice.data import csv as csv_files
from suffice.data.csv_blocks import OpenQuote, blocks
from suffice.data.file_source import batches
from suffice.errors import InvalidData

pytestmark = pytest.mark.native

ROWS = 400
TEXTS = ("plain", '"a, b"', '"line\nend"', '"say ""x"""', 'a 5" pipe', '""', "", '"x"y"')


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 512)


def written(path, end="\n", encoding="utf-8", texts=TEXTS):
    rng = np.random.default_rng(5)
    lines = [f"{rng.normal():.6f},{texts[i % len(texts)]},{i}" for i in range(ROWS)]
    path.write_bytes(("x,word,n" + end + end.join(lines) + end).encode(encoding))
    return path


def columns_of(path, threads, **options):
    with backend.threads(threads):
        source = sf.scan(path, **options)
        found = [batch for _, _, batch in batches(source.files, ("x", "word", "n"))]
    return [[cell for batch in found for cell in batch.column(j).to_pylist()] for j in range(3)], len(found)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_threads_read_what_one_reads(tmp_path, small_blocks, end, encoding):
    path = written(tmp_path / "t.csv", end, encoding, (*TEXTS, "größer"))
    options = {"encoding": "cp1252"} if encoding == "cp1252" else {}
    alone, _ = columns_of(path, 1, types={"word": "categorical"}, **options)
    together, n_batches = columns_of(path, 4, types={"word": "categorical"}, **options)
    assert together == alone
    assert together[2] == list(range(ROWS))
    assert n_batches > 10


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
def test_files_without_newline_bytes_are_read_by_one(tmp_path, small_blocks, encoding):
    path = written(tmp_path / "t.csv", "\r" if encoding == "utf-8" else "\n", encoding, ("a", "b"))
    options = {"encoding": encoding, "types": {"word": "categorical"}}
    assert columns_of(path, 4, **options)[0] == columns_of(path, 1, **options)[0]


@pytest.mark.parametrize(
    ("row", "line", "said"), [(300, "oops,a,1", "row 301 holds 'oops'"), (350, "1.0,a,1,7", "row 351 has 4 cells")]
)
def test_errors_tell_the_same_row(tmp_path, small_blocks, row, line, said):
    path = written(tmp_path / "t.csv", texts=("a", '"b"'))
    lines = path.read_text().split("\n")
    lines[row + 1] = line
    path.write_text("\n".join(lines))
    messages = []
    for threads in (1, 4):
        with pytest.raises(InvalidData, match=said) as caught:
            columns_of(path, threads, types={"x": "numeric"})
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_a_quote_that_is_not_closed_is_found_and_not_read_to_the_end(tmp_path, small_blocks):
    path = written(tmp_path / "t.csv", texts=("a",))
    lines = path.read_text().split("\n")
    lines[100] = '1.0,"a,1'
    path.write_text("\n".join(lines))
    with pytest.raises(InvalidData, match="never closed"):
        columns_of(path, 4, types={"word": "categorical"})


def test_blocks_are_whole_records_after_the_header(tmp_path):
    path = written(tmp_path / "t.csv")
    with path.open("rb") as file:
        texts = list(blocks(file, ",", 300))
    assert b"".join(texts) == path.read_bytes().removeprefix(b"x,word,n\n")
    assert max(map(len, texts)) <= 2 * 300


def test_empty_lines_are_no_rows_however_many(tmp_path, small_blocks):
    path = written(tmp_path / "t.csv", texts=("a",))
    lines = path.read_bytes()
    path.write_bytes(lines.replace(b",200\n", b",200\n" + b"\n" * 2000) + b"\r\n" * 3000)
    together, _ = columns_of(path, 4, types={"word": "categorical"})
    assert together == columns_of(path, 1, types={"word": "categorical"})[0]
    assert together[2] == list(range(ROWS))


def test_a_record_without_an_end_is_refused(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a\n" + b'"' + b"x\n" * 1000)
    with (tmp_path / "t.csv").open("rb") as file, pytest.raises(OpenQuote):
        list(blocks(file, ",", 100))


def test_a_reader_that_is_dropped_leaves_no_thread(tmp_path, small_blocks):
    import threading

    path = written(tmp_path / "t.csv", texts=("a",))
    with backend.threads(4):
        found = batches(sf.scan(path).files, ("x",))
        next(found)
        found.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("suffice-worker")]


def test_every_kind_of_number_is_filled_from_a_file_as_numpy_converts_it(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(8)
    cells = rng.integers(0, 100, 500)
    kinds = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]
    holes = rng.random(500) < 0.2
    table = pa.table(
        {kind.__name__: pa.array(cells.astype(kind), mask=holes if i % 2 else None) for i, kind in enumerate(kinds)}
        | {"bool": pa.array(cells > 50, mask=holes), "text": pa.array(np.where(cells > 50, "b", "a"))}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    source = sf.scan(tmp_path / "t.parquet").suited_to(sf.data.source.Needs(missing=True, categories=True))
    X = np.concatenate([chunk.X for chunk in source.chunks()])
    for i in range(len(kinds)):
        np.testing.assert_array_equal(X[:, i], np.where(holes, np.nan, cells) if i % 2 else cells)
    np.testing.assert_array_equal(X[:, -2], np.where(holes, np.nan, cells > 50))
    np.testing.assert_array_equal(X[:, -1], cells > 50)
    with backend.using("portable"):
        np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in source.chunks()]), X)
