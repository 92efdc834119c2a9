// CutTool: trained models of two layers; edges of layer 1 are cut here, and the accuracy is computed here, too.

export default view((state, root) => {
  const { it, nouns, adjective } = state.get("places");
  const places = Object.fromEntries(state.get("words").map((word, i) => [word, i]));
  const n = state.get("sentences")[0].length;
  const models = state.get("models").map(prepared);
  const whole = models.map((model) => accuracy(model, Array.from({ length: n }, () => Array(n).fill(true))));
  const sentence = () => state.get("sentences")[state.get("chosen")];
  const isCut = (i, j) => state.get("cuts").some(([a, b]) => a === i && b === j);

  const first = weightTable("Layer 1: cut a cell, or a word's view of the adjective", n, n, () => {});
  const second = weightTable("Layer 2", n, n, () => {});
  const says = Array.from({ length: 3 }, () => make("p", {}));
  const reset = make("button", { type: "button" }, "Reset");

  function update() {
    const allowed = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => !isCut(i, j)));
    const words = sentence(), model = models[state.get("model") - 1], cuts = state.get("cuts");
    const [one, two] = bothMaps(model, words.map((word) => places[word]), allowed);
    first.paint({ queries: words, keys: words, weights: one, allowed, focus: it });
    second.paint({ queries: words, keys: words, weights: two, allowed: null, focus: it });
    first.rows.forEach(({ name }, i) => name.setAttribute("aria-description",
      isCut(i, adjective) ? "does not see the adjective" : "sees the adjective"));
    const edges = cuts.map(([i, j]) => `${named(words, i)} to ${named(words, j)}`);
    setText(says[0], `Cut in layer 1: ${firstThree(edges) || "nothing"}.`);
    setText(says[1], `In layer 2, ${focusSentence({ queries: words, keys: words, weights: two, focus: it })}`);
    setText(says[2], `Accuracy on ${state.get("tested").length} sentences held out: ${fixed(accuracy(model, allowed), 3)}, ` +
      `uncut ${fixed(whole[state.get("model") - 1], 3)}.`);
    setText(reset, cuts.length ? `Undo ${cuts.length} Cut${cuts.length > 1 ? "s" : ""}` : "Nothing Is Cut");
    reset.setAttribute("aria-disabled", cuts.length === 0);
  }

  // ------------------------------------------------------------ cells and row labels are switches; -1 is the label

  const cellAt = (i, j) => (j < 0 ? first.rows[i].name : first.rows[i].cells[j]);
  let at = [it, -1];
  function go(i, j) {
    cellAt(...at).tabIndex = -1;
    at = [Math.min(Math.max(i, 0), n - 1), Math.min(Math.max(j, -1), n - 1)];
    cellAt(...at).tabIndex = 0;
    cellAt(...at).focus();
  }
  function turn(i, j) {
    const edge = [i, j < 0 ? adjective : j];
    const others = state.get("cuts").filter(([a, b]) => a !== edge[0] || b !== edge[1]);
    state.set("cuts", others.length < state.get("cuts").length ? others : [...others, edge]);
  }
  first.table.setAttribute("role", "grid");
  first.rows.forEach(({ name, cells }, i) => [name, ...cells].forEach((cell, place) => {
    const j = place - 1;
    if (j >= 0) cell.setAttribute("role", "gridcell");
    cell.tabIndex = i === it && j === -1 ? 0 : -1;
    cell.addEventListener("click", () => { go(i, j); turn(i, j); });
  }));
  first.table.addEventListener("keydown", (event) => {
    const [i, j] = at;
    const place = {
      ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
      Home: [i, -1], End: [i, n - 1],
    }[event.key];
    if (!place && event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (place) go(...place);
    else turn(i, j);
  });
  reset.addEventListener("click", () => state.get("cuts").length && state.set("cuts", []));

  // ------------------------------------------------------------ the model

  function prepared({ embedding, W_Q, W_K, W_V }) {
    const root = Math.sqrt(W_Q[0][0].length);
    const scaled = W_Q.map((W) => W.map((row) => row.map((x) => x / root)));
    const scores = multiply(multiply(embedding, scaled[0]), transpose(multiply(embedding, W_K[0])));
    return { embedding, scores, values: multiply(embedding, W_V[0]), ask: multiply(scaled[1], transpose(W_K[1])) };
  }

  // The weights of some rows in layer 1, and what each row holds after it.
  function layerOne({ embedding, scores, values }, words, allowed, rows) {
    const weights = softmaxRows(rows.map((i) => words.map((word) => scores[words[i]][word])), rows.map((i) => allowed[i]));
    const x = rows.map((i, r) => embedding[words[i]].map((feature, k) =>
      words.reduce((total, word, j) => total + weights[r][j] * values[word][k], feature)));
    return { weights, x };
  }

  function bothMaps(model, words, allowed) {
    const { weights, x } = layerOne(model, words, allowed, words.map((_, i) => i));
    return [weights, softmaxRows(multiply(multiply(x, model.ask), transpose(x)), null)];
  }

  // Only three rows of layer 1 matter to the question which noun gets the higher score from "it" in layer 2.
  function accuracy(model, allowed) {
    const right = state.get("tested").map((words, i) => {
      const { x: [asks, one, other] } = layerOne(model, words, allowed, [it, ...nouns]);
      const query = multiply([asks], model.ask)[0];
      const gap = query.reduce((total, q, k) => total + q * (one[k] - other[k]), 0);
      return (Math.sign(gap) * (state.get("referents")[i] === nouns[0] ? 1 : -1) + 1) / 2;
    });
    return sum(right) / right.length;
  }

  root.append(make("div", { class: "cut-tool" },
    make("div", { class: "controls" },
      slider(state, "model", "Model", { min: 1, max: models.length, step: 1, digits: 0 }),
      rowSelect(state, "chosen", "Sentence", () => state.get("sentences").map((words) => words.join(" "))), reset),
    make("div", { class: "pair" }, first.node, second.node),
    make("div", { class: "says", "aria-live": "polite" }, ...says)));
  state.on(["model", "chosen", "cuts"], update);
});
