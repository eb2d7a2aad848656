"""Starting up"""

from __future__ import annotations

import subprocess
import sys

from .harness import Workload


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def _import() -> Workload:
    return Workload(
        "import (a whole Python start)",
        "–",
        lambda: _python("import suffice"),
        {"import sklearn": lambda: _python("import sklearn"), "no import": lambda: _python("pass")},
        lambda ours, peers: None,
        floor={"import sklearn": 10.0},
        memory=False,
    )


WORKLOADS = [_import]
