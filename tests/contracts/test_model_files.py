"""Everything that is saved by itself can be loaded, and no array in its file does harm."""

import re

import pytest

from suffice import contracts

CHECKS = [pytest.param(check, id=re.sub(r"\\s+", " ", name)) for name, check in contracts.saved_members()]


@pytest.mark.parametrize("check", CHECKS)
def test_member(check):
    check()


def test_members_are_found():
    names = {name.partition("-")[0] for name, _ in contracts.saved_members()}
    assert names >= {"Moments", "Gaussian", "Dirichlet", "Gower", "kd_tree", "lsh"}
