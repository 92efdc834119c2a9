// CostCalculator: FLOP, memory and where n² takes over. All is computed here, by the formulas of core/cost.py.

const OWN = "your own numbers";
const SHAPE = ["layers", "d_model", "n_heads", "n_kv_heads"];
const FIELDS = { n: "n (tokens)", layers: "layers", d_model: "d_model", n_heads: "heads", n_kv_heads: "kv heads", batch: "batch" };
const PARTS = ["projections", "n² part", "feed-forward"];
const grouped = (x) => x.toLocaleString("en-US");

export default view((state, root) => {
  const models = state.get("models"), most = state.get("most");
  const fields = Object.fromEntries(Object.entries(FIELDS).map(([name, label]) => [name, field(name, label)]));
  const head = make("output", { class: "d-head" });
  const counted = linesTable("Counted", ["what", "formula", "one layer, one sequence", "all layers, whole batch"], 5);
  const followed = linesTable("What follows", ["what", "formula", "number"], 6);
  const bar = sharesBar();
  const notes = make("p", { class: "notes" }), says = make("p", { class: "sentence", "aria-live": "polite" });

  function update() {
    const sizes = Object.fromEntries(
      ["n", ...SHAPE, "bytes_each", "batch", "model"].map((name) => [name, state.get(name)]));
    for (const [name, { input, pending }] of Object.entries(fields)) {
      if (!pending() && input.value !== String(sizes[name])) input.value = sizes[name];
    }
    const parts = flopsOf(sizes), shares = parts.map((part) => part / sum(parts));
    const growth = sum(flopsOf({ ...sizes, n: 2 * sizes.n })) / sum(parts);
    counted.show(countedLines(sizes, parts));
    followed.show(followedLines(sizes, shares, growth));
    bar.show(shares);
    setText(head, `d_head = ${grouped(sizes.d_model)} / ${sizes.n_heads} = ${grouped(sizes.d_model / sizes.n_heads)}`);
    setText(notes, notesOn(sizes, models[sizes.model]).join(" "));
    setText(says, `At n = ${grouped(sizes.n)} the n² part is ${fixed(100 * shares[1], 1)} % of the FLOP. ` +
      `Twice the tokens cost ${fixed(growth)} times as much.`);
  }

  // ------------------------------------------------------------ numbers that are typed

  function field(name, label) {
    const input = make("input", { type: "text", inputmode: "numeric", autocomplete: "off", size: 8 });
    const note = make("span", { class: "refused", role: "status" });
    note.id = `course-note-${Math.random()}`;
    input.setAttribute("aria-describedby", note.id);
    input.addEventListener("change", () => take(name));
    const refuse = (text) => {
      setText(note, text);
      if (text) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    };
    return { input, refuse, pending: () => note.textContent !== "",
      node: make("div", { class: "field" }, make("label", {}, label, input), note) };
  }

  // What is typed counts where it fits; where it does not, the last good number stays. Sizes that only fit together
  // may be typed one after another: each waits for the other.
  function take(edited) {
    const good = {}, wanted = {};
    for (const [name, { input, refuse }] of Object.entries(fields)) {
      good[name] = state.get(name);
      const why = whyNot(input.value, most[name], good[name]);
      refuse(why);
      wanted[name] = why ? good[name] : wholeNumber(input.value);
    }
    if (edited === "n_heads" && wanted.n_kv_heads === good.n_kv_heads && good.n_kv_heads === good.n_heads) {
      wanted.n_kv_heads = wanted.n_heads; // as many as before: all of them
    }
    const { d_model: d, n_heads: heads, n_kv_heads: shared } = wanted;
    if (d % heads) {
      fields.n_heads.refuse(`d_model ${grouped(d)} cannot be split into ${heads} equal heads. ` +
        `${grouped(good.d_model)} and ${good.n_heads} still count.`);
    } else if (heads % shared) {
      fields.n_kv_heads.refuse(`${heads} heads cannot share ${shared} key/value heads equally. ` +
        `${good.n_heads} and ${good.n_kv_heads} still count.`);
    }
    const fit = d % heads === 0 && heads % shared === 0;
    const taken = Object.keys(wanted).filter((name) => wanted[name] !== good[name] && (fit || !SHAPE.slice(1).includes(name)));
    if (taken.some((name) => SHAPE.includes(name))) state.set("model", OWN);
    waiting = !fit;
    for (const name of taken) state.set(name, wanted[name]);
    update();
  }
  let waiting = false; // sizes that do not fit yet are left as they were typed
  for (const name of SHAPE.slice(1)) {
    const own = fields[name].pending;
    fields[name].pending = () => waiting || own();
  }

  // ------------------------------------------------------------ numbers that are chosen

  function listOf(trait, label, options, chosen) {
    const input = make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
    input.addEventListener("input", () => chosen(input.value));
    state.on([trait], () => { input.value = state.get(trait); });
    return make("label", { class: "control" }, label, input);
  }
  const modelList = listOf("model", "Model", [...Object.keys(models), OWN].map((name) => [name, name]), (name) => {
    waiting = false;
    Object.values(fields).forEach(({ refuse }) => refuse(""));
    for (const size of models[name] ? SHAPE : []) state.set(size, models[name][size]);
    state.set("model", name);
    update();
  });
  const bytes = listOf("bytes_each", "Bytes per Number",
    [[1, "1 (int8)"], [2, "2 (float16)"], [4, "4 (float32)"], [8, "8 (float64)"]], (each) => state.set("bytes_each", Number(each)));

  // Four steps double n.
  const length = make("input", { type: "range", min: 0, max: 80, step: 1 });
  length.addEventListener("input", () => {
    fields.n.refuse("");
    state.set("n", Math.round(2 ** (length.value / 4)));
  });
  state.on(["n"], () => {
    length.value = Math.round(4 * Math.log2(state.get("n")));
    length.setAttribute("aria-valuetext", `${grouped(state.get("n"))} tokens`);
  });

  root.append(make("div", { class: "complexity" },
    make("div", { class: "controls" }, modelList, make("label", { class: "control" }, "Tokens, four steps double", length), bytes),
    make("div", { class: "fields" }, ...Object.values(fields).map(({ node }) => node), head),
    says, bar.node, counted.node, followed.node, notes, make("p", { class: "left-out" }, state.get("left_out"))));
  state.on(["n", ...SHAPE, "bytes_each", "batch", "model"], update);
});

