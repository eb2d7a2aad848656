"""Every extra alone: a fresh environment with the core and that extra, where everything works or says what is missing.

    python tests/packaging/check_extras.py [EXTRA …]

The sources of the checkout are used where they stand, with the kernels that were built there for this interpreter.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL = PROJECT["optional-dependencies"]


def requirements(extra):
    """What the extra installs; one that refers to others means what they install."""
    for requirement in OPTIONAL[extra]:
        if requirement.startswith("suffice["):
            for other in requirement.removeprefix("suffice[").rstrip("]").split(","):
                yield from requirements(other)
        else:
            yield requirement


def check(extra):
    """Whether all is well with this extra, or with the core alone for ""."""
    wanted = [*PROJECT["dependencies"], *(requirements(extra) if extra else ())]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = next(
            path for path in (Path(folder, "bin/python"), Path(folder, "Scripts/python.exe")) if path.exists()
        )
        subprocess.run([python, "-m", "pip", "install", "-q", "--only-binary", ":all:", *wanted], check=True)
        variables = os.environ | {"PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "agg"}
        script = ROOT / "tests" / "packaging" / "try_uses.py"
        done = subprocess.run([python, script], env=variables, cwd=folder, check=False, capture_output=True, text=True)
    bad = [line for line in done.stdout.splitlines() if not line.endswith(": good")]
    sys.stdout.write(f"{extra or 'core'}: {'good' if done.returncode == 0 else 'WRONG'}\n")
    sys.stdout.writelines(f"    {line}\n" for line in bad)
    if done.returncode and not bad:
        sys.stdout.write(done.stderr)
    sys.stdout.flush()
    return done.returncode == 0


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["", *(name for name in OPTIONAL if name not in ("bench", "dev", "docs"))]
    wrong = [extra for extra in chosen if not check(extra)]
    sys.exit(bool(wrong))
