// Stepper: from X to the output in eight steps, one cell at a time. Every array is computed here.

// What each step makes and from what, and the word for one cell. The same steps as in example.py.
const STEPS = [
  { result: "query", left: "x", right: "W_Q", noun: "query" },
  { result: "key", left: "x", right: "W_K", noun: "key" },
  { result: "value", left: "x", right: "W_V", noun: "value" },
  { result: "scores", left: "query", right: "key", noun: "score" },
  { result: "scaled", left: "scores", noun: "scaled" },
  { result: "exponentials", left: "scaled", noun: "exponential" },
  { result: "weights", left: "exponentials", noun: "weight" },
  { result: "output", left: "weights", right: "value", noun: "output" },
];

export default view((state, root) => {
  const words = state.get("words"), features = state.get("features");
  const channels = state.get("channels"), valueChannels = state.get("value_channels");
  const tables = { // caption, rows, columns
    x: ["X", words, features],
    W_Q: ["W_Q", features, channels], W_K: ["W_K", features, channels], W_V: ["W_V", features, valueChannels],
    query: ["Query", words, channels], key: ["Key", words, channels], value: ["Value", words, valueChannels],
    scores: ["Scores", words, words], scaled: ["Scaled", words, words],
    exponentials: ["Exponentials", words, words], weights: ["Weights", words, words],
    output: ["Output", words, valueChannels],
  };
  const across = () => tables[STEPS[state.get("step") - 1].result][2];
  const stage = make("div", { class: "stage" });
  const room = `--rows: ${Math.max(words.length, features.length)}`; // so that no step moves what is below
  const title = make("p", { class: "title" }), says = make("p", { class: "says" });
  const product = make("p", { class: "product" }), note = make("p", { class: "rounded" });
  let computed, texts, drawn = {}, shown = {}; // drawn: the step and the mask on the stage; shown: its tables

  function compute() {
    const matrices = Object.fromEntries(["x", "W_Q", "W_K", "W_V"].map((name) => [name, state.get(name)]));
    computed = allArrays(matrices, state.get("causal"));
    texts = Object.fromEntries(Object.entries(computed).filter(([name]) => name !== "allowed")
      .map(([name, array]) => [name, written(array, ["exponentials", "sums", "weights"].includes(name))]));
    for (const name of ["exponentials", "weights"]) {
      texts[name] = texts[name].map((row, i) => row.map((text, j) => (hidden(i, j) ? "0" : text)));
    }
  }
  const hidden = (i, j) => computed.allowed !== null && !computed.allowed[i][j];

  function update() {
    const step = state.get("step"), causal = state.get("causal");
    const focused = stage.contains(document.activeElement);
    if (drawn.causal !== causal) compute();
    if (drawn.causal !== causal || drawn.step !== step) {
      drawn = { step, causal };
      draw(STEPS[step - 1]);
      title.replaceChildren(make("b", {}, `Step ${step} of 8: `), state.get("titles")[step - 1]);
      says.textContent = state.get("says")[step - 1];
      back.setAttribute("aria-disabled", step === 1);
      next.setAttribute("aria-disabled", step === 8);
    }
    choose(STEPS[step - 1], state.get("row"), Math.min(state.get("column"), across().length - 1));
    if (focused && !stage.contains(document.activeElement)) chosenCell().focus(); // its table was drawn anew
  }

  // ------------------------------------------------------------ the tables of one step

  function draw({ result, left, right }) {
    const names = [left, ...(right ? [right] : []), result];
    const place = (name) => (name === result ? "result" : name === right ? "right" : "left");
    shown = Object.fromEntries(names.map((name) => [name, drawTable(name, place(name))]));
    const signs = right ? ["·", "="] : ["→"];
    stage.replaceChildren(...names.map((name, k) => make("div", { class: "signed-table" },
      ...(k ? [make("span", { class: "sign", "aria-hidden": "true" }, signs[k - 1])] : []), shown[name].node)));
    const rounded = [...names, ...(result === "weights" ? ["sums"] : [])].some((name) => !exact(computed[name]));
    note.textContent = rounded ? state.get("rounded") : "";
  }

  function drawTable(name, place) {
    const [title, rowNames, columnNames] = tables[name], isResult = place === "result";
    const crossed = name === "key" && place === "right"; // Q Kᵀ: its rows are met, as columns of Kᵀ
    const caption = title + (isResult ? " (choose a cell)" : crossed ? " (each row is a column of Kᵀ)" : "");
    const masks = name === "exponentials" || name === "weights", sums = name === "exponentials" && !isResult;
    const square = columnNames === words;
    const corner = square ? make("th", { scope: "col", class: "axis" }, "query ↓", make("br"), "key →") : make("td");
    const columnHeads = columnNames.map((column) => make("th", { scope: "col" }, column));
    const rowHeads = rowNames.map((row) => make("th", { scope: "row" }, row));
    const cells = texts[name].map((row, i) => row.map((text, j) => {
      const cell = make("td", isResult ? { role: "gridcell", tabindex: -1 } : {}, text);
      if (masks && hidden(i, j)) {
        cell.className = "masked";
        cell.append(make("span", { class: "unseen" }, " masked"));
      } else if (name === "weights") {
        cell.className = "weight";
        cell.style.setProperty("--weight", computed.weights[i][j]);
      }
      return cell;
    }));
    const totals = sums ? texts.sums.map(([text]) => make("td", { class: "total" }, text)) : [];
    const table = make("table", { class: "matrix", ...(isResult ? { role: "grid", "aria-readonly": "true" } : {}) },
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, corner, ...columnHeads, ...(sums ? [make("th", { scope: "col" }, "row sum")] : []))),
      make("tbody", {}, ...cells.map((row, i) => make("tr", {}, rowHeads[i], ...row, ...totals.slice(i, i + 1)))));
    if (isResult) listen(table, cells);
    const reach = isResult ? {} : { tabindex: "0", role: "group", "aria-label": title };
    return { node: make("div", { class: "scroll", ...reach }, table), cells, totals, rowHeads, columnHeads };
  }

  function listen(table, cells) {
    const go = (i, j) => {
      state.set("row", Math.min(Math.max(i, 0), cells.length - 1));
      state.set("column", Math.min(Math.max(j, 0), cells[0].length - 1));
      chosenCell().focus();
    };
    cells.forEach((row, i) => row.forEach((cell, j) => cell.addEventListener("click", () => go(i, j))));
    table.addEventListener("keydown", (event) => {
      const [i, j] = [state.get("row"), Math.min(state.get("column"), cells[0].length - 1)];
      const place = {
        ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1],
        Home: [i, 0], End: [i, cells[0].length - 1],
      }[event.key];
      if (!place) return;
      event.preventDefault();
      go(...place);
    });
  }
  const chosenCell = () => stage.querySelector('[role="gridcell"][tabindex="0"]');

  // ------------------------------------------------------------ the chosen cell

  function choose({ result, left, right, noun }, row, column) {
    light(shown[left], (i, j) => i === row && (right || j === column) && "left");
    if (right === "key") light(shown.key, (i) => i === column && "crossed");
    else if (right) light(shown[right], (i, j) => j === column && "right");
    shown[left].totals.forEach((cell, i) => mark(cell, i === row && "right"));
    shown[result].cells.forEach((cells, i) => cells.forEach((cell, j) => {
      const chosen = i === row && j === column;
      mark(cell, chosen && "chosen");
      cell.setAttribute("aria-selected", chosen);
      cell.tabIndex = chosen ? 0 : -1;
    }));
    shown[result].rowHeads.forEach((head, i) => mark(head, i === row && "left"));
    shown[result].columnHeads.forEach((head, j) => mark(head, j === column && "right"));
    const parts = productOf({ result, left, right, noun }, row, column);
    if (product.textContent !== parts.map((part) => part.textContent ?? part).join("")) product.replaceChildren(...parts);
  }

  // How the cell comes about. The same words as `Stepper.product` in example.py.
  function productOf({ result, left, right, noun }, i, j) {
    const a = (text) => make("span", { class: "left" }, text), b = (text) => make("span", { class: "right" }, text);
    const columnNames = tables[result][2], is = make("b", {}, texts[result][i][j]), number = texts[left][i][j];
    const start = `${noun}(${nameOf(words, i)}, ${nameOf(columnNames, j)}) = `;
    if (right) {
      const factors = right === "key" ? texts.key[j] : texts[right].map((row) => row[j]);
      const terms = texts[left][i].map((text, k) =>
        make("span", { class: "term" }, a(factor(text)), "·", b(factor(factors[k]))));
      return [start, ...terms.flatMap((term, k) => (k ? [" + ", term] : [term])), " = ", is];
    }
    if (result === "scaled") {
      const d_k = channels.length, [[root]] = written([[Math.sqrt(d_k)]]);
      return [start, a(number), ` / √${d_k} = `, a(number), ` / ${root} = `, is];
    }
    if (result === "exponentials") {
      if (hidden(i, j)) return [start, is, `: masked, because ${nameOf(words, j)} comes later than ${nameOf(words, i)}`];
      return [start, "exp(", a(number), ") = ", is];
    }
    return [start, a(number), " / ", b(texts.sums[i][0]), " = ", is, hidden(i, j) ? ": masked" : ""];
  }

  const goTo = (step) => step >= 1 && step <= 8 && state.set("step", step);
  const back = make("button", { type: "button" }, "Back"), next = make("button", { type: "button" }, "Next");
  back.addEventListener("click", () => goTo(state.get("step") - 1));
  next.addEventListener("click", () => goTo(state.get("step") + 1));
  root.append(make("div", { class: "stepper" },
    make("div", { class: "controls" },
      make("span", { class: "control" }, back, next), stepSlider(state),
      rowSelect(state, "row", "Row", () => words), rowSelect(state, "column", "Column", across, ["step"]),
      checkbox(state, "causal", "Causal Mask")),
    make("div", { "aria-live": "polite" }, title, says, product),
    make("div", { class: "room", style: room }, stage, note)));
  state.on(["step", "row", "column", "causal"], update);
});

