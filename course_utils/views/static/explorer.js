// Explorer: both layers of the hand-set model, computed here from the matrices that Python sends.

export default view((state, root) => {
  const n = state.get("shuffled").length;
  const adjective = n - 1; // the last word of the sentence
  const inOrder = Array.from({ length: n }, (_, i) => i);
  const order = () => (state.get("shuffle") ? state.get("shuffled") : inOrder);
  const sentence = () => state.get("sentences")[state.get("example")];

  const table = weightTable("Attention weights", n, n, (i) => state.set("focus", order()[i]));
  const numbers = readouts("Row Sum", "Scores Computed", "Path Length");
  const says = make("p", { class: "sentence", "aria-live": "polite" });

  function update() {
    const places = order(), words = places.map((place) => sentence()[place]);
    const allowed = state.get("causal") ? causalMask(n, n) : null;
    const x = places.map((place) => state.get("embedded")[state.get("example")][place]);
    const weights = bothLayers(x, state.get("layers"), allowed, state.get("sharpness"))[state.get("layer") - 1];
    const focus = places.indexOf(state.get("focus"));
    const shown = { queries: words, keys: words, weights, allowed, focus };
    table.paint(shown);
    says.textContent = focusSentence(shown);
    numbers.show({
      "Row Sum": fixed(sum(weights[focus]), 3),
      "Scores Computed": scoresComputed(n, allowed),
      "Path Length": pathLength(allowed, places.indexOf(adjective), focus, words),
    });
  }

  root.append(
    make("div", { class: "controls" },
      choice(state, "layer", "Layer", [1, 2]),
      rowSelect(state, "focus", "Focus Row", sentence, ["example"]),
      choice(state, "example", "Example", Object.keys(state.get("sentences"))),
      slider(state, "sharpness", "Sharpness", { min: 0.2, max: 5, step: 0.1 }),
      checkbox(state, "causal", "Causal Mask"),
      checkbox(state, "shuffle", "Shuffle Word Order")),
    table.node, numbers.node, says);
  state.on(["layer", "focus", "example", "sharpness", "causal", "shuffle"], update);
});

// The weights of each layer; each layer adds what it read to its input.
function bothLayers(x, layers, allowed, sharpness) {
  return layers.map(({ W_Q, W_K, W_V }) => {
    const scores = multiply(multiply(x, W_Q), transpose(multiply(x, W_K)));
    const weights = softmaxRows(scores, allowed, sharpness / Math.sqrt(W_K[0].length));
    const read = multiply(weights, multiply(x, W_V));
    x = x.map((row, i) => row.map((feature, k) => feature + read[i][k]));
    return weights;
  });
}

function scoresComputed(n, allowed) {
  if (!allowed) return `${n} × ${n} = ${n * n} in this layer, ${2 * n * n} in both`;
  const needed = allowed.flat().filter(Boolean).length;
  return `${needed} of ${n * n} needed in this layer, ${2 * needed} in both`;
}

// How many layers a word's content needs to reach another, breadth first: one step takes it to all who may look.
function pathLength(allowed, source, target, words) {
  let reached = new Set([source]);
  for (let steps = 0; ; steps += 1) {
    if (reached.has(target)) return steps === 0 ? "0 (the word itself)" : `${steps} from ${named(words, source)}`;
    const further = words.map((_, i) => i)
      .filter((i) => reached.has(i) || [...reached].some((j) => !allowed || allowed[i][j]));
    if (further.length === reached.size) return `none: the mask hides ${named(words, source)} from ${named(words, target)}`;
    reached = new Set(further);
  }
}
