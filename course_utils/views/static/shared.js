// What every widget shares. Python joins this file and the widget's own into one module; there is no build step.

// ---------------------------------------------------------------- elements and numbers

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

// As Python prints it: a half goes to the even digit. At two digits only odd multiples of 1/8 are halves.
function fixed(x, digits = 2) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  const down = Math.floor(Math.abs(x) * 10 ** digits);
  const half = Math.abs(x * 2 ** (digits + 1)) % 2 === 1;
  return half && down % 2 === 0 ? ((Math.sign(x) * down) / 10 ** digits).toFixed(digits) : x.toFixed(digits);
}

// Writes only what is new: a text written again would cost a layout.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

function multiply(a, b) {
  return a.map((row) => b[0].map((_, j) => row.reduce((total, x, k) => total + x * b[k][j], 0)));
}

const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));

// ---------------------------------------------------------------- attention

// Each row of scores as weights; a row that may look at nothing gets zeros. `allowed` may be null.
function softmaxRows(scores, allowed, sharpness = 1) {
  return scores.map((row, i) => {
    const masked = row.map((x, j) => (!allowed || allowed[i][j] ? x * sharpness : -Infinity));
    const largest = Math.max(...masked);
    if (largest === -Infinity) return row.map(() => 0);
    const exponentials = masked.map((x) => Math.exp(x - largest));
    const total = sum(exponentials);
    return exponentials.map((x) => x / total);
  });
}

// True where a query may look; the queries are the last of the keys (aligned bottom-right).
function causalMask(nQueries, nKeys) {
  return Array.from({ length: nQueries }, (_, i) =>
    Array.from({ length: nKeys }, (_, j) => j <= i + nKeys - nQueries));
}

// ---------------------------------------------------------------- state and controls

// The traits. Setting one redraws every view at once; the kernel hears of it later, at most ten times a second.
function follow(model) {
  const releases = [];
  let timer = null;
  return {
    get: (name) => model.get(name),
    set(name, value) {
      model.set(name, value);
      timer ??= setTimeout(() => { timer = null; model.save_changes(); }, 100);
    },
    on(names, callback) {
      for (const name of names) {
        model.on(`change:${name}`, callback);
        releases.push(() => model.off(`change:${name}`, callback));
      }
      callback();
    },
    release: () => releases.forEach((release) => release()),
  };
}

function slider(state, trait, label, { min, max, step, digits = 1 }) {
  const input = make("input", { type: "range", min, max, step });
  const shown = make("span", { class: "shown", "aria-hidden": "true" });
  input.addEventListener("input", () => state.set(trait, Number(input.value)));
  state.on([trait], () => {
    input.value = state.get(trait);
    shown.textContent = fixed(state.get(trait), digits);
  });
  return make("label", { class: "control" }, label, input, shown);
}

function checkbox(state, trait, label) {
  const input = make("input", { type: "checkbox" });
  input.addEventListener("input", () => state.set(trait, input.checked));
  state.on([trait], () => { input.checked = state.get(trait); });
  return make("label", { class: "control" }, input, label);
}

// `words` gives the words in order; the trait holds the place of one. It is asked again when a trait in `names` changes.
function rowSelect(state, trait, label, words, names = []) {
  const input = make("select");
  input.addEventListener("input", () => state.set(trait, Number(input.value)));
  state.on([trait, ...names], () => {
    const all = words();
    if (input.dataset.words !== all.join("\n")) {
      input.dataset.words = all.join("\n");
      input.replaceChildren(...all.map((word, i) => {
        const place = all.indexOf(word) === all.lastIndexOf(word) ? "" : ` (place ${i + 1})`;
        return make("option", { value: i }, word + place);
      }));
    }
    input.value = Math.min(state.get(trait), all.length - 1);
  });
  return make("label", { class: "control" }, label, input);
}

// A few values to choose from, as radio buttons in a row.
function choice(state, trait, legend, values) {
  const name = `course-view-${Math.random()}`; // another on the page would steal its dot
  const inputs = values.map((value) => make("input", { type: "radio", name, value }));
  inputs.forEach((input, i) => input.addEventListener("input", () => state.set(trait, values[i])));
  state.on([trait], () => inputs.forEach((input, i) => { input.checked = state.get(trait) === values[i]; }));
  return make("fieldset", { class: "control choice" }, make("legend", {}, legend),
    ...inputs.map((input, i) => make("label", {}, input, make("span", {}, String(values[i])))));
}

