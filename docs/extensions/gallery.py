"""The gallery: every script of docs/gallery is run, and becomes a page with its code, its picture and its row.

A script is docs/gallery/TOPIC/NAME.py. Its docstring has a title, Markdown that says what is seen, and at the end a
line "Row: B12" (or "Rows: B1, B2"). It leaves either `figure`, a matplotlib Figure, or `table`, a text. Pages and
pictures are written beside the scripts, where Git ignores them.
"""

from __future__ import annotations

import ast
import re
import runpy
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "gallery"
TOPICS = {
    "data": "Data and exploration",
    "clustering": "Clustering",
    "hierarchy": "Hierarchies",
    "pictures": "Pictures",
    "mixtures": "Mixtures and EM",
    "bayes": "Bayes classifiers",
    "projection": "Projection",
    "factors": "Factors",
    "neighbours": "Neighbours",
    "linear": "Linear models",
    "trees": "Trees",
    "ensembles": "Bagging and boosting",
    "neural": "Neural networks",
    "evaluation": "Evaluation",
    "decisions": "Decisions",
}
PAGES = {
    "A": "a_data", "B": "b_clustering", "C": "c_mixtures", "D": "d_bayes", "E": "e_projection", "F": "f_neighbours",
    "G": "g_linear", "I": "i_ensembles", "J": "j_neural", "K": "k_evaluation", "L": "l_decisions",
}  # fmt: skip
STYLE = {  # of axes that a script makes itself: quiet, as those of the displays
    "axes.prop_cycle": "cycler('color', ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000'])",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "font.size": 9,
    "legend.fontsize": 8,
    "legend.frameon": False,
}
THUMBNAIL = 420  # pixels of its longer side
ROW = re.compile(r"Rows?: ([A-Z]\d+(?:, [A-Z]\d+)*)")


@dataclass(frozen=True)
class Script:
    """One script, read but not run."""

    path: Path
    title: str
    text: str
    rows: tuple[str, ...]
    code: str

    @classmethod
    def read(cls, path: Path) -> Script:
        source = path.read_text(encoding="utf-8")
        module = ast.parse(source)
        title, _, rest = (ast.get_docstring(module) or "").partition("\n")
        text, _, last = rest.strip().rpartition("\n")
        found = ROW.fullmatch(last.strip())
        if not (title and text and found):
            raise ValueError(f'{path}: the docstring needs a title, a text, and a last line such as "Row: B12".')
        code = source.splitlines()[module.body[0].end_lineno :]
        return cls(path, title, text.strip(), tuple(found[1].split(", ")), "\n".join(code).strip())

    @property
    def name(self) -> str:
        """The topic and the name, as in clustering/crabs_whitened."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def page(self) -> Path:
        return self.path.with_suffix(".md")

    @property
    def picture(self) -> Path:
        return self.path.with_suffix(".png")

    @property
    def thumbnail(self) -> Path:
        return self.path.with_suffix(".small.png")

    def run(self) -> Any:
        """What the script leaves: a figure or a text. Warnings are errors."""
        import matplotlib

        matplotlib.use("Agg")
        with warnings.catch_warnings(), matplotlib.rc_context(STYLE):
            warnings.simplefilter("error")
            left = runpy.run_path(str(self.path))
        shown = left.get("figure", left.get("table"))
        if not (hasattr(shown, "savefig") or isinstance(shown, str)):
            raise TypeError(f"{self.path}: a script leaves `figure` (a matplotlib Figure) or `table` (a text).")
        return shown

    def write(self) -> None:
        """Run it, and write its picture and its page."""
        from matplotlib import pyplot, rc_context

        shown = self.run()
        text = self.text.replace("Corrected:", "**Corrected:**")
        parts = [f"# {self.title}"]
        if isinstance(shown, str):
            parts += [text, f"```text\n{shown}\n```"]
        else:
            parts += [f"```{{image}} {self.path.stem}.png\n:alt: {self.title}\n```", text]
        with rc_context(STYLE):  # colours by number, such as C0, are looked up when they are drawn
            figure = _drawn(shown) if isinstance(shown, str) else shown
            figure.savefig(self.picture, dpi=120)
            figure.savefig(self.thumbnail, dpi=THUMBNAIL / max(figure.get_size_inches()))
        pyplot.close("all")
        pages = " and ".join(f"[](../../{page}.md)" for page in dict.fromkeys(PAGES[row[0]] for row in self.rows))
        parts += [f"```python\n{self.code}\n```", f"See {pages}. This script is `docs/gallery/{self.name}.py`."]
        self.page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")

    def is_written(self, since: float) -> bool:
        """Whether page and pictures are newer than the script, and than `since`."""
        newest = max(since, self.path.stat().st_mtime)
        return all(
            each.exists() and each.stat().st_mtime > newest for each in (self.page, self.picture, self.thumbnail)
        )


def scripts() -> list[Script]:
    """All of them, by topic and name."""
    order = list(TOPICS)
    return [Script.read(path) for path in sorted(FOLDER.glob("*/*.py"), key=lambda p: (order.index(p.parent.name), p))]


def index(every: list[Script]) -> str:
    """The page that shows all pictures, topic by topic."""
    parts = ["# Gallery", INTRODUCTION]
    for topic, name in TOPICS.items():
        own = [script for script in every if script.path.parent.name == topic]
        if own:
            shown = "\n".join(f"- [![]({script.name}.small.png) {script.title}]({script.name}.md)" for script in own)
            hidden = "\n".join(script.name for script in own)
            parts += [f"## {name}", f"````{{container}} gallery\n{shown}\n````"]
            parts += [f"```{{toctree}}\n:hidden:\n{hidden}\n```"]
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """\
What the course shows, made by the library: figures, tables and worked numbers, each by a script of its own that runs
when these pages are built. The numbers are asserted in the scripts, and the tests run all of them. Where the course
prints a number wrongly, the page gives the right one and says why.
[How to add one](../add_your_own.md#a-picture-for-the-gallery)."""


def _drawn(text: str) -> Any:
    """A table as a picture, for the index."""
    from matplotlib.figure import Figure

    lines = text.splitlines()
    figure = Figure(figsize=(0.085 * max(map(len, lines)) + 0.3, 0.17 * len(lines) + 0.3))
    figure.text(0.5, 0.5, text, family="monospace", fontsize=9, ha="center", va="center", ma="left")
    return figure


def write_all(app: Any) -> None:
    """Run every script that is newer than its page, or all of them where the library is newer."""
    import suffice

    since = max(path.stat().st_mtime for path in (*Path(suffice.__file__).parent.rglob("*.py"), Path(__file__)))
    every = scripts()
    for script in every:
        if not script.is_written(since):
            script.write()
    kept = {script.page for script in every} | {FOLDER / "index.md"}
    for stale in set(FOLDER.rglob("*.md")) - kept:
        stale.unlink()
    (FOLDER / "index.md").write_text(index(every), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", write_all)
    app.add_css_file("gallery.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
