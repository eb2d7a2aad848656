"""What users do, and the optional packages that they need for it; `try_uses.py` tries each."""

import atexit
import contextlib
import importlib
import io
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np

import suffice as sf
from suffice.errors import MissingExtra

_folder = tempfile.TemporaryDirectory()
atexit.register(_folder.cleanup)
FOLDER = Path(_folder.name)


@dataclass(frozen=True)
class Use:
    """Something a user does.

    `extras` has the packages it needs by extra, `given` those without which nobody comes so far, `even_without` some
    that it might be thought to need.
    """

    run: Callable[[], object]
    extras: dict[str, tuple[str, ...]]
    given: tuple[str, ...]
    even_without: tuple[str, ...]

    def is_about(self, package):
        """Whether it matters to the use if the package is there."""
        return package in self.even_without or any(package in packages for packages in self.extras.values())

    def missing(self):
        """The extra to be named here, the first one that is not complete; None where all are."""
        return next((extra for extra, packages in self.extras.items() if not all(map(is_there, packages))), None)

    def result(self):
        """What is wrong, or None."""
        expected = self.missing()
        try:
            self.run()
        except MissingExtra as error:
            return None if error.extra == expected else f"asks for the extra {error.extra!r}, not {expected!r}"
        except Exception as error:
            return f"raises {type(error).__name__}: {error}"
        return None if expected is None else f"works without the extra {expected!r}"


USES: list[Use] = []


def needs(*, given=(), even_without=(), **extras):
    """Put a function on the list."""

    def add(run):
        USES.append(Use(run, extras, given, even_without))
        return run

    return add


def is_there(package):
    """Whether the package can be imported."""
    try:
        importlib.import_module(package)
    except ImportError:
        return False
    return True


def table():
    """A small table in memory, and its classes."""
    iris = sf.datasets.load("iris")
    return iris.matrix(), iris["species"]


def recorded():
    """The trace of a fit, and its rows."""
    X = table()[0]
    with sf.recording() as trace:
        sf.KMeans(2, random_state=0).fit(X)
    return trace, X


def csv_file():
    """The same in a file."""
    path = FOLDER / "table.csv"
    path.write_text("a,b,kind\n" + "".join(f"{i},{i * i},{'xy'[i % 2]}\n" for i in range(20)), encoding="utf-8")
    return path


@needs()
def public_names():
    for name in sf.__all__:
        getattr(sf, name)


@needs(even_without=("dask",))
def fit_an_array():
    X, y = table()
    sf.GaussianNB().fit(X, y).score(X, y)
    recorded()[0].save(FOLDER / "trace.jsonl")
    sf.Trace.load(FOLDER / "trace.jsonl")
    sf.save(sf.PCA(2).fit(X), FOLDER / "model.sff")
    sf.load(FOLDER / "model.sff").transform(X)


@needs()
def compare_models():
    X, y = table()
    str(sf.compare({"naive": sf.GaussianNB(), "linear": sf.LinearDiscriminantAnalysis()}, X, y))


@needs()
def compress_an_array():
    sf.compress_image(np.arange(64, dtype=np.uint8).reshape(8, 8), 4, random_state=0).figures()


@needs(files=("pyarrow",))
def scan_csv():
    sf.GaussianNB().fit(sf.scan(csv_file(), target="kind"))


@needs(files=("pyarrow",))
def scan_parquet():
    path = FOLDER / "table.parquet"
    if is_there("pyarrow"):
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, 2.0, 3.0], "b": [2.0, 1.0, 5.0]}), path)
    sf.PCA(1).fit(sf.scan(path))


@needs(files=("pyarrow",))
def describe_a_bundled_table():
    str(sf.describe("iris"))


@needs(files=("pyarrow",))
def describe_an_array():
    str(sf.describe(table()[0]))


@needs(given=("pandas",), files=("pyarrow",))
def describe_a_frame():
    import pandas as pd

    str(sf.describe(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})))


@needs(files=("pyarrow",))
def read_rows_of_a_table():
    from suffice.report import read_rows

    read_rows("iris", "species")


@needs(files=("pyarrow",))
def describe_a_file():
    str(sf.describe(csv_file()))


@needs(files=("pyarrow",))
def trace_as_parquet():
    recorded()[0].save(FOLDER / "trace.parquet")
    sf.Trace.load(FOLDER / "trace.parquet")


@needs(files=("pyarrow",))
def table_as_arrow():
    sf.datasets.load("iris").to_frame("pyarrow")


@needs(pandas=("pandas",))
def table_as_pandas():
    sf.datasets.load("iris").to_frame("pandas")


@needs(polars=("polars",))
def table_as_polars():
    sf.datasets.load("iris").to_frame("polars")


@needs(given=("pandas",), even_without=("pyarrow",))
def fit_a_pandas_frame():
    import pandas as pd

    X, y = table()
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=pd.Categorical(y))
    sf.GaussianNB().fit(frame[list("abcd")], y).predict(frame[list("abcd")])
    sf.KModes(2, random_state=0).fit(frame[["kind"]])
    sf.StandardScaler().set_output(transform="pandas").fit_transform(frame[list("abcd")])


