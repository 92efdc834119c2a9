"""Chromium, a plain page for a widget, and one JupyterLab for all; skipped where there is no Chromium."""

import os
import shutil

import pytest

from tests.browser.page import page as html_page
from tests.browser.pages import Lab, watched_page
from tests.browser.server import CHROMIUM_ARGUMENTS, jupyterlab


def _missing(reason):
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@pytest.fixture(scope="session")
def chromium():
    """A browser, for all tests together; where it is missing they are skipped, but in CI they fail."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        _missing("Chromium is not installed: the widgets are not tested in a browser (apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright is not installed: the widgets are not tested in a browser (pip install playwright)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def plain_page(chromium):
    """``plain_page(widget, ..., color_scheme="dark")``: the widgets on a page without Jupyter, drawn.

    The page must end without an error and without having asked for anything outside.
    """
    pages = []

    def open_page(*widgets, **options):
        page = watched_page(chromium, **options)
        pages.append(page)
        page.set_content(html_page(*widgets))
        page.wait_for_selector("body[data-drawn]", timeout=10_000)
        return page

    yield open_page
    for page in pages:
        page.context.close()
        assert page.errors == []
        assert page.asked == []


@pytest.fixture(scope="session")
def lab(chromium, tmp_path_factory):
    """One JupyterLab for all tests."""
    folder = tmp_path_factory.mktemp("lab")
    with jupyterlab(folder) as address:
        yield Lab(chromium, address, folder / "notebooks")
