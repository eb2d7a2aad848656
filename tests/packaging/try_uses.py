"""Everything that needs an optional package, tried: it works, or it says which extra to install.

    python tests/packaging/try_uses.py                     all uses, with what is installed here
    python tests/packaging/try_uses.py --without pyarrow   what it matters to, as if that were not installed
    python tests/packaging/try_uses.py --core              what needs no optional package

Needs nothing but Suffice itself: `check_extras.py` runs it in environments that hold one extra each.
"""

import argparse
import importlib.abc
import sys


class Blocker(importlib.abc.MetaPathFinder):
    """Makes a package look as if it were not installed."""

    def __init__(self, packages):
        self.packages = packages

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main():
    """Try what needs the packages that are taken away, or everything; the status is 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", nargs="+", default=[], help="packages to hide")
    parser.add_argument("--core", action="store_true", help="only what needs no optional package")
    given = parser.parse_args()
    hidden = given.without
    sys.meta_path.insert(0, Blocker(hidden))
    from uses import USES, is_there

    if given.core:
        wanted = [use for use in USES if not use.extras and not use.given]
    else:
        wanted = [use for use in USES if not hidden or any(map(use.is_about, hidden))]
    tried = [use for use in wanted if all(map(is_there, use.given))]
    wrong = {use.run.__name__: use.result() for use in tried}
    for name, sentence in wrong.items():
        sys.stdout.write(f"{name}: {sentence or 'good'}\n")
    sys.exit(any(wrong.values()))


if __name__ == "__main__":
    main()
