// OrderMap: drag a word, and see whether the map only moves along.

const MOVED = 1e-6; // a weight that differs by more has changed
const FIRST = "This is the first order. Move a word, and see what its row does.";

export default view((state, root) => {
  const words = state.get("words"), n = words.length, all = words.map((_, i) => i);
  const table = weightTable("Attention weights", n, n, (place) => state.set("focus", state.get("order")[place]));
  const sentence = make("p", { class: "sentence verdict", "aria-live": "polite" });
  const focus = make("p", { class: "sentence" });
  const past = causalMask(n, n);

  function weightsOf(order) {
    let [query, key] = ["query", "key_vectors"].map((name) => order.map((word) => state.get(name)[word]));
    if (state.get("positions")) [query, key] = [query.map(turned), key.map(turned)];
    const scale = 1 / Math.sqrt(query[0].length);
    const scores = multiply(query, transpose(key)).map((row) => row.map((x) => x * scale));
    return softmaxRows(scores, state.get("causal") ? past : null, state.get("sharpness"));
  }

  function update() {
    const order = state.get("order"), weights = weightsOf(order), first = weightsOf(all);
    const gaps = weights.map((row, i) => Math.max(...row.map((x, j) => Math.abs(x - first[order[i]][order[j]]))));
    const here = order.map((word) => words[word]);
    table.paint({
      queries: here.map((word, i) => (gaps[i] > MOVED ? `${word} ≠` : word)), keys: here, weights,
      allowed: state.get("causal") ? past : null, focus: order.indexOf(state.get("focus")),
    });
    setText(sentence, verdict(words, order, gaps));
    setText(focus, focusSentence({ queries: here, keys: here, weights, focus: order.indexOf(state.get("focus")) }));
  }

  root.append(make("div", { class: "order" },
    make("p", { class: "how" }, "Drag a word, or choose one and move it with the arrow keys ← and →."),
    make("div", { class: "controls" }, wordRow(state, words), backButton(state, all)),
    make("div", { class: "controls" }, checkbox(state, "causal", "Causal Mask"),
      checkbox(state, "positions", "Positions (rotary)"),
      slider(state, "sharpness", "Sharpness", { min: 0, max: 5, step: 0.1 })),
    table.node, sentence, focus));
  state.on(["order", "causal", "positions", "sharpness", "focus"], update);
});

// A query or key turned by its place: pair i is columns i and i + d/2.
function turned(vector, place) {
  const half = vector.length / 2, result = [...vector];
  for (let i = 0; i < half; i += 1) {
    const angle = place * 10000 ** (-i / half), [c, s] = [Math.cos(angle), Math.sin(angle)];
    result[i] = vector[i] * c - vector[i + half] * s;
    result[i + half] = vector[i] * s + vector[i + half] * c;
  }
  return result;
}

// The same words as `sentence` in order.py.
function verdict(words, order, gaps) {
  if (order.every((word, i) => word === i)) return FIRST;
  const rows = order.filter((_, i) => gaps[i] > MOVED);
  if (!rows.length) return "Every row has moved with its word, and none has changed: A' = P A Pᵀ.";
  const gap = Math.max(...gaps), size = gap < 0.005 ? "less than 0.01" : `by up to ${fixed(gap)}`;
  return `Changed, and not only moved (${size}): ${rows.length} of ${order.length} rows, ${
    rows.map((word) => named(words, word)).join(", ")}.`;
}

// ---------------------------------------------------------------- the words

function moved(order, from, to) {
  const rest = order.filter((_, i) => i !== from);
  return [...rest.slice(0, to), order[from], ...rest.slice(to)];
}

// One button for each place; the words move through them, so that the one that is dragged stays captured.
function wordRow(state, words) {
  const buttons = words.map(() => make("button", { type: "button", class: "word" }));
  const place = () => state.get("order").indexOf(state.get("focus"));
  let dragging = false;

  function move(to) {
    if (to < 0 || to >= buttons.length || to === place()) return;
    state.set("order", moved(state.get("order"), place(), to));
  }

  buttons.forEach((button, i) => {
    // A click of the pointer comes after the drag, when another word may stand here: then detail is 1.
    button.addEventListener("click", (event) => { if (!event.detail) state.set("focus", state.get("order")[i]); });
    button.addEventListener("focus", () => { if (!dragging) state.set("focus", state.get("order")[i]); });
    button.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: buttons.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      state.set("focus", state.get("order")[i]);
      move(to);
      buttons[place()].focus();
    });
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      button.focus();
      button.setPointerCapture(event.pointerId);
      dragging = true;
    });
    button.addEventListener("pointermove", (event) => {
      if (button.hasPointerCapture(event.pointerId)) move(under(event));
    });
    button.addEventListener("lostpointercapture", () => { buttons[place()].focus(); dragging = false; });
  });

  // The place under the pointer, once it is past the middle of the word there: short words would jump to and fro.
  function under({ clientX, clientY }) {
    const from = place();
    const to = buttons.findIndex((button) => {
      const box = button.getBoundingClientRect();
      return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
    });
    if (to < 0) return from;
    const box = buttons[to].getBoundingClientRect(), middle = (box.left + box.right) / 2;
    return (to > from ? clientX > middle : clientX < middle) ? to : from;
  }

  state.on(["order", "focus"], () => {
    state.get("order").forEach((word, i) => {
      const chosen = word === state.get("focus");
      setText(buttons[i], words[word]);
      buttons[i].setAttribute("aria-label", `${words[word]}, place ${i + 1} of ${words.length}`);
      buttons[i].setAttribute("aria-pressed", chosen);
    });
  });
  return make("div", { class: "words", role: "group", "aria-label": "The words in their order" }, ...buttons);
}

function backButton(state, all) {
  const button = make("button", { type: "button" }, "First Order");
  button.addEventListener("click", () => state.set("order", all));
  return button;
}
