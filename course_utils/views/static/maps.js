// WeightMap: who looks where, from scores (with controls) or from weights that someone's function returned.

export default view((state, root) => {
  const numbers = (name) => state.get(name)?.map((row) => row.map(Number)) ?? null; // "NaN" travels as a text
  const [queries, keys] = [state.get("query_words"), state.get("key_words")];
  const [scores, weights, mask] = [numbers("scores"), numbers("weights"), state.get("mask")];
  const past = causalMask(queries.length, keys.length);
  const table = weightTable(state.get("title"), queries.length, keys.length, (i) => state.set("focus", i));
  const row = readouts("Row Sum");
  const sentence = make("p", { class: "sentence", "aria-live": "polite" });
  const faults = make("p", { class: "faults" }, weights ? faultSentences({ queries, keys, weights, allowed: mask }) : "");

  function update() {
    const causal = scores && state.get("causal");
    const allowed = causal ? past.map((line, i) => line.map((may, j) => may && (!mask || mask[i][j]))) : mask;
    const shown = {
      queries, keys, allowed, focus: state.get("focus"),
      weights: weights ?? softmaxRows(scores, allowed, state.get("sharpness")),
    };
    table.paint(shown);
    row.show({ "Row Sum": fixed(sum(shown.weights[shown.focus]), 3) });
    sentence.textContent = focusSentence(shown);
  }

  const controls = [rowSelect(state, "focus", "Focus Row", () => queries)];
  if (scores) {
    controls.push(slider(state, "sharpness", "Sharpness", { min: 0, max: 5, step: 0.1 }));
    // With keys of another sequence there is no future to hide.
    if (keys.join("\n") === queries.join("\n") || state.get("causal")) controls.push(checkbox(state, "causal", "Causal Mask"));
  }
  root.append(make("div", { class: "controls" }, ...controls), table.node, row.node, sentence, faults);
  state.on(["focus", "sharpness", "causal"], update);
});