// The step's number, and for a screen reader its name too.
function stepSlider(state) {
  const control = slider(state, "step", "Step", { min: 1, max: 8, step: 1, digits: 0 });
  const input = control.querySelector("input");
  state.on(["step"], () => {
    const step = state.get("step");
    input.setAttribute("aria-valuetext", `${step} of 8: ${state.get("titles")[step - 1]}`);
  });
  return control;
}

// ---------------------------------------------------------------- arrays and numbers

function allArrays({ x, W_Q, W_K, W_V }, causal) {
  const [query, key, value] = [W_Q, W_K, W_V].map((W) => multiply(x, W));
  const allowed = causal ? causalMask(x.length, x.length) : null;
  const scores = multiply(query, transpose(key));
  const scaled = scores.map((row) => row.map((score) => score / Math.sqrt(key[0].length)));
  const exponentials = scaled.map((row, i) => row.map((s, j) => (!allowed || allowed[i][j] ? Math.exp(s) : 0)));
  const sums = exponentials.map((row) => [sum(row)]);
  const weights = exponentials.map((row, i) => row.map((e) => e / sums[i][0]));
  const output = multiply(weights, value);
  return { x, W_Q, W_K, W_V, query, key, value, scores, scaled, exponentials, sums, weights, output, allowed };
}