// ---------------------------------------------------------------- what is typed

const wholeNumber = (text) => (/^[+]?\d[\d\s,_]*$/.test(text.trim()) ? Number(text.replace(/[\s,_+]/g, "")) : NaN);

// Why that text is no number to take, in a sentence; "" if it is one.
function whyNot(text, most, good) {
  const shown = text.trim(), x = wholeNumber(shown), still = `${grouped(good)} still counts.`;
  const short = shown.length > 16 ? `${shown.slice(0, 16)}…` : shown;
  if (!shown) return `Nothing is typed. ${still}`;
  if (/^[-−]\s*\d/.test(shown) || x === 0) return `${short} is too small: 1 at least. ${still}`;
  if (Number.isNaN(x)) return `“${short}” is no whole number. ${still}`;
  return x > most ? `${short} is too large: ${grouped(most)} at most. ${still}` : "";
}

// ---------------------------------------------------------------- formulas, as in core/cost.py

// Projections, n² part and feed-forward of one layer and one sequence.
function flopsOf({ n, d_model: d, n_heads, n_kv_heads }) {
  return [2 * n * (2 * d * d + 2 * d * (d / n_heads) * n_kv_heads), 4 * n * n * d, 16 * n * d * d];
}

function countedLines({ n, layers, n_heads, n_kv_heads, batch }, [projections, attention, feedForward]) {
  const all = layers * batch;
  return [
    ["Score entries", "n² for each head", readable(n * n), readable(n * n * n_heads * all)],
    ...[
      ["Projections", n_kv_heads === n_heads ? "8 n d²" : "4 n d² + 4 n d · kv heads · d_head", projections],
      ["Q Kᵀ and weights V, the n² part", "4 n² d", attention],
      ["Feed-forward", "16 n d²", feedForward],
      ["All three", "sum", projections + attention + feedForward],
    ].map(([what, formula, flops]) => [what, formula, readable(flops, "FLOP"), readable(flops * all, "FLOP")]),
  ];
}

