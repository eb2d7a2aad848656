"""Runs the examples of a page in a process of its own: what they register must not reach other tests."""

import doctest
import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

BLOCK = re.compile(r"^```\{doctest\}\n(.*?)^```", re.M | re.S)
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL | doctest.DONT_ACCEPT_TRUE_FOR_1  # those of Sphinx


def examples(text: str) -> list[doctest.Example]:
    """Those of all blocks, with their lines in the page."""
    found = []
    for block in BLOCK.finditer(text):
        for example in doctest.DocTestParser().get_examples(block[1]):
            example.lineno += text.count("\n", 0, block.start(1))
            found.append(example)
    return found


def run_page(page: Path) -> str:
    """What went wrong, in an empty folder and without any name at the start; empty where all is as shown."""
    sys.path.insert(0, str(page.parent / "examples"))
    test = doctest.DocTest(examples(page.read_text(encoding="utf-8")), {}, page.stem, str(page), 0, None)
    report: list[str] = []
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        os.chdir(folder)
        try:
            doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
        finally:
            os.chdir(before)
            sys.path.pop(0)
    return "".join(report)
