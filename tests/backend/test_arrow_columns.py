"""Columns of Arrow that do not begin where the rows do are refused before memory is read."""

import numpy as np
import pytest

from suffice import backend

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.native


def test_a_slice_of_a_record_batch_gives_its_own_rows():
    batch = pa.RecordBatch.from_pydict({"a": [1.0, 2.0, 3.0, 4.0], "b": [5, 6, 7, None]}).slice(1, 3)
    out = np.empty((3, 2))
    assert not backend.fill_from_arrow(batch, [None, None], out)
    np.testing.assert_array_equal(out, [[2.0, 6.0], [3.0, 7.0], [4.0, np.nan]])


def test_an_array_of_records_with_an_offset_is_refused():
    records = pa.StructArray.from_arrays([pa.array([1.0, 2.0, 3.0])], ["a"])
    with pytest.raises(ValueError, match="first row"):
        backend.fill_from_arrow(records.slice(1), [None], np.empty((2, 1)))