function followedLines({ n, layers, d_model: d, n_heads, n_kv_heads, bytes_each, batch }, shares, growth) {
  const shared = n_kv_heads !== n_heads, keys = (d / n_heads) * n_kv_heads;
  return [
    ["Share of the n² part", "4 n² d / all three", `${fixed(100 * shares[1], 1)} %`],
    ["All three when n doubles", "at 2 n / at n", `× ${fixed(growth)}`],
    ["n² part = projections", shared ? "n = d + kv heads · d_head" : "n = 2 d", grouped(d + keys)],
    ["n² part = projections + feed-forward", shared ? "n = 5 d + kv heads · d_head" : "n = 6 d", grouped(5 * d + keys)],
    ["One float32 score matrix, all heads", "4 · heads · n² · batch", readable(4 * n_heads * n * n * batch, "B")],
    ["Key/value cache", "2 · layers · n · kv heads · d_head · bytes · batch",
      readable(2 * layers * n * keys * bytes_each * batch, "B")],
  ];
}

function notesOn({ n, model }, shape) {
  const told = [];
  if (shape?.gated) {
    told.push(`${model} itself has three feed-forward matrices of width ${grouped(shape.d_ff)}: ` +
      `6 n d d_ff = ${readable(6 * n * shape.d_model * shape.d_ff, "FLOP")} in one layer.`);
  }
  if (shape && n > shape.context) told.push(`${model} was made for at most ${grouped(shape.context)} tokens.`);
  return told;
}

// Bytes in steps of 1024, everything else in steps of 1000. The same as `readable` in core/cost.py.
function readable(number, unit = "") {
  const [step, prefixes] = unit === "B" ? [1024, ["", "Ki", "Mi", "Gi", "Ti", "Pi"]] : [1000, ["", ..."kMGTP"]];
  let power = 0;
  while (power < prefixes.length - 1 && number / step ** power + (power ? 0.05 : 0) >= step) power += 1;
  return `${power ? fixed(number / step ** power, 1) : number} ${prefixes[power]}${unit}`.trimEnd();
}

// ---------------------------------------------------------------- pictures

function linesTable(caption, columns, count) {
  const lines = Array.from({ length: count }, () => [make("th", { scope: "row" }), ...columns.slice(1).map(() => make("td"))]);
  const table = make("table", { class: "lines" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...columns.map((column) => make("th", { scope: "col" }, column)))),
    make("tbody", {}, ...lines.map((cells) => make("tr", {}, ...cells))));
  const show = (texts) => texts.forEach((line, i) => line.forEach((text, j) => setText(lines[i][j], text)));
  return { node: make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, table), show };
}

// One bar of the three parts; each has its pattern, and its share in words below.
function sharesBar() {
  const kinds = ["plain", "hatched", "dotted"];
  const pieces = kinds.map((kind) => make("div", { class: kind }));
  const words = PARTS.map(() => make("span"));
  const legend = make("p", { class: "legend" }, ...PARTS.map((_, i) =>
    make("span", { class: "part" }, make("i", { class: `swatch ${kinds[i]}`, "aria-hidden": "true" }), words[i])));
  const show = (shares) => shares.forEach((share, i) => {
    pieces[i].style.setProperty("--share", share);
    setText(words[i], `${PARTS[i]} ${fixed(100 * share, 1)} %`);
  });
  return { node: make("div", { class: "shares" }, make("div", { class: "pieces", "aria-hidden": "true" }, ...pieces), legend), show };
}
