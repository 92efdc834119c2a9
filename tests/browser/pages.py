"""What tests do with pages: watch them, run notebooks in them, and ask how readable they are."""

import re
import time
from urllib.parse import urlsplit

import nbformat
import numpy as np

HALF = 0.005 + 1e-9  # half a unit of the last of two digits

LOOPBACK = "127.0.0.1"


def watched_page(browser, **options):
    """A page that notes what it asks for outside (``page.asked``) and every error (``page.errors``)."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.asked, page.errors = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))

    def answer(route):
        address = urlsplit(route.request.url)
        if address.scheme in ("http", "https") and address.hostname != LOOPBACK:
            page.asked.append(route.request.url)
            return route.abort()
        return route.continue_()

    context.route("**/*", answer)
    return page


class Lab:
    """JupyterLab in a browser: notebooks made on the fly, opened and run."""

    def __init__(self, browser, address, folder):
        self.browser, self.address, self.folder, self.count = browser, address, folder, 0

    def open(self, *cells, dark=False, height=1000, untrusted=None):
        """A notebook of those code cells, opened and idle; nothing has run yet."""
        self.count += 1
        name = f"notebook-{self.count}.ipynb"
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
        if untrusted:  # HTML stored by someone else, which JupyterLab cleans
            data = {"text/html": untrusted, "text/plain": "twin"}
            notebook.cells[-1].outputs = [nbformat.v4.new_output("display_data", data)]
        nbformat.write(notebook, self.folder / name)
        page = watched_page(self.browser, viewport={"width": 1200, "height": height})
        page.goto(f"{self.address}/lab/tree/{name}?reset")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
        page.get_by_text(re.compile(r"\| Idle")).first.wait_for(timeout=60_000)
        self.theme(page, dark)
        return page

    @staticmethod
    def run_all(page):
        page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Run$")).click()
        page.locator('[data-command="runmenu:run-all"]').click()

    @staticmethod
    def theme(page, dark):
        """Choose the light or dark theme in the menu Settings, if it is not there already."""
        wanted = f'body[data-jp-theme-light="{"false" if dark else "true"}"]'
        if page.locator(wanted).count():
            return
        page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Settings$")).click()
        page.locator(".lm-Menu-item", has_text=re.compile("^Theme$")).hover()
        theme = "JupyterLab Dark" if dark else "JupyterLab Light"
        page.locator(".lm-Menu-item", has_text=re.compile(f"^{theme}$")).click()
        page.wait_for_selector(wanted, state="attached")


CONTRASTS = """
(selector) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const paint = (colour, under) => {
    canvas.globalCompositeOperation = "copy"; canvas.fillStyle = under; canvas.fillRect(0, 0, 1, 1);
    canvas.globalCompositeOperation = "source-over"; canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
    return `rgb(${r}, ${g}, ${b})`;
  };
  const background = (node) => node === null ? "white"
    : paint(getComputedStyle(node).backgroundColor, background(node.parentElement));
  const light = (colour) => {
    const [r, g, b] = colour.match(/\\d+/g).map((u) => u / 255)
      .map((u) => u <= 0.04045 ? u / 12.92 : ((u + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll(selector)].filter((node) => node.textContent.trim()).map((node) => {
    const behind = background(node), ink = paint(getComputedStyle(node).color, behind);
    const [low, high] = [light(behind), light(ink)].sort((a, b) => a - b);
    return { text: node.textContent, behind, ink, contrast: (high + 0.05) / (low + 0.05) };
  });
}
"""


def contrasts(page, selector):
    """The contrast of every text that ``selector`` finds: a list of {text, behind, ink, contrast}."""
    return page.evaluate(CONTRASTS, selector)


def eventually(question, seconds=10):
    """Wait until ``question()`` is true, and say whether it became so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if question():
            return True
        time.sleep(0.05)
    return bool(question())


def set_trait(page, name, value, model=0):
    page.evaluate("([i, name, value]) => window.models[i].set(name, value)", [model, name, value])


def set_traits(page, **values):
    for name, value in values.items():
        set_trait(page, name, value)


def trait(page, name, model=0):
    return page.evaluate("([i, name]) => window.models[i].get(name)", [model, name])


def numbers(page):
    """The numbers of the first map on the page; a masked cell counts as 0, "0.18! leak" as 0.18."""
    texts = page.evaluate(
        "() => [...document.querySelector('.weights').tBodies[0].rows]"
        ".map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent))"
    )
    return np.array([[0.0 if "masked" in text else float(text.split("!")[0]) for text in row] for row in texts])
