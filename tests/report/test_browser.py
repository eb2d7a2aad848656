"""The pages in a real browser: they open without a sound, and the players show what was recorded.

Needs Playwright and a Chromium: its own (`playwright install chromium`), or one that is installed.
"""

import re
import shutil

import numpy as np
import pandas as pd
import pytest

import suffice as sf

playwright = pytest.importorskip("playwright.sync_api", reason="no browser tests: pip install playwright")
NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    installed = next(filter(None, map(shutil.which, NAMES)), None)
    with playwright.sync_playwright() as started:
        try:
            made = started.chromium.launch(executable_path=installed, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"no browser tests: playwright install chromium ({str(error).splitlines()[0]})")
        yield made
        made.close()


@pytest.fixture(scope="module")
def crabs(tmp_path_factory):
    made = sf.report("crabs", target="sp", seconds=3)
    return made, made.save(tmp_path_factory.mktemp("page") / "crabs.html")


@pytest.fixture
def opened(browser):
    """A function that opens a page and fails the test for any error, message or request of it."""
    pages, heard = [], []

    def open_page(path, **settings):
        page = browser.new_page(**{"viewport": {"width": 1200, "height": 900}, **settings})
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url) if not request.url.startswith("file:") else None)
        page.on("dialog", lambda dialog: heard.append(dialog.message))
        page.goto(path.as_uri())
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert heard == []


def film(page, name):
    return page.locator(f"figure.player[aria-label^='Player of {name}']")


def shown(figure):
    """The objective that a player shows; None where it shows none, as at the start of a fit."""
    value = figure.locator("[data-role=said] data")
    return float(value.get_attribute("value")) if value.count() else None


def cut(figure):
    """Where a tree is cut, and the labels that follow."""
    return figure.evaluate("f => [f.player.stage.cut, f.player.stage.labels]")


@pytest.mark.parametrize("settings", [{}, {"viewport": {"width": 360, "height": 700}}, {"color_scheme": "dark"}])
def test_a_report_opens_in_silence_and_fits_the_screen(opened, crabs, settings):
    page = opened(crabs[1], **settings)
    assert page.locator("h2").count() == 5
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]
    assert page.locator("figure.player").count() == 3
    assert page.locator("figure.player .screen svg").count() >= 7


def test_dark_is_dark_and_paper_is_white(opened, crabs):
    page = opened(crabs[1], color_scheme="dark")
    shade = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(shade) == "rgb(20, 23, 26)"
    page.emulate_media(media="print")
    assert page.evaluate(shade) == "rgb(255, 255, 255)"
    assert page.locator("nav").is_hidden()


def test_the_player_by_keyboard_shows_the_history(opened, crabs):
    """The start, both halves of each iteration, and the end, with the objectives of the history."""
    page, made = opened(crabs[1]), crabs[0]
    for name, key in (("KMeans", "kmeans"), ("GaussianMixture", "mixture")):
        figure, history = film(page, name), made.results[key].history_
        figure.focus()
        assert shown(figure) == history.objective[-1]
        page.keyboard.press("Home")
        assert shown(figure) is None
        assert figure.locator("[data-role=said]").inner_text() == "the start"
        for half in history.half_steps[0]:
            page.keyboard.press("ArrowRight")
            assert shown(figure) == half
        page.keyboard.press("ArrowLeft")
        assert shown(figure) == history.half_steps[0, 0]
        page.keyboard.press("ArrowLeft")
        assert figure.locator("[data-role=back]").is_disabled()
        page.keyboard.press("End")
        assert shown(figure) == history.objective[-1]
        assert figure.locator("[data-role=forward]").is_disabled()


def test_space_plays_and_pauses(opened, crabs):
    page = opened(crabs[1], reduced_motion="reduce")
    figure = film(page, "KMeans")
    figure.focus()
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    assert figure.locator("[data-role=toggle]").inner_text() == "Pause"
    page.wait_for_function("f => f.player.position > 1", arg=figure.element_handle())
    page.keyboard.press(" ")
    assert figure.locator("[data-role=toggle]").inner_text() == "Play"
    assert figure.evaluate("f => f.player.playing") is False


