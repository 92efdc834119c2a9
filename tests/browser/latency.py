"""How long a page takes to answer a slider, measured inside the page."""

MOVE = """
async ([input, value, watched]) => {
  const settled = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  await settled();
  const before = watched.innerHTML;
  const start = performance.now();
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  if (watched.innerHTML === before) {
    await new Promise((done, fail) => {
      const observer = new MutationObserver(() => { observer.disconnect(); done(); });
      observer.observe(watched, { subtree: true, childList: true, attributes: true, characterData: true });
      setTimeout(() => fail(new Error("nothing changed within 5 s")), 5000);
    });
  }
  watched.getBoundingClientRect();  // the layout counts too
  return performance.now() - start;
}
"""


def latency(page, selector, moves, *, watch=".course-view table"):
    """Milliseconds from a slider's input event to the changed, laid-out picture, one for each value in ``moves``.

    page      a playwright page (or frame) on which the widget is drawn.
    selector  finds the ``<input type="range">``; moves are the values it gets, one after another.
    watch     finds what has to change: in one step without a kernel, or later, through one.
    """
    slider = page.locator(selector).first.element_handle()
    watched = page.locator(watch).first.element_handle()
    return [page.evaluate(MOVE, [slider, str(value), watched]) for value in moves]


def p95(times):
    """The time that 95 of 100 moves do not exceed."""
    return sorted(times)[max(0, -(-len(times) * 95 // 100) - 1)]
