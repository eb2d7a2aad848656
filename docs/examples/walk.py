"""The functions of Suffice that a fit visits, in the order of the first visit, indented by depth."""

import sys
import tempfile
import threading
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from types import FrameType

import suffice as sf

PACKAGE = str(Path(sf.__file__).parent) + "/"


def walk(work: Callable[[], object]) -> list[tuple[int, str, str]]:
    """Depth, file and qualified name of every function visited: this thread's first, then those of its readers."""
    visits: dict[int, list[tuple[int, str, str]]] = {}
    depths: dict[int, int] = {}

    def visit(frame: FrameType, event: str, arg: object) -> None:
        code, thread = frame.f_code, threading.get_ident()
        if not code.co_filename.startswith(PACKAGE) or "<" in code.co_qualname.rpartition(".")[2]:
            return  # a lambda or a comprehension has no name to look up
        depth = depths.setdefault(thread, 0)
        if event == "call":
            place = code.co_filename.removeprefix(PACKAGE)
            visits.setdefault(thread, []).append((depth, place, code.co_qualname.replace(".<locals>", "")))
        depths[thread] = depth + {"call": 1, "return": -1}.get(event, 0)

    work()  # what is imported or loaded when first used is no part of the walk
    threading.setprofile(visit)
    sys.setprofile(visit)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    first: dict[tuple[str, str], tuple[int, str, str]] = {}
    for step in chain(*visits.values()):
        first.setdefault(step[1:], step)
    return list(first.values())


def kmeans() -> list[tuple[int, str, str]]:
    """An array through `KMeans.fit`."""
    X = sf.datasets.load("xclara").matrix()
    return walk(lambda: sf.KMeans(3, random_state=0).fit(X))


def mixture() -> list[tuple[int, str, str]]:
    """A Parquet file through `GaussianMixture.fit`."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/xclara.parquet"
        sf.datasets.load("xclara").to_frame().to_parquet(path)
        return walk(lambda: sf.GaussianMixture(3, random_state=0).fit(sf.scan(path)))


def main() -> None:
    for title, steps in (("KMeans.fit of an array", kmeans()), ("GaussianMixture.fit of a Parquet file", mixture())):
        print(title, *(f"{'  ' * (depth + 1)}{place}: {name}" for depth, place, name in steps), "", sep="\n")


if __name__ == "__main__":
    main()
