"""The kinds of sentences that stand in short, each with a check of it against the table by other means."""

import re

import numpy as np


def check_sentence(sentence, page, table):
    """Find the sentence's kind and check it; a kind without a check is a failure."""
    for pattern, check in KINDS:
        found = re.search(pattern, sentence)
        if found:
            check(found, page, table)
            return
    raise AssertionError(f"no check knows this kind of sentence: {sentence!r}")


def _shape(found, page, table):
    rows, columns = (int(text.replace(",", "")) for text in found.group(1, 2))
    assert (rows, columns) == table.shape
    missing = int(table.isna().sum().sum())
    stated = 0 if "no cell" in found.string else int(re.search(r"([\d,]+) cells? ", found.string)[1].replace(",", ""))
    assert stated == missing


def _warnings(found, page, table):
    listed = page.results["findings"]
    assert int(found[1]) == len(listed)
    assert found[2] == listed[0]


def _components(found, page, table):
    names = page.results["rows"].numeric_names()
    values = table[names].apply(lambda own: own.replace([np.inf, -np.inf], np.nan).fillna(own.median())).to_numpy(float)
    assert int(found[2]) == len(names)
    variances = np.linalg.eigvalsh(np.corrcoef(values.T))[::-1]
    assert abs(100 * variances[:2].sum() / variances.sum() - float(found[1])) < 0.6


def _clusters(found, page, table):
    choice = page.results["choice"]
    for name, k in choice.best.items():
        assert f"{name.replace('_', ' ')} {k}" in found.string
    agreed = re.search(r"(\d+) of (\d+) criteria choose k = (\d+)", found.string)
    if agreed:
        votes, criteria, k = map(int, agreed.groups())
        assert (votes, criteria) == (list(choice.best.values()).count(k), len(choice.best))


def _best(found, page, table):
    made = page.results["comparison"]
    models = {name: own.intervals[found[3]].value for name, own in made.evaluations.items()}
    assert int(found[1]) == len(models) - 1
    assert found[2] == made.best
    sign = 1 if made.measure.larger else -1
    assert sign * models[found[2]] == max(sign * value for value in models.values())
    assert float(found[4]) == float(f"{models[found[2]]:.3g}")


def _none_better(found, page, table):
    made = page.results["comparison"]
    sign = 1 if made.measure.larger else -1
    values = {name: sign * own.intervals[made.measure.name].value for name, own in made.evaluations.items()}
    assert made.best == max(values, key=values.get)


def _no_models(found, page, table):
    assert "comparison" not in page.results


NUMBER = r"(-?[\d.]+(?:e-?\d+)?)"
KINDS = (
    (r": ([\d,]+) rows?, ([\d,]+) columns? \(", _shape),
    (r"^([\d,]+) warnings?, the first: (.*)$", _warnings),
    (rf"Two principal components explain {NUMBER} % of the variance of (\d+) columns", _components),
    (r"^How many clusters\?", _clusters),
    (rf"^The best of (\d+) models is ([^:]+): (\w+) {NUMBER} \[", _best),
    (r"^No model tells the target better than the dummy", _none_better),
    (r"^No models were compared: ", _no_models),
)
