"""Every distance of Suffice keeps the laws of distances."""

import pytest

from suffice import contracts

MEMBERS = [pytest.param(member, id=repr(member)) for cls in contracts.distances() for member in cls.examples()]


@pytest.mark.parametrize("distance", MEMBERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_distance(distance, seed):
    contracts.check_distance(distance, seed)


def test_members_are_found():
    assert {cls.__name__ for cls in contracts.distances()} >= {"Euclidean", "Gower", "KullbackLeibler", "Minkowski"}
