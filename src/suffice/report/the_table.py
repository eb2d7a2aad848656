"""The first section: what the table is like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..description import CategoryColumn, ColumnDescription, DateColumn, NumberColumn, OrdinalColumn, Share
from ..description.row_findings import no_copies
from ..description.text import count, headline, number
from ..plots import AssociationDisplay, FrequencyDisplay, HistogramDisplay, MissingnessDisplay, PairsDisplay
from ..text import counted
from .association import associations
from .flaws import findings
from .map_of_table import map_part
from .parts import Figures, Part, Section, Shown, attempt
from .pictures import picture as picture_of
from .study import Study

MOST_CARDS = 60
_PAIR_COLUMNS = 4
_PAIR_ROWS = 600
_MISSING_COLUMNS = 30
_MOST_BARS = 20
KINDS = {
    "numeric": "numbers",
    "boolean": "yes or no",
    "ordinal": "ordered categories",
    "categorical": "categories",
    "date": "dates",
}


def table_section(study: Study) -> Section:
    """Warnings, columns, associations, and some columns in pairs."""
    parts = [
        attempt("Warnings", lambda: warnings_part(study)),
        attempt("Columns", lambda: columns_part(study)),
        *([attempt("Missing values", lambda: missing_part(study))] if _some_missing(study) else []),
        attempt("Associations", lambda: associations_part(study)),
        attempt("Pairs", lambda: pairs_part(study)),
        attempt("Map", lambda: map_part(study)),
    ]
    return Section(
        "table",
        "The table",
        "What the columns hold, what they have to do with each other, and what to beware of.",
        parts,
    )


def warnings_part(study: Study) -> Part:
    """What to know before anything else."""
    found = study.results["findings"] = findings(study.rows, study.division)
    study.short.insert(0, _counts(study))
    if found:
        study.short.insert(1, f"{count(len(found))} warning{'s' * (len(found) > 1)}, the first: {found[0]}")
    part = Part("Warnings", warnings=found, code="for warning in findings(rows):\n    print(warning)")
    part.notes = [f"{note[0].upper()}{note[1:]}." for note in study.rows.description.notes]
    if not found:
        copies = no_copies(study.rows.description.copies)
        part.words = [f"Nothing stands out: no constant, empty, equal or leaking columns, and {copies}."]
    return part


def _counts(study: Study) -> str:
    about = study.rows.description
    kinds = [column.measured for column in study.rows.columns]
    words = [f"{count(kinds.count(kind))} of {name}" for kind, name in KINDS.items() if kind in kinds]
    missing = sum(column.missing for column in about.columns)
    cells = max(1, about.rows * len(about.columns))
    are = "is" if missing == 1 else "are"
    words_missing = (
        f"{counted(missing, 'cell')} ({100 * missing / cells:.2g} %) {are} missing" if missing else "no cell is missing"
    )
    return f"{headline(replace(about, title=study.title))} ({', '.join(words)}); {words_missing}."


def columns_part(study: Study) -> Part:
    """A card for each column."""
    rows = study.rows
    order = sorted(rows.description.columns, key=lambda column: column.name != rows.target)
    part = Part("Columns", cards=[_card(study, column) for column in order[:MOST_CARDS]])
    if len(order) > MOST_CARDS:
        part.notes.append(f"{count(MOST_CARDS)} of {count(len(order))} columns shown.")
    if not rows.is_all:
        part.notes.append(f"Figures are of all rows; histograms are of {study.shown(len(rows))}.")
    part.code = "print(rows.description)"
    return part


def _card(study: Study, column: ColumnDescription) -> dict[str, object]:
    share = 100 * column.missing / column.rows if column.rows else 0.0
    facts = [("missing", f"{count(column.missing)} ({share:.3g} %)" if column.missing else "none")]
    picture: str | None = None
    if isinstance(column, NumberColumn):
        facts += [(name, number(value)) for name, value in _figures(column) if value == value]
        if column.missing + column.infinite < column.rows:
            picture = _histogram(study.rows.cells[column.name], column.name)
    elif isinstance(column, CategoryColumn):
        facts.append(("different", ("" if column.exact else "≥ ") + count(column.distinct)))
        if column.top:
            picture = _frequencies(column.name, column.top, column.rows - column.missing)
    elif isinstance(column, OrdinalColumn):
        figures = (("lowest", column.lowest), ("median", column.median), ("highest", column.highest))
        facts += [(name, level) for name, level in figures if level is not None]
        picture = _frequencies(column.name, column.levels)
    elif isinstance(column, DateColumn):
        facts += [("earliest", column.earliest or ""), ("latest", column.latest or "")]
        if column.missing < column.rows:
            picture = _histogram(study.rows.cells[column.name] / 365.2425 + 1970, f"{column.name}, by year")
    is_target = column.name == study.rows.target
    role = ", the target" if is_target else ", not learned from" if column.name in study.rows.left_out else ""
    kind = KINDS[column.kind] + role
    return {"name": column.name, "kind": kind, "facts": facts, "picture": picture, "target": is_target}


def _histogram(values: NDArray[np.generic], name: str) -> str:
    return str(picture_of(HistogramDisplay.from_table(values, [name], ax=False)))


def _frequencies(name: str, shares: Sequence[Share], total: int | None = None) -> str:
    """Bars in the order of the values; the first of many levels."""
    first = shares[:_MOST_BARS]
    values, counts = [share.value for share in first], np.array([share.count for share in first])
    note = "" if len(first) == len(shares) else f"{len(first)} of {count(len(shares))} levels"
    total = sum(share.count for share in shares) if total is None else total
    return str(picture_of(FrequencyDisplay(values, counts, total, name, note)))


def _figures(column: NumberColumn) -> list[tuple[str, float]]:
    median = column.quantiles.get(0.5, float("nan"))
    return [
        ("mean", column.mean),
        ("deviation", column.deviation),
        ("least", column.minimum),
        ("median", median),
        ("greatest", column.maximum),
    ]


def _some_missing(study: Study) -> bool:
    return any(column.missing for column in study.rows.description.columns) and len(study.rows) > 0


def missing_part(study: Study) -> Part:
    """Where values are missing, from the first row to the last."""
    display = MissingnessDisplay.from_table(study.rows.cells, most=_MISSING_COLUMNS, ax=False)
    caption = "Rows from top to bottom, darker where more is missing; above, the share of each column."
    said = [f"{display.note[0].upper()}{display.note[1:]}." if display.note else "", study.shown(len(study.rows))]
    return Part("Missing values", pictures=[Shown(picture_of(display), " ".join(filter(None, [caption, *said])))])


def associations_part(study: Study) -> Part:
    """Which columns have to do with each other."""
    found = study.results["associations"] = associations(study.rows)
    if len(found.names) < 2:
        return Part("Associations", words=["There are no two columns that could be compared."])
    strongest = found.strongest(8)
    part = Part(
        "Associations",
        words=[
            "From 0, nothing to do with each other, to 1, one tells the other: Spearman's rank correlation without its "
            "sign for two columns of numbers, the correlation ratio of ranks for numbers and categories, and Cramér's "
            "V for two columns of categories, each less what chance alone would give. Pairs that chance gives more "
            "than once in a hundred come last."
        ],
        pictures=[Shown(picture_of(AssociationDisplay.from_associations(found, ax=False)))],
        tables=[Figures(("column", "with", "strength"), [(a, b, f"{s:.3f}") for a, b, s in strongest], words=2)],
        code="found = associations(rows)\nfor first, second, strength in found.strongest(8):\n"
        '    print(f"{first}  {second}  {strength:.3f}")',
    )
    if len(study.rows.columns) > len(found.names):
        part.notes.append(f"{len(found.names)} of {count(len(study.rows.columns))} columns shown.")
    return part


def pairs_part(study: Study) -> Part:
    """A few columns of numbers against each other."""
    names = study.rows.numeric_names()
    if len(names) < 2:
        return Part("Pairs", words=["Fewer than two columns of numbers vary, so there are no pairs to show."])
    chosen = _chosen(study, names)
    some = study.rows.at_most(_PAIR_ROWS)
    values = np.column_stack([some.cells[name] for name in chosen])
    drawn = picture_of(PairsDisplay.from_table(values, chosen, groups=study.classes_of(some), ax=False))
    words = f"{len(chosen)} of {count(len(names))} columns of numbers shown." if len(chosen) < len(names) else ""
    caption = " ".join(filter(None, [words, study.shown(len(some))]))
    return Part("Pairs", pictures=[Shown(drawn, f"Pearson's correlation above the diagonal. {caption}".strip())])


def _chosen(study: Study, names: list[str]) -> list[str]:
    """The columns that have most to do with the target, or else the first ones."""
    found = study.results.get("associations")
    if study.rows.target is not None and found is not None and study.rows.target in found.names:
        strength = dict(zip(found.names, found.strength[found.names.index(study.rows.target)], strict=True))
        ranked = sorted(names, key=lambda name: -np.nan_to_num(strength.get(name, 0.0)))[:_PAIR_COLUMNS]
        return [name for name in names if name in ranked]
    return names[:_PAIR_COLUMNS]
