"""The progress bar: drawn on standard error, gone afterwards."""

import numpy as np

import suffice as sf
from suffice.observing import observers


def test_progress_follows_a_fit(tmp_path, capsys):
    np.savetxt(tmp_path / "x.csv", np.ones((50, 2)), delimiter=",", header="a,b", comments="")
    with sf.progress():
        sf.StandardScaler().fit(sf.scan(tmp_path / "x.csv"))
        for observer in observers():
            observer.rows_read(5, 10)  # a read outside any fit
    assert observers() == ()
    assert capsys.readouterr().out == ""
