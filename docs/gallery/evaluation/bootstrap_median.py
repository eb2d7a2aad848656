"""How certain is a median

One sample gives one median. Drawing as many rows from it with replacement, again and again, gives the distribution of
the median: its mean, its variance, and an interval.

Row: I4
"""

import numpy as np
from matplotlib import pyplot as plt

import suffice as sf

waiting = sf.datasets.load("faithful")["waiting"]
found = sf.bootstrap("median", waiting, resamples=2000, random_state=0)
medians = np.asarray(found.replicates)
inside = found.percentile()
assert found.value == np.median(waiting) == 76
assert abs(found.standard_error - medians.std()) < 0.01

figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.1), layout="constrained")
left.hist(waiting, bins=30, color="#8a8a8a")
left.axvline(76, color="#D55E00")
left.set(xlabel="waiting in minutes", title="272 waits and their median")
right.hist(medians, bins=np.arange(72.25, 79, 0.5))
right.axvspan(inside.low, inside.high, color="#D55E00", alpha=0.15, linewidth=0)
right.set(xlabel="median of a resample", title=f"mean {medians.mean():.1f}, standard error {found.standard_error:.2f}")
