"""Every distance of Suffice keeps the laws of distances."""

import re

import pytest

from suffice import contracts

MEMBERS = [
    pytest.param(member, id=re.sub(r" at 0x[0-9a-f]+", "", repr(member)))  # the same in every process
    for cls in contracts.distances()
    for member in cls.examples()
]


@pytest.mark.parametrize("distance", MEMBERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_distance(distance, seed):
    contracts.check_distance(distance, seed)


def test_members_are_found():
    assert {cls.__name__ for cls in contracts.distances()} >= {"Euclidean", "Gower", "KullbackLeibler", "Minkowski"}
