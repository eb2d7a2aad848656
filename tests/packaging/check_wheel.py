"""Checks a source archive and a wheel, by what is in them and by the wheel at work.

    python tests/packaging/check_wheel.py dist/*.tar.gz dist/*.whl --python python3.12 python3.13

The wheel is installed into a fresh environment of each interpreter (this one by default), without a compiler.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl", "cmake", "ninja", "make")


def check_sdist(path):
    """The source archive holds what a build needs, as the checkout has it, and nothing that was built."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=REPOSITORY, check=True, capture_output=True, text=True
    ).stdout.split()
    needed = [
        name for name in tracked if name.startswith(("native/", "src/")) or name in ("CMakeLists.txt", "README.md")
    ]
    assert any(name.startswith("native/") for name in needed)
    assert set(needed) <= names, f"{path.name} lacks {sorted(set(needed) - names)}"
    unknown = sorted(name for name in names - set(tracked) - {"PKG-INFO"} if name)
    assert not unknown, f"{path.name} holds files that git does not know: {unknown}"
    report(path, len(names))


def check_contents(path):
    """The wheel holds the package, its data and the kernels, and no sources of the kernels."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    places = {name.partition("/")[0].partition("-")[0].partition(".")[0] for name in names}
    assert places <= {"suffice"}, f"{path.name} also installs {sorted(places - {'suffice'})}"
    compiled = [name for name in names if name.endswith((".so", ".pyd"))]
    assert len(compiled) >= 2, f"{path.name} holds {compiled}"
    assert any(name.endswith("__init__.pyi") for name in names)
    assert any(name.endswith("py.typed") for name in names)
    assert not [name for name in names if name.endswith((".cpp", ".hpp", ".pyc"))]
    report(path, len(names))


def report(path, files):
    """One line about a file."""
    sys.stdout.write(f"{path.name}: {files} files, {path.stat().st_size / 2**20:.1f} MB\n")


def without_compiler(environment):
    """Variables of a shell that finds nothing but the environment's own commands."""
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    kept = {
        name: os.environ[name] for name in ("HOME", "TMPDIR", "TEMP", "SYSTEMROOT", "USERPROFILE") if name in os.environ
    }
    found = [name for name in COMPILERS if shutil.which(name, path=str(programs))]
    assert not found, f"{programs} holds {found}"
    nothing = shutil.which("false") or "false"
    return kept | {"PATH": str(programs), "CC": nothing, "CXX": nothing, "PYTHONNOUSERSITE": "1"}


def check_at_work(wheel, interpreter, folder):
    """Installed where there is no compiler, the wheel fits, reports and keeps its contracts."""
    environment = Path(folder) / "environment"
    subprocess.run([interpreter, "-m", "venv", environment], check=True)
    variables = without_compiler(environment)
    python = Path(variables["PATH"]) / "python"

    def run(*arguments):
        subprocess.run([python, *arguments], check=True, cwd=folder, env=variables)

    run("-m", "pip", "install", "-q", "--only-binary", ":all:", f"{wheel}[cli,report]")
    run("-W", "error", "-c", "import suffice")
    run("-c", "import sys; sys.stdout.write(f'Python {sys.version.split()[0]}: ')")
    run(REPOSITORY / "tests" / "packaging" / "check_installed.py")


def main():
    """Check every file that is named, or raise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="source archives (.tar.gz) and wheels (.whl)")
    parser.add_argument("--python", nargs="*", help="interpreters to install the wheels for")
    given = parser.parse_args()
    for path in given.files:
        if path.suffix != ".whl":
            check_sdist(path)
            continue
        check_contents(path)
        for interpreter in given.python or (sys.executable,):
            with tempfile.TemporaryDirectory() as folder:
                check_at_work(path.resolve(), interpreter, folder)


if __name__ == "__main__":
    main()
