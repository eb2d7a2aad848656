"""Every member of Suffice keeps every promise that applies to it."""

import pytest

from suffice import contracts

ESTIMATOR_CHECKS = [
    pytest.param(check, id=f"{cls.__name__}-{name}")
    for cls in contracts.estimators()
    for name, check in contracts.estimator_checks(cls)
]


@pytest.mark.parametrize("check", ESTIMATOR_CHECKS)
def test_estimator(check):
    check()


@pytest.mark.parametrize("statistic", contracts.statistics(), ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_statistic(statistic, seed):
    contracts.check_statistic(statistic, seed)


@pytest.mark.parametrize("statistic", contracts.statistics(), ids=lambda cls: cls.__name__)
def test_arguments_of_statistic(statistic):
    contracts.check_statistic_arguments(statistic)


def test_members_are_found():
    assert {cls.__name__ for cls in contracts.estimators()} >= {
        "GaussianNB", "LinearRegression", "PCA", "Ridge", "StandardScaler", "Whiten",
    }  # fmt: skip
    assert {cls.__name__ for cls in contracts.statistics()} >= {"Counts", "Moments", "RootMoments", "PerClass"}
