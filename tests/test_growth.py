"""How time and memory grow: what is measured, the exponents and the pictures."""

import pytest
from benchmarks.families import contests, position
from benchmarks.growth import Point, _measure
from benchmarks.growth_pictures import draw, exponent, exponents

GROWING = [contest for members in contests().values() for contest in members if contest.axes]
SMALL = {"rows": 200, "columns": 3, "groups": 3}


def power(order, sizes=(10, 100, 1000, 10_000, 100_000)):
    return [Point(size, 1e-6 * size**order, 5.0) for size in sizes]


@pytest.mark.parametrize("contest", GROWING, ids=lambda contest: contest.name)
def test_a_point_is_measured(contest):
    sent = []
    _measure(sent.append, *position(contest), SMALL, 200)
    assert len(sent) == 1
    assert sent[0].seconds > 0


def test_the_exponent_is_that_of_the_last_points():
    assert exponent(power(2), "seconds") == pytest.approx(2)
    constant_first = [Point(p.size, 1e-3 + p.seconds, 0.0) for p in power(1, (1, 10, 10**6, 10**7, 10**8, 10**9))]
    assert exponent(constant_first, "seconds") == pytest.approx(1, abs=1e-3)
    assert (
        exponents({"family": {"Model": {"rows": constant_first}}}).splitlines()[-1]
        == "| Model | 1.0 | – | – | – | – | – |"
    )


def test_a_picture_is_drawn(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    draw(tmp_path / "family.svg", {"One": {"rows": power(1), "columns": power(2)}, "Two": {"rows": power(1.5)}})
    text = (tmp_path / "family.svg").read_text(encoding="utf-8")
    for shown in ("One", "Two", "rows", "columns", "processor time of a fit", ">1.5<", ">2.0<"):
        assert shown in text
    assert "groups" not in text
