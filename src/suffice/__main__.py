"""`suffice` and `python -m suffice`."""

from __future__ import annotations

import sys

from suffice.errors import MissingExtra

_NEEDED = ("click", "rich", "pyarrow")


def main() -> None:
    """Run the command line and exit with its status: 0, 2 after an error, 130 after Ctrl-C."""
    try:
        from suffice.cli.main import run

        status = run(sys.argv[1:])
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _NEEDED:
            raise
        sys.stderr.write(f"suffice: error: {MissingExtra(package, 'cli')}\n")
        status = 2
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    main()
