"""What a user does with an installed Suffice: a fit, a report, the command line, the contracts of one model.

    python tests/packaging/check_installed.py

Needs the extras cli and report. Run by `check_wheel.py`, and for every wheel of the workflow.
"""

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def check_place():
    """Suffice comes from the environment, not from a checkout beside this file."""
    import suffice

    place = Path(suffice.__file__).resolve()
    assert REPOSITORY / "src" not in place.parents, f"{place} is the checkout, not the wheel"
    assert Path(sysconfig.get_path("platlib")).resolve() in place.parents, f"{place} is not in this environment"


def check_fit():
    """The kernels are there, every instruction set that the machine has."""
    import numpy as np

    import suffice as sf
    from suffice.backend import native

    table = sf.datasets.load("iris")
    assert sf.GaussianNB().fit(table.matrix(), table["species"]).score(table.matrix(), table["species"]) == 0.96
    assert sf.KMeans(3, random_state=0).fit(np.random.default_rng(0).normal(size=(1000, 8))).inertia_ > 0
    sys.stdout.write(f"fitted with the kernels {native.instruction_set}\n")


def check_report(folder):
    """A page, from Python and from the shell."""
    import suffice as sf

    sf.report("iris", "species", seconds=2).save(folder / "iris.html")
    assert "<html" in (folder / "iris.html").read_text(encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "suffice",
        "report",
        "crabs",
        "--target",
        "sp",
        "--seconds",
        "2",
        "-o",
        "crabs.html",
    ]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    assert (folder / "crabs.html").stat().st_size > 10_000


def check_contracts():
    """The shipped contracts, on one model."""
    import suffice as sf
    from suffice.contracts import check_estimator, estimator_checks

    check_estimator(sf.GaussianNB)
    sys.stdout.write(f"GaussianNB keeps {sum(1 for _ in estimator_checks(sf.GaussianNB))} promises\n")


def main():
    """All of it, or an error."""
    check_place()
    check_fit()
    with tempfile.TemporaryDirectory() as folder:
        check_report(Path(folder))
    check_contracts()


if __name__ == "__main__":
    main()