// Whether every number is a multiple of a quarter, up to the noise of the last bits.
const exact = (array) => array.flat().every((x) => Math.abs(4 * x - Math.round(4 * x)) < 1e-9);

// The numbers of a table as on paper: short if exact, else 3 decimals; more for what would look like zero.
function written(array, small = false) {
  const short = exact(array);
  return array.map((row) => row.map((x) => {
    const even = Math.round(x * 1e9) / 1e9; // without the noise, on which a half would fall to either side
    let text = short ? String(Math.round(4 * x) / 4) : fixed(even, 3);
    if (small && x > 0 && !/[1-9]/.test(text)) text = fixed(x, 2 - Math.floor(Math.log10(x)));
    return /[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", "");
  }));
}

const factor = (text) => (text.startsWith("−") ? `(${text})` : text);
const nameOf = (names, i) =>
  names[i] + (names.indexOf(names[i]) === names.lastIndexOf(names[i]) ? "" : ` at place ${i + 1}`);

function mark(node, kind) {
  if ((node.dataset.lit ?? "") !== (kind || "")) node.dataset.lit = kind || "";
}

// Marks the cells that make the chosen one, and the heads of their row or column.
function light({ cells, rowHeads, columnHeads }, kindOf) {
  cells.forEach((row, i) => row.forEach((cell, j) => mark(cell, kindOf(i, j))));
  rowHeads.forEach((head, i) => mark(head, cells[i].map((_, j) => kindOf(i, j)).every(Boolean) && kindOf(i, 0)));
  columnHeads.forEach((head, j) => mark(head, cells.map((_, i) => kindOf(i, j)).every(Boolean) && kindOf(0, j)));
}
