"""Every distribution and every prior of Suffice keeps the laws."""

import pytest

from suffice import contracts

DISTRIBUTION_CHECKS = [
    pytest.param(check, id=f"{cls.__name__}-{name}")
    for cls in contracts.distributions()
    for name, check in contracts.distribution_checks(cls)
]
PRIOR_CHECKS = [
    pytest.param(check, id=f"{cls.__name__}-{name}")
    for cls in contracts.priors()
    for name, check in contracts.prior_checks(cls)
]


@pytest.mark.parametrize("check", DISTRIBUTION_CHECKS)
def test_distribution(check):
    check()


@pytest.mark.parametrize("check", PRIOR_CHECKS)
def test_prior(check):
    check()


def test_members_are_found():
    assert {cls.__name__ for cls in contracts.distributions()} >= {"Bernoulli", "Independent", "Poisson", "StudentT"}
    assert {cls.__name__ for cls in contracts.priors()} >= {"Beta", "Dirichlet", "Gamma", "NormalInverseWishart"}
