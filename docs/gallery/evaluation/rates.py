"""What follows from four counts

Of 100 e-mails 30 are spam; a filter finds 24 of them and flags 16 others. All rates of the course from these four
numbers, computed and by the library. It is trivial to make any one of them 100 %: report at least two.

Row: K3
"""

import numpy as np

import suffice as sf

y = np.repeat(["spam", "ham"], [30, 70])
called = np.concatenate([np.repeat(["spam", "ham"], [24, 6]), np.repeat(["spam", "ham"], [16, 54])])
shown = sf.plots.ConfusionDisplay.from_predictions(y, called, classes=["spam", "ham"], ax=False)
(tp, fn), (fp, tn) = shown.counts
precision, recall = tp / (tp + fp), tp / (tp + fn)
rates = {
    "accuracy": (tp + tn) / 100,
    "error": (fp + fn) / 100,
    "precision": precision,
    "recall, sensitivity, true positive rate": recall,
    "specificity, true negative rate": tn / (fp + tn),
    "false positive rate, false alarms": fp / (fp + tn),
    "miss rate": fn / (tp + fn),
    "F1": 2 / (1 / precision + 1 / recall),
    "F2": 5 * precision * recall / (4 * precision + recall),
    "detection cost, 1 a false alarm, 5 a miss": 1 * fp + 5 * fn,
}
assert (tp, fp, fn, tn) == (24, 16, 6, 54)
assert np.isclose(rates["F1"], 2 * tp / (2 * tp + fp + fn))
assert np.isclose(shown.accuracy, rates["accuracy"])

lines = [
    "             true spam  true ham",
    f"called spam  {tp:9.0f} {fp:9.0f}",
    f"called ham   {fn:9.0f} {tn:9.0f}",
    "",
]
table = "\n".join([*lines, *(f"{name:<42}{value:8.4g}" for name, value in rates.items())])
