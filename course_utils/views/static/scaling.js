// ScalingExplorer: what the width d_k and the scale do to scores and weights. Both are computed here.

// The same widths, limits and words as in scaling.py.
const RULES = { none: () => 1, "1/sqrt(d_k)": (d_k) => 1 / Math.sqrt(d_k), "1/d_k": (d_k) => 1 / d_k };
const WIDTHS = [4, 16, 64, 256, 1024];
const SATURATED = 0.95; // the largest weight is above this
const FLAT = 0.95; // the entropy is above this share of log(n)
const VERDICTS = {
  saturated: "Saturated: one key takes nearly all, and the weights hardly react.",
  flat: "Nearly flat: every key gets almost the same, whatever the query says.",
  between: "In between: some keys count more than others, and the weights react.",
};
const BAR_END = 20; // the score bars go from -20 to 20; a longer one is cut off and marked

export default view((state, root) => {
  const [query, keys] = [state.get("query"), state.get("key_vectors")];
  const scoresOf = (d_k, rule) =>
    keys.map((key) => RULES[rule](d_k) * key.slice(0, d_k).reduce((total, x, k) => total + x * query[k], 0));
  const table = keyTable(keys.length);
  const numbers = readouts("Spread", "Largest weight", "Entropy", "Gradient");
  const sentence = make("p", { class: "sentence", "aria-live": "polite" });
  const others = overview((d_k, rule) => softmaxRows([scoresOf(d_k, rule)], null)[0]);

  function update() {
    const [d_k, rule] = [state.get("d_k"), state.get("rule")];
    const scores = scoresOf(d_k, rule), [weights] = softmaxRows([scores], null);
    table.paint(scores, weights);
    numbers.show({
      Spread: fixed(spread(scores)),
      "Largest weight": fixed(Math.max(...weights), 3),
      Entropy: `${fixed(entropyOf(weights))} of at most ${fixed(Math.log(weights.length))} nats`,
      Gradient: fixed(gradientOf(weights), 4),
    });
    setText(sentence, verdictOn(weights));
    others.mark(d_k, rule);
  }

  root.append(make("div", { class: "scaling" },
    make("div", { class: "controls" }, powerSlider(state, "d_k", "d_k", 10),
      choice(state, "rule", "Scale", Object.keys(RULES))),
    numbers.node, sentence,
    make("div", { class: "pair" }, table.node, others.node),
    make("p", { class: "explained" }, "Spread: the standard deviation of the scores. Gradient: the norm of diag(p) − p pᵀ, " +
      "how far the weights p move when the scores move a little.")));
  state.on(["d_k", "rule"], update);
});

// ---------------------------------------------------------------- numbers

function spread(scores) {
  const mean = sum(scores) / scores.length;
  return Math.sqrt(sum(scores.map((s) => (s - mean) ** 2)) / scores.length);
}

const entropyOf = (weights) => -sum(weights.map((p) => (p > 0 ? p * Math.log(p) : 0))) + 0;

function gradientOf(weights) {
  const entries = weights.flatMap((p, i) => weights.map((q, j) => (i === j ? p : 0) - p * q));
  return Math.hypot(...entries);
}

function verdictOn(weights) {
  if (Math.max(...weights) > SATURATED) return VERDICTS.saturated;
  return entropyOf(weights) > FLAT * Math.log(weights.length) ? VERDICTS.flat : VERDICTS.between;
}

// ---------------------------------------------------------------- controls and tables

// A slider over 1, 2, 4, ..., 2 ** most.
function powerSlider(state, trait, label, most) {
  const input = make("input", { type: "range", min: 0, max: most, step: 1 });
  const shown = make("span", { class: "shown", "aria-hidden": "true" });
  input.addEventListener("input", () => state.set(trait, 2 ** Number(input.value)));
  state.on([trait], () => {
    input.value = Math.log2(state.get(trait));
    input.setAttribute("aria-valuetext", state.get(trait));
    shown.textContent = state.get(trait);
  });
  return make("label", { class: "control" }, label, input, shown);
}

function keyTable(n) {
  const rows = Array.from({ length: n }, () => {
    const [score, weight] = [make("span", { class: "number" }), make("span", { class: "number" })];
    const [signed, plain] = ["signed", "plain"].map((kind) => make("span", { class: kind, "aria-hidden": "true" }));
    return { score, weight, signed, plain };
  });
  const axis = make("span", { class: "ends", "aria-hidden": "true" },
    ...[`−${BAR_END}`, "0", BAR_END].map((end) => make("span", {}, String(end))));
  const table = make("table", { class: "keys" }, make("caption", {}, "One query: scores and weights of its keys"),
    make("thead", {}, make("tr", {}, ...[["key"], ["score", axis], ["weight"]].map((parts) =>
      make("th", { scope: "col" }, ...parts)))),
    make("tbody", {}, ...rows.map(({ score, signed, weight, plain }, i) => make("tr", {},
      make("th", { scope: "row" }, `key ${i + 1}`), make("td", {}, score, signed), make("td", {}, weight, plain)))));

  function paint(scores, weights) {
    const top = weights.indexOf(Math.max(...weights));
    rows.forEach(({ score, weight, signed, plain }, i) => {
      setText(score, fixed(scores[i]).replace("-", "−"));
      setText(weight, fixed(weights[i], 3));
      signed.style.setProperty("--from", Math.min(Math.max(scores[i] / BAR_END, -1), 0));
      signed.style.setProperty("--to", Math.max(Math.min(scores[i] / BAR_END, 1), 0));
      setText(signed, scores[i] > BAR_END ? "▸" : scores[i] < -BAR_END ? "◂" : "");
      signed.className = scores[i] < 0 ? "signed below" : "signed";
      plain.style.setProperty("--share", weights[i]);
      table.tBodies[0].rows[i].className = i === top ? "top" : "";
    });
  }
  return { node: make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Scores and weights" }, table), paint };
}

// Largest weight and gradient at five widths under each rule, computed once.
function overview(weightsOf) {
  const caption = "Largest weight (bold) and gradient at five widths";
  const heads = Object.keys(RULES).map((rule) => make("th", { scope: "row" }, rule));
  const columns = WIDTHS.map((d_k) => make("th", { scope: "col" }, `d_k ${d_k}`));
  const cells = Object.keys(RULES).map((rule) => WIDTHS.map((d_k) => {
    const weights = weightsOf(d_k, rule), largest = Math.max(...weights);
    return make("td", {},
      make("span", { class: "plain", "aria-hidden": "true", style: `--share: ${largest}` }),
      make("span", { class: "largest" }, fixed(largest, 3)), make("span", { class: "unseen" }, ", gradient "),
      make("span", { class: "gradient" }, fixed(gradientOf(weights), 4)));
  }));
  const table = make("table", { class: "overview" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "scale"), ...columns)),
    make("tbody", {}, ...cells.map((row, i) => make("tr", {}, heads[i], ...row))));

  function mark(d_k, rule) {
    const [row, column] = [Object.keys(RULES).indexOf(rule), WIDTHS.indexOf(d_k)];
    const name = (node, now) => { node.className = now ? "now" : ""; };
    heads.forEach((head, i) => name(head, i === row));
    columns.forEach((head, j) => name(head, j === column));
    cells.forEach((line, i) => line.forEach((cell, j) => {
      name(cell, i === row && j === column);
      if (i === row && j === column) cell.setAttribute("aria-current", "true");
      else cell.removeAttribute("aria-current");
    }));
  }
  return { node: make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, table), mark };
}
