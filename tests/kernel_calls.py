"""Which compiled kernels the tests marked `native` call: a run of the whole suite fails if one is never called.

The sanitizers watch the tests with that mark, so a kernel that none of them calls would be watched by nobody. The hooks
below are those of `conftest.py`.
"""

import sys
from functools import wraps
from zlib import crc32

import pytest

import suffice.backend  # noqa: F401 (loads the kernels)


class KernelCalls:
    """The names of kernels, and those that were called while a test of `make sanitize` ran."""

    def __init__(self):
        self.names, self.called, self.watching = set(), set(), False
        for path, module in list(sys.modules.items()):
            if path.rpartition(".")[2].startswith("_native_"):
                for name in (name for name in dir(module) if not name.startswith("_")):
                    self.names.add(name)
                    setattr(module, name, self._noting(module, name, getattr(module, name)))

    def _noting(self, module, name, kernel):
        """The kernel; the first call that counts is noted, and puts the kernel itself back."""

        @wraps(kernel)
        def call(*arguments, **options):
            if self.watching:
                self.called.add(name)
                setattr(module, name, kernel)
            return kernel(*arguments, **options)

        return call


CALLS = KernelCalls()


def is_sanitized(item):
    """Whether `make sanitize` runs this test."""
    return item.get_closest_marker("native") is not None and item.get_closest_marker("unsanitized") is None


def pytest_addoption(parser):
    parser.addoption("--part", default="1/1", help="run the first, second … of so many parts of the tests, as in 2/4")


def pytest_collection_modifyitems(config, items):
    """Keep one part of the tests, chosen by their names: the same in every process."""
    part, parts = map(int, config.getoption("part").split("/"))
    if parts == 1:
        return
    numbers = [crc32(item.nodeid.encode()) % parts + 1 for item in items]
    config.hook.pytest_deselected(items=[item for item, number in zip(items, numbers, strict=True) if number != part])
    items[:] = [item for item, number in zip(items, numbers, strict=True) if number == part]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    CALLS.watching = is_sanitized(item)
    try:
        return (yield)
    finally:
        CALLS.watching = False


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """A process of pytest-xdist has ended and hands over what it has seen."""
    CALLS.called.update(getattr(node, "workeroutput", {}).get("kernels", ()))


def is_whole(config):
    """Whether the run leaves no test out."""
    chosen = config.option.keyword or config.option.markexpr or config.option.deselect or config.option.part != "1/1"
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not chosen and not config.option.collectonly


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """Fail a whole run that was good but for kernels that no test of `make sanitize` has called."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["kernels"] = sorted(CALLS.called)
    elif exitstatus == pytest.ExitCode.OK and is_whole(session.config) and CALLS.names - CALLS.called:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    missing = sorted(CALLS.names - CALLS.called)
    if missing and is_whole(terminalreporter.config):
        terminalreporter.section("kernels that no test marked native calls", red=True)
        terminalreporter.line(", ".join(missing))