// ---------------------------------------------------------------- the map of weights

const MOST_NUMBERS = 12; // tokens on a side; beyond it the cells are too small for numbers
const ROW_TOLERANCE = 0.01; // a row of bfloat16 weights may miss 1 by this much

function weightTable(caption, nQueries, nKeys, onFocus) {
  const numbers = nQueries <= MOST_NUMBERS && nKeys <= MOST_NUMBERS;
  const corner = make("th", { scope: "col", class: "axis" }, "query (row)");
  const columns = Array.from({ length: nKeys }, () => make("th", { scope: "col" }));
  const head = make("thead", {},
    make("tr", {}, make("td"), make("th", { scope: "colgroup", colspan: nKeys, class: "axis" }, "key (column)")),
    make("tr", {}, corner, ...columns));
  const rows = Array.from({ length: nQueries }, (_, i) => {
    const name = make("th", { scope: "row" });
    const cells = Array.from({ length: nKeys }, () => make("td"));
    const row = make("tr", {}, name, ...cells);
    row.addEventListener("click", () => onFocus(i));
    return { row, name, cells };
  });
  const table = make("table", { class: numbers ? "weights" : "weights small" }, make("caption", {}, caption),
    head, make("tbody", {}, ...rows.map(({ row }) => row)));

  function paint({ queries, keys, weights, allowed, focus }) {
    columns.forEach((column, j) => setText(column, keys[j]));
    rows.forEach(({ row, name, cells }, i) => {
      row.className = i === focus ? "focus" : "";
      setText(name, queries[i]);
      cells.forEach((cell, j) => paintCell(cell, weights[i][j], !allowed || allowed[i][j], numbers));
    });
  }
  return { node: make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, table), table, rows, paint };
}

// A weight, masked, a leak (weight where the mask says no), or NaN: each told by its text as well as its look.
function paintCell(cell, weight, allowed, numbers) {
  if (cell.weight === weight && cell.allowed === allowed) return;
  Object.assign(cell, { weight, allowed });
  const state = Number.isNaN(weight) ? "nan" : allowed ? "weight" : weight === 0 ? "masked" : "leak";
  const number = state === "masked" ? "" : fixed(weight);
  cell.style.setProperty("--weight", Math.min(Math.max(weight || 0, 0), 1));
  if (cell.className !== state) cell.className = state;
  const [sign, word] = { weight: ["", ""], masked: ["·", "masked"], leak: ["!", "leak"], nan: ["NaN", ""] }[state];
  if (!numbers) { // a label costs no layout: a map may have thousands of cells
    setText(cell, sign);
    cell.setAttribute("aria-label", `${number} ${word}`.trim());
  } else if (word) cell.replaceChildren(number, make("b", {}, sign), make("span", { class: "unseen" }, ` ${word}`));
  else setText(cell, number);
}

function named(words, i) {
  const alone = words.indexOf(words[i]) === words.lastIndexOf(words[i]);
  return `"${words[i]}"` + (alone ? "" : ` at place ${i + 1}`);
}

function listed(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

function firstThree(items) {
  return listed(items.length > 3 ? [...items.slice(0, 3), `${items.length - 3} more`] : items);
}

// Where the focus row looks, in one sentence. The same words as `focus_sentence` in tables.py.
function focusSentence({ queries, keys, weights, allowed, focus }) {
  const row = weights[focus], who = named(queries, focus);
  if (row.some(Number.isNaN)) return `The row of ${who} holds NaN: it says nothing about where ${who} looks.`;
  if (allowed && !allowed[focus].some(Boolean) && row.every((x) => x === 0)) {
    return `${who} may look at nothing: its weights are all 0.`;
  }
  const largest = row.map((x, j) => [x, j]).filter(([x]) => x > 0).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, 3);
  if (!largest.length) return `${who} looks at nothing: no weight is above 0.`;
  return `${who} looks most at ${listed(largest.map(([x, j]) => `${named(keys, j)} (${fixed(x, 3)})`))}.`;
}

