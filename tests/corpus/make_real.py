"""Copies public-domain tables of statsmodels into `tables/`: `python tests/corpus/make_real.py`.

Every one is in the public domain by the COPYRIGHT of its module in `statsmodels.datasets`. Long ones are thinned by a
fixed stride, so that the order of the rows stays.
"""

from importlib.resources import files
from pathlib import Path

TABLES = Path(__file__).parent / "tables"
STRIDES = {
    "anes96": 2, "co2": 4, "elnino": 1, "engel": 1, "grunfeld": 1, "longley": 1, "macrodata": 1, "modechoice": 1,
    "nile": 1, "randhie": 33, "stackloss": 1, "statecrime": 1, "strikes": 1, "sunspots": 1,
}  # fmt: skip


def main() -> None:
    """Write every table."""
    for name, stride in STRIDES.items():
        text = files("statsmodels.datasets").joinpath(name, f"{name}.csv").read_text(encoding="utf-8")
        header, *rows = text.splitlines()
        (TABLES / f"{name}.csv").write_text("\n".join([header, *rows[::stride]]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