def test_scrubbing_and_buttons(opened, crabs):
    page, made = opened(crabs[1]), crabs[0]
    figure, halves = film(page, "GaussianMixture"), made.results["mixture"].history_.half_steps
    figure.locator("[data-role=scrub]").fill("3")  # after the start and the two halves of the first iteration
    assert shown(figure) == halves[1, 0]
    assert "iteration 2 of" in figure.locator("[data-role=said]").inner_text()
    figure.locator("[data-role=forward]").click()
    assert shown(figure) == halves[1, 1]
    figure.locator("[data-role=back]").click()
    figure.locator("[data-role=back]").click()
    assert "iteration 1 of" in figure.locator("[data-role=said]").inner_text()


def test_centres_are_drawn_where_they_were(opened, crabs):
    page, made = opened(crabs[1], reduced_motion="reduce"), crabs[0]
    figure = film(page, "KMeans")
    drawn = figure.evaluate("f => [...f.querySelectorAll('circle.centre')].map(c => Number(c.getAttribute('cx')))")
    at = figure.evaluate("f => f.player.stage.frame(f.player.position).centres.map(c => c[0])")
    assert np.corrcoef(drawn, at)[0, 1] == pytest.approx(1.0)
    letters = figure.evaluate("f => f.player.stage.frame(f.player.position).labels")
    assert letters == "".join(map(str, made.results["kmeans"].labels_))


def test_the_cut_of_the_tree_gives_its_labels(opened, crabs):
    page, tree = opened(crabs[1]), crabs[0].results["tree"]
    figure = film(page, "AgglomerativeClustering")
    height, labels = cut(figure)
    assert labels == tree.labels_.tolist()
    figure.scroll_into_view_if_needed()
    box = figure.locator("path.grip").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0], middle[1] + 60, steps=4)
    page.mouse.up()
    lower, labels = cut(figure)
    assert lower < height
    assert labels == tree.cut(height=lower).tolist()
    slider = figure.locator(".cutter input")
    slider.focus()
    page.keyboard.press("ArrowRight")
    higher, labels = cut(figure)
    assert higher != lower
    assert labels == tree.cut(height=higher).tolist()
    assert f"{len(set(labels))} cluster" in figure.locator(".cutter span").inner_text()


def test_the_tree_grows(opened, crabs):
    page, tree = opened(crabs[1]), crabs[0].results["tree"]
    figure = film(page, "AgglomerativeClustering")
    figure.focus()
    page.keyboard.press("Home")
    drawn = "f => f.querySelectorAll('.screen > svg path.line[visibility=visible]').length"
    assert figure.evaluate(drawn) == 0
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert figure.evaluate(drawn) == 3
    assert figure.evaluate("f => f.player.objective") == tree.distances_[2]


def test_inversions_are_cut_as_the_library_does(opened, tmp_path, rng):
    X = rng.normal(size=(40, 2))
    with sf.recording() as trace:
        model = sf.AgglomerativeClustering(2, linkage="centroid").fit(X)
    assert len(model.tree_.inversions)
    figure = film(opened(sf.player(trace, X).save(tmp_path / "tree.html")), "AgglomerativeClustering")
    for height in np.quantile(model.distances_, [0.2, 0.5, 0.8, 0.95]):
        found = figure.evaluate("(f, h) => { f.player.stage.cutAt(h); return f.player.stage.labels; }", float(height))
        assert found == model.cut(height=float(height)).tolist()


def test_hostile_names_do_nothing(opened, tmp_path, rng):
    frame = pd.DataFrame(
        {"<script>alert(1)</script>": rng.normal(size=60), "</script><img src=x onerror=alert(2)>": rng.normal(size=60)}
    )
    frame["t"] = rng.choice(["<img src=x onerror=alert(3)>", "b"], 60)
    page = opened(sf.report(frame, "t", seconds=2).save(tmp_path / "hostile.html"))
    assert page.locator("img").count() == 0
    assert page.locator("h4").first.inner_text() == "t"


def test_code_can_be_copied(opened, crabs):
    page = opened(crabs[1])
    button = page.locator("[data-copy=all-code]")
    assert button.is_visible()
    button.click()
    playwright.expect(button).to_have_text(re.compile(r"^(Copied|Selected: press Ctrl\+C)$"))  # once it is done


def test_a_notebook_shows_it_in_a_frame(opened, tmp_path):
    X = sf.datasets.load("faithful").matrix()
    with sf.recording() as trace:
        sf.KMeans(2, random_state=0).fit(X)
    notebook = tmp_path / "cell.html"
    notebook.write_text(f"<!DOCTYPE html><title>cell</title>{sf.player(trace, X)._repr_html_()}", encoding="utf-8")
    inside = opened(notebook).frame_locator("iframe")
    assert inside.locator("circle.centre").count() == 2
