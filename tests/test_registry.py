"""Lasting names: one for each class that a file may hold, and what each of them holds is declared."""

from dataclasses import dataclass

import pytest

from suffice import registry
from suffice.distances import Distance
from suffice.holds.checking import undeclared
from suffice.persist.names import import_members
from suffice.persist.version_one import NAMES
from suffice.statistics import Moments, Statistic

import_members()


def test_kinds_of_names():
    names = set(registry.all_registered())
    assert names >= {
        "KMeans", "statistic/Moments", "distribution/Gaussian", "prior/Beta", "distance/Gower", "metric/cosine",
        "index/KDTree", "initialisation/KMeansPlusPlus", "tree/Hierarchy", "schema/Schema", "history/History",
        "tie_rule/NearestDecides",
    }  # fmt: skip
    assert not names & {"Report", "Trace", "index/Scanned", "distance/Function", "statistic/NumberSummary"}
    assert not any(name.rpartition("/")[2][0] == "_" or ":" in name for name in names)


@pytest.mark.parametrize("cls", registry.all_registered().values(), ids=registry.all_registered())
def test_everything_that_is_held_is_declared(cls):
    assert undeclared(cls) == []


def test_every_class_of_version_one_has_a_name():
    assert set(NAMES.values()) <= set(registry.all_registered())


def test_a_name_is_given_once():
    class Other:
        __module__ = "suffice.other"

    with pytest.raises(TypeError, match=r"suffice\.statistics\.moments:Moments and suffice\.other:.*Other are both"):
        registry.register(Other, "statistic/Moments")
    assert registry.class_of("statistic/Moments") is Moments


def test_a_module_may_be_loaded_again():
    again = type("Moments", (), {"__module__": Moments.__module__, "__qualname__": Moments.__qualname__})
    try:
        assert registry.register(again, "statistic/Moments") is again
    finally:
        registry.register(Moments, "statistic/Moments")


def test_classes_of_users_have_no_name():
    for _ in range(2):  # as in a notebook, where a cell runs twice

        @dataclass(frozen=True)
        class Moments(Statistic):
            weight: float

        @dataclass(frozen=True)
        class Gower(Distance):
            pass

    assert registry.name_of(Moments) is None
    assert registry.name_of(Gower) is None