// What is wrong with the whole map, in words; "" if nothing is. The same words as `fault_sentences` in tables.py.
function faultSentences({ queries, keys, weights, allowed }) {
  const all = weights.flatMap((row, i) => row.map((x, j) => ({ x, i, j })));
  const told = [];
  const leaks = all.filter(({ x, i, j }) => allowed && !allowed[i][j] && !Number.isNaN(x) && x !== 0);
  if (leaks.length) {
    const names = leaks.map(({ x, i, j }) =>
      `${named(queries, i)} looks at ${named(keys, j)} (${fixed(x) === "0.00" ? "less than 0.01" : fixed(x)})`);
    told.push(`${leaks.length} leak${leaks.length > 1 ? "s" : ""}: ${firstThree(names)}, which the mask hides.`);
  }
  const negative = all.filter(({ x }) => x < 0);
  if (negative.length) {
    const names = negative.map(({ x, i, j }) => `${named(queries, i)} to ${named(keys, j)} (${fixed(x)})`);
    told.push(`${negative.length} weight${negative.length > 1 ? "s are" : " is"} negative: ${firstThree(names)}.`);
  }
  const empty = (row, i) => row.every((x) => x === 0) && allowed && !allowed[i].some(Boolean);
  const wrong = weights.map((row, i) => [sum(row), i])
    .filter(([total, i]) => Math.abs(total - 1) > ROW_TOLERANCE && !empty(weights[i], i));
  if (wrong.length) {
    const names = wrong.map(([total, i]) => `${named(queries, i)} (${fixed(total, 3)})`);
    told.push(`${wrong.length} row${wrong.length > 1 ? "s do" : " does"} not sum to 1: ${firstThree(names)}.`);
  }
  const nan = all.filter(({ x }) => Number.isNaN(x)).length;
  if (nan) told.push(`${nan} of ${all.length} weights ${nan > 1 ? "are" : "is"} NaN.`);
  return told.join(" ");
}

// A list of named numbers whose boxes keep their height. `readouts.show({name: text})`.
function readouts(...names) {
  const values = Object.fromEntries(names.map((name) => [name, make("dd")]));
  const node = make("dl", { class: "readouts" },
    ...names.map((name) => make("div", {}, make("dt", {}, name), values[name])));
  const show = (texts) => Object.entries(texts).forEach(([name, text]) => setText(values[name], text));
  return { node, show };
}

// ---------------------------------------------------------------- the view, and the question before it

// `draw(state, body)` fills the body; it is called when the prediction, if one is asked for, has been written down.
function view(draw) {
  return {
    render({ model, el }) {
      const state = follow(model);
      const root = make("div", { class: "course-view" });
      // JupyterLab's command mode takes the keys of focused controls: arrows would do nothing and "b" add a cell.
      root.addEventListener("keydown", (event) => event.stopPropagation());
      el.replaceChildren(root);
      if (state.get("predict").trim()) predictFirst(state, root, draw);
      else draw(state, root);
      return state.release;
    },
  };
}

function predictFirst(state, root, draw) {
  const answer = make("textarea", { rows: 2 });
  const button = make("button", { type: "button" }, "Write it down");
  const note = make("p", { class: "note", role: "status" });
  const asked = make("div", { class: "predict" }, make("p", { class: "question" }, state.get("predict")));
  const form = make("div", {}, make("label", {}, "Your prediction", answer), button, note);
  asked.append(form);
  root.append(asked);

  button.addEventListener("click", () => {
    if (answer.value.trim()) {
      state.set("prediction", answer.value.trim());
      root.querySelector(".body").focus();
    } else {
      note.textContent = "Nothing is written yet. A guess is enough: being wrong is how you notice something.";
      answer.focus();
    }
  });
  let open = false;
  state.on(["prediction"], () => {
    if (open || !state.get("prediction").trim()) return;
    open = true;
    form.replaceWith(make("p", { class: "wrote" }, `You wrote: ${state.get("prediction")}`));
    const body = make("div", { class: "body", tabindex: "-1" });
    root.append(body);
    draw(state, body);
  });
}
