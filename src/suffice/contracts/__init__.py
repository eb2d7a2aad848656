"""What every member must satisfy, written once; shipped, so that you can check members of your own.

>>> from suffice.contracts import check_statistic
>>> from suffice.statistics import Moments
>>> check_statistic(Moments)

`check_estimator(MyModel)` runs everything on one class; `estimator_checks(MyModel)` yields the checks one by one,
for `pytest.mark.parametrize`. `estimators()` and `statistics()` find the members of Suffice itself.
"""

from .discover import estimators, statistics
from .laws import check_statistic
from .promises import check_estimator, estimator_checks

__all__ = ["check_estimator", "check_statistic", "estimator_checks", "estimators", "statistics"]
