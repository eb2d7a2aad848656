"""Trees that no other library grows: with a branch for each category, and with linear models in their leaves."""

from __future__ import annotations

import suffice as sf

CONTESTS = ()

ALONE = {
    sf.ID3Classifier: "no library that is kept up has trees with a branch for each category",
    sf.C45Classifier: "C4.5 is a program of its own, and Weka's copy needs Java",
    sf.LinearTreeRegressor: "LightGBM's linear trees are boosted, and cannot be told to be one tree without shrinkage",
}
