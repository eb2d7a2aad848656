"""Selections of columns: the search itself is compared in feature_selection.py."""

import suffice as sf

CONTESTS = []
ALONE = {
    sf.BackwardSelection: "compared in feature_selection.py; of other models the time is that of their fits",
    sf.ForwardSelection: "compared in feature_selection.py; of other models the time is that of their fits",
    sf.L1Selection: "the time is that of the path of the model inside, which is compared by itself",
    sf.StabilitySelection: "nobody else has it; the time is that of the selection inside, twice for each pair",
}