@needs(given=("polars",), even_without=("pyarrow", "pandas"))
def fit_a_polars_frame():
    import polars as pl

    X, y = table()
    frame = pl.DataFrame({name: X[:, j] for j, name in enumerate("abcd")} | {"kind": list(y)})
    sf.GaussianNB().fit(frame[list("abcd")], y).predict(frame[list("abcd")])
    sf.KModes(2, random_state=0).fit(frame[["kind"]])
    sf.StandardScaler().set_output(transform="polars").fit_transform(frame[list("abcd")])


@needs(given=("dask",), even_without=("distributed", "pandas", "pyarrow"))
def fit_a_dask_array():
    import dask.array as da

    X, y = table()
    chunks = da.from_array(X, chunks=(40, 4))
    sf.GaussianNB().fit(chunks, da.from_array(y, chunks=40)).predict(chunks).compute()


@needs(given=("dask", "pandas", "pyarrow"), even_without=("distributed",))
def fit_a_dask_frame():
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame(table()[0], columns=list("abcd")), npartitions=3)
    sf.PCA(2).fit(frame).transform(frame).compute()


@needs(given=("dask", "distributed"), even_without=("pandas", "pyarrow"))
def fit_on_a_cluster():
    import dask.array as da
    from distributed import Client

    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
        sf.PCA(2).fit(da.from_array(table()[0], chunks=(40, 4)))


@needs(cli=("rich",))
def progress_bar():
    with sf.progress():
        sf.PCA(2).fit(table()[0])


@needs(report=("jinja2", "pyarrow"))
def report_on_an_array():
    sf.report(table()[0][:40], seconds=1).save(FOLDER / "report.html")


@needs(report=("jinja2",))
def player_as_a_page():
    sf.player(*recorded()).save(FOLDER / "player.html")


@needs(report=("jinja2",))
def player_in_a_notebook_as_html():
    sf.player(*recorded())._repr_html_()


@needs(report=("jinja2",), notebook=("anywidget",))
def player_as_a_widget():
    sf.player(*recorded()).widget()


@needs(plot=("matplotlib",))
def draw_a_display():
    X = table()[0]
    sf.plots.ScreeDisplay.from_estimator(sf.PCA().fit(X)).plot()


@needs(yaml=("yaml",))
def costs_from_yaml():
    from suffice.resampling.cost_files import read_costs

    path = FOLDER / "costs.yaml"
    path.write_text("x: {act: 0, wait: 1}\ny: {act: 5, wait: 0}\n", encoding="utf-8")
    read_costs(path)


@needs(even_without=("torch",))
def fit_a_dense_net():
    X, y = table()
    sf.NeuralClassifier([sf.layers.Dense(4)], max_iter=2, random_state=0).fit(X, y).predict(X)


@needs(neural=("torch",))
def fit_a_net_with_dropout():
    X, y = table()
    layers = [sf.layers.Dense(4), sf.layers.Dropout(0.2)]
    sf.NeuralClassifier(layers, max_iter=2, random_state=0).fit(X, y).predict(X)


@needs(images=("PIL",))
def picture_from_a_file():
    path = FOLDER / "picture.png"
    if is_there("PIL"):
        from PIL import Image

        Image.new("RGB", (8, 8)).save(path)
    sf.compress_image(path, 2, random_state=0)


@needs(images=("PIL",))
def picture_to_a_file():
    from suffice.models.pictures.images import save_image

    save_image(np.zeros((8, 8), dtype=np.uint8), FOLDER / "written.png")


def command(*arguments):
    """The command line; a sentence about a missing extra is raised again, as the error that it comes from."""
    from suffice.__main__ import main

    said = io.StringIO()
    try:
        with (
            mock.patch.object(sys, "argv", ["suffice", *map(str, arguments)]),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(said),
        ):
            main()
    except Exception as error:
        raise RuntimeError(f"the shell shows a traceback of {error!r}") from error
    except SystemExit as end:
        found = re.fullmatch(r"suffice: error: (\w+) is not installed; .*'suffice\[(\w+)\]'\n", said.getvalue())
        if found:
            raise MissingExtra(found[1], found[2]) from None
        if end.code:
            raise RuntimeError(f"status {end.code}: {said.getvalue()}") from None


CLI = ("click", "pyarrow")  # and rich for progress bars, in a terminal


@needs(cli=("click",))
def command_help():
    command("--help")


@needs(cli=CLI)
def command_describe():
    command("describe", "iris")


@needs(cli=CLI)
def command_fit():
    command("fit", "GaussianNB", "iris", "--target", "species", "-o", FOLDER / "by-command.sff")


@needs(cli=("click",), report=("jinja2", "pyarrow"))
def command_report():
    command("report", "iris", "--target", "species", "--seconds", "1", "-o", FOLDER / "by-command.html")


@needs(cli=("click",), images=("PIL",))
def command_compress():
    command("compress", FOLDER / "picture.png", "-k", "2", "--json")
