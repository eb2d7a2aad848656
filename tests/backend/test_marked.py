"""Tests of kernels carry the mark by which `make sanitize` finds them; `kernel_calls.py` counts what they call."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
PLAIN = {"threads", "thread_count", "blas_threads_for"}  # say how many threads, and run nothing


def used_of_backend(tree):
    """The names of `suffice.backend`, and of its modules, that a test module uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("suffice.backend"):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "backend":
            yield node.attr


def is_marked(tree):
    """Whether the module says `pytestmark = pytest.mark.native`, alone or in a list."""
    marks = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    return any("pytest.mark.native" in ast.unparse(mark) for mark in marks)


def test_who_uses_kernels_is_marked():
    trees = {path.name: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(TESTS.rglob("test_*.py"))}
    assert any(map(is_marked, trees.values()))
    used = {name: set(used_of_backend(tree)) - PLAIN for name, tree in trees.items() if not is_marked(tree)}
    assert {name: names for name, names in used.items() if names} == {}, "pytestmark = pytest.mark.native is missing"
