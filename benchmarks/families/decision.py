"""Decisions: nobody else does the work, and its time is that of the model inside."""

import suffice as sf

CONTESTS = []
ALONE = {
    sf.Calibrated: "the time is that of the fits of the classifier inside, which is compared by itself",
    sf.ConformalClassifier: "the time is that of the fits of the classifier inside, which is compared by itself",
    sf.ConformalRegressor: "the time is that of the fits of the regressor inside, which is compared by itself",
    sf.Decide: "the time is that of the classifier inside, which is compared by itself",
    sf.DecideNumber: "the time is that of the fits of the regressor inside, which is compared by itself",
}
ALONE[sf.Resampled] = "the time is that of the sampler and the classifier inside; samplers are compared in selection"
