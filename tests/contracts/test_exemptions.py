"""An exemption that is not needed is an error."""

from typing import ClassVar

import pytest

import suffice as sf
from suffice import contracts
from suffice.estimator import ByChance, estimator


def checks_of(exempt):
    @estimator
    class Exempt(sf.GaussianNB):
        exemptions: ClassVar = exempt

    return dict(contracts.estimator_checks(Exempt))


def test_from_a_check_that_passes():
    check = checks_of({"single_precision": "it was wrong once"})["exemption_from_single_precision"]
    with pytest.raises(AssertionError, match=r"Exempt is exempt from single_precision but passes it; remove"):
        check()


def test_from_a_check_that_is_not_there():
    check = checks_of({"chek_fit": "a slip of the pen"})["exemption_from_chek_fit"]
    with pytest.raises(AssertionError, match=r"Exempt is exempt from chek_fit, which is no check of it; remove"):
        check()


def test_from_a_check_that_fails():
    checks = dict(contracts.estimator_checks(sf.PoissonNB))
    assert "check_classifiers_one_label_sample_weights" not in checks
    checks["exemption_from_check_classifiers_one_label_sample_weights"]()


def test_from_a_check_that_chance_decides():
    assert not [name for name in checks_of({"history": ByChance("the rows are drawn")}) if "history" in name]
