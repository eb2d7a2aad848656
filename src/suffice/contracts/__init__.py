"""What every member must satisfy, written once; shipped, so that you can check members of your own.

>>> from suffice.contracts import check_statistic
>>> from suffice.statistics import Moments
>>> check_statistic(Moments)

`check_estimator(MyModel)` runs everything on one class; `estimator_checks(MyModel)` yields the checks one by one,
for `pytest.mark.parametrize`. `estimators()` and `statistics()` find the members of Suffice itself.
"""

from .array_kinds import check_statistic_arguments
from .discover import (
    distances,
    distributions,
    estimators,
    kernels,
    losses,
    operations,
    penalties,
    priors,
    statistics,
    summaries,
)
from .distance_laws import check_distance
from .distribution_laws import check_distribution, distribution_checks
from .kernel_laws import check_kernel, check_window
from .laws import check_statistic
from .loss_laws import check_loss
from .model_files import saved_members
from .operation_laws import check_operation
from .penalty_laws import check_penalty
from .prior_laws import check_prior, prior_checks
from .promises import check_estimator, estimator_checks
from .query_laws import check_query
from .source_laws import check_source
from .summary_laws import check_summary, summed_in_pieces

__all__ = [
    "check_distance", "check_distribution", "check_estimator", "check_kernel", "check_loss", "check_operation",
    "check_penalty", "check_prior", "check_query", "check_source", "check_statistic", "check_statistic_arguments",
    "check_summary", "check_window", "distances", "distribution_checks", "distributions", "estimator_checks",
    "estimators", "kernels", "losses", "operations", "penalties", "prior_checks", "priors", "saved_members",
    "statistics", "summaries", "summed_in_pieces",
]  # fmt: skip
