"""What the criteria for a number of clusters or components say together."""

from __future__ import annotations

from collections import Counter

from ..selection.choose_k import Selection
from ..text import counted


def votes(chosen: Selection) -> str:
    """How many criteria choose the number that is taken, that others disagree, and what is doubtful about it."""
    best, k = chosen.best, chosen.recommended
    listed = ", ".join(f"{name.replace('_', ' ')} {own}" for name, own in best.items())
    agreed = Counter(best.values())[k]
    if 2 * agreed > len(best):
        said = f"{agreed} of {len(best)} criteria choose k = {k} ({listed})."
    else:
        taken = f"k = {k}, with {counted(agreed, 'vote')} of {len(best)}, is only an example"
        said = f"The criteria disagree ({listed}): {taken}."
    return " ".join(filter(None, [said, no_clusters(chosen), at_the_edge(chosen)]))


def no_clusters(chosen: Selection) -> str:
    """Where one cluster is chosen, or the gap statistic finds none."""
    if chosen.recommended == 1:
        return "One cluster is no clustering; below, two are shown."
    if chosen.best.get("gap") == 1:
        return "By the gap statistic the rows are no more clustered than uniform ones: perhaps there are no clusters."
    return ""


def at_the_edge(chosen: Selection) -> str:
    """Where criteria choose the largest number that was tried, beyond which they may have gone."""
    last = max(chosen.ks)
    names = [name.replace("_", " ") for name, k in chosen.best.items() if k == last]
    if not names:
        return ""
    return f"{last} is the largest number that was tried, so {' and '.join(names)} may ask for more."
