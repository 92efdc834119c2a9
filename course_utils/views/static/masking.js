// MaskEditor: a mask to edit, five ways to apply it, and what each lets through. All is computed here.

const STILL = 1e-9; // an output that differs by less has not moved: renormalising rounds

export default view((state, root) => {
  const words = state.get("words"), n = words.length, query = state.get("query");
  const table = editableTable();
  const way = make("p", { class: "way" }), verdict = make("p", { class: "verdict" });
  const faults = make("p", { class: "faults" }), empty = make("p", { class: "empty" });
  const test = make("p", { class: "leak-test" });

  function mask() {
    const [rule, window, documents] = [state.get("rule"), state.get("window"), state.get("documents")];
    const may = {
      none: () => true,
      causal: (i, j) => j <= i,
      window: (i, j) => j <= i && j > i - window,
      documents: (i, j) => documents[i] === documents[j],
    }[rule];
    const allowed = words.map((_, i) => words.map((_, j) => may(i, j) && j < n - state.get("pads")));
    for (const [i, j] of state.get("flips")) allowed[i][j] = !allowed[i][j];
    return allowed;
  }

  function attend(allowed, key, value) {
    const root = Math.sqrt(key[0].length);
    const scores = multiply(query, transpose(key)).map((row) => row.map((x) => x / root));
    const weights = maskedWeights(scores, allowed, state.get("how"));
    return { weights, output: multiply(weights, value) };
  }

  // The same words as `MaskEditor.leak_test` in masking.py.
  function leakTest(allowed, { weights, output }) {
    const changed = state.get("changed"), who = named(words, changed);
    const put = (rows, row) => rows.map((old, i) => (i === changed ? row : old));
    const other = attend(allowed, put(state.get("key_vectors"), state.get("other_key")),
      put(state.get("value"), state.get("other_value"))).output;
    const blind = words.map((_, i) => i).filter((i) => !allowed[i][changed]);
    const start = `Leak test: ${who} gets another key and value. `;
    if (!blind.length) return { says: `${start}Every row may see it: there is nothing to test.` };
    const shift = output.map((row, i) => Math.max(...row.map((x, k) =>
      (Number.isNaN(x) && Number.isNaN(other[i][k]) ? 0 : Math.abs(x - other[i][k])))));
    const moved = blind.filter((i) => !(shift[i] <= STILL));
    if (!moved.length) {
      const stay = `The ${blind.length} rows that may not see it stay as they are.`;
      return { says: start + (blind.length > 1 ? stay : "The row that may not see it stays as it is.") };
    }
    const far = (x) => (fixed(x, 3) === "0.000" ? "less than 0.001" : fixed(x, 3));
    const names = moved.map((i) => `${named(words, i)} (by ${far(shift[i])})`);
    const unseen = moved.every((i) => weights[i][changed] === 0);
    return { moved, says: `${start}${moved.length} of ${blind.length} rows that may not see it move: ${firstThree(names)}.` +
      (unseen ? " No weight on it is left there, but its score is still in the sum they were divided by." : "") };
  }

  function update() {
    const allowed = mask(), now = attend(allowed, state.get("key_vectors"), state.get("value"));
    const { weights } = now, [explained, ofEmpty] = state.get("ways")[state.get("how")];
    const hidden = allowed.flat().filter((may) => !may).length;
    const clean = weights.every((row, i) => row.every((x, j) => allowed[i][j] || x === 0)); // and none is NaN
    const nothing = words.map((_, i) => i).filter((i) => !allowed[i].some(Boolean)).map((i) => named(words, i));
    const tested = leakTest(allowed, now);
    table.show({ queries: words, keys: words, weights, allowed, focus: state.get("row") });
    setText(way, explained);
    setText(verdict, hidden === 0 ? "The mask hides nothing." : clean ? "No weight where the mask says no." : "");
    setText(faults, faultSentences({ queries: words, keys: words, weights, allowed }));
    setText(empty, nothing.length ? `${firstThree(nothing)} may look at nothing: ${ofEmpty}` : "");
    setText(test, tested.says);
    test.className = tested.moved ? "leak-test moved" : "leak-test";
    const byHand = state.get("flips").length;
    undo.setAttribute("aria-disabled", byHand === 0);
    setText(undo, byHand ? `Undo ${byHand} Turned by Hand` : "None Turned by Hand");
  }

  // ------------------------------------------------------------ the map, whose cells are switches

  function editableTable() {
    const map = weightTable("Weights (a cell turns by click or space bar)", n, n, (i) => state.set("row", i));
    const sums = map.rows.map(({ row }) => row.appendChild(make("td", { class: "total" })));
    const [over, heads] = map.table.tHead.rows;
    over.append(make("td"));
    heads.append(make("th", { scope: "col" }, "row sum"));
    map.table.setAttribute("role", "grid");
    const cells = map.rows.map((row) => row.cells);
    const go = (i, j) => {
      state.set("row", Math.min(Math.max(i, 0), n - 1));
      state.set("column", Math.min(Math.max(j, 0), n - 1));
      cells[state.get("row")][state.get("column")].focus();
    };
    const turn = (i, j) => {
      const others = state.get("flips").filter(([a, b]) => a !== i || b !== j);
      state.set("flips", others.length < state.get("flips").length ? others : [...others, [i, j]]);
    };
    cells.forEach((row, i) => row.forEach((cell, j) => {
      cell.setAttribute("role", "gridcell");
      cell.addEventListener("click", () => { go(i, j); turn(i, j); });
    }));
    map.table.addEventListener("keydown", (event) => {
      const [i, j] = [state.get("row"), state.get("column")];
      const place = {
        ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
        Home: [i, 0], End: [i, n - 1],
      }[event.key];
      if (!place && event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      if (place) go(...place);
      else turn(i, j);
    });

    function show(shown) {
      map.paint(shown);
      const flipped = new Set(state.get("flips").map(String));
      cells.forEach((row, i) => {
        const total = sum(shown.weights[i]);
        setText(sums[i], fixed(total, 3));
        sums[i].classList.toggle("off", !(Math.abs(total - 1) <= ROW_TOLERANCE));
        row.forEach((cell, j) => {
          const chosen = i === state.get("row") && j === state.get("column");
          cell.tabIndex = chosen ? 0 : -1;
          cell.setAttribute("aria-selected", chosen);
          if (cell.hasAttribute("data-flipped") === flipped.has(String([i, j]))) return;
          cell.toggleAttribute("data-flipped");
          cell.setAttribute("aria-description", flipped.has(String([i, j])) ? "turned by hand" : "");
        });
      });
    }
    return { node: map.node, show };
  }

  // ------------------------------------------------------------ controls; another mask starts without cells by hand

  const again = () => state.get("flips").length && state.set("flips", []);
  const rules = choice(state, "rule", "Mask", state.get("rules"));
  const width = slider(state, "window", "Window", { min: 1, max: n, step: 1, digits: 0 });
  const pads = slider(state, "pads", "Pads at the End", { min: 0, max: n - 1, step: 1, digits: 0 });
  const how = choice(state, "how", "A Masked Cell Gets", Object.keys(state.get("ways")));
  width.addEventListener("input", () => state.set("rule", "window"));
  for (const control of [rules, width, pads]) control.addEventListener("input", again);
  const undo = make("button", { type: "button" }, "Undo");
  undo.addEventListener("click", again);

  root.append(make("div", { class: "masking" },
    make("div", { class: "controls" }, rules, width, pads), make("div", { class: "controls" }, how),
    make("div", { class: "pair" }, make("div", {}, table.node,
      make("p", { class: "key" }, make("span", { class: "swatch masked" }, "·"), "masked ",
        make("span", { class: "swatch leak" }, "!"), "leak: weight where the mask says no ",
        make("span", { class: "swatch flipped" }, "◦"), "turned by hand")),
      make("div", { class: "says", "aria-live": "polite" }, way, verdict, faults, empty, test)),
    make("div", { class: "controls last" }, rowSelect(state, "changed", "Leak Test Changes", () => words), undo)));
  state.on(["rule", "window", "pads", "flips", "how", "changed", "row", "column"], update);
});

// The five ways to apply a mask. The same as `masked_weights` in masking.py.
function maskedWeights(scores, allowed, how) {
  if (how.startsWith("zero after")) {
    const kept = softmaxRows(scores, null).map((row, i) => row.map((x, j) => (allowed[i][j] ? x : 0)));
    return how === "zero after the softmax" ? kept : kept.map((row) => row.map((x) => x / sum(row)));
  }
  if (how.startsWith("-inf")) return softmaxRows(scores, allowed);
  const fill = how === "score 0" ? 0 : -10;
  return softmaxRows(scores.map((row, i) => row.map((x, j) => (allowed[i][j] ? x : fill))), null);
}
