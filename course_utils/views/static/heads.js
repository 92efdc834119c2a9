// HeadGrid: a small map of each head, one row lit in all of them, and the chosen head large.

export default view((state, root) => {
  const [queries, keys, names] = [state.get("query_words"), state.get("key_words"), state.get("names")];
  const maps = state.get("maps").map((rows) => rows.map((row) => row.map(Number))); // "NaN" travels as a text
  const allowed = state.get("mask"), mean = state.get("mean");
  let hovered = null; // a row under the pointer counts more than the chosen one
  const lit = () => hovered ?? state.get("focus");

  const large = weightTable("Weights", queries.length, keys.length, (i) => state.set("focus", i));
  large.rows.forEach(({ row }, i) => row.addEventListener("pointerenter", () => hover(i)));
  large.table.addEventListener("pointerleave", () => hover(null));
  const tiles = names.map(tile);
  const agreement = make("p", { class: "agreement" });
  const sentence = make("p", { class: "sentence" }), faults = make("p", { class: "faults" });
  const total = readouts("Row Sum"), note = make("p", { class: "no-head" });

  function hover(i) {
    hovered = i;
    update();
  }

  function update() {
    const focus = lit(), head = state.get("head");
    const shown = { queries, keys, weights: maps[head], allowed, focus };
    setText(large.table.caption, `Weights: ${names[head]}`);
    large.node.setAttribute("aria-label", `Weights: ${names[head]}`);
    large.paint(shown);
    setText(sentence, focusSentence(shown));
    setText(faults, faultSentences(shown));
    total.show({ "Row Sum": fixed(sum(maps[head][focus]), 3) });
    setText(note, mean && head === maps.length - 1 ? state.get("no_head") : "");
    setText(agreement, agree(focus));
    tiles.forEach((tile, i) => tile.show(focus, i === head));
  }

  // Where the heads look most from one row. The same words as `HeadGrid.agreement` in heads.py.
  function agree(focus) {
    const heads = maps.length - (mean ? 1 : 0), counts = new Map(), who = named(queries, focus);
    for (const weights of maps.slice(0, heads)) {
      const most = mostOf(weights, focus);
      if (most !== null) counts.set(most, (counts.get(most) ?? 0) + 1);
    }
    if (!counts.size) return `In no head does ${who} look anywhere.`;
    const order = [...counts].sort(([i, a], [j, b]) => b - a || i - j);
    const parts = order.slice(0, 3).map(([j, count]) => `at ${named(keys, j)} in ${count}`);
    if (order.length > 3) parts.push(`elsewhere in ${sum(order.slice(3).map(([, count]) => count))}`);
    return `Of ${heads} head${heads > 1 ? "s" : ""}, ${who} looks most ${parts.join(", ")}.`;
  }

  // ------------------------------------------------------------ one small map

  function tile(name, head) {
    const lines = maps[head].map((row, i) => {
      const line = make("span", { class: "line" }, ...row.map((weight, j) => {
        const cell = make("i"), may = !allowed || allowed[i][j];
        cell.className = Number.isNaN(weight) ? "nan" : may ? "" : weight === 0 ? "masked" : "leak";
        cell.style.setProperty("--weight", Math.min(Math.max(weight || 0, 0), 1));
        return cell;
      }));
      line.addEventListener("pointerenter", () => hover(i));
      line.addEventListener("click", () => state.set("focus", i));
      return line;
    });
    const picture = make("span", { class: "picture", "aria-hidden": "true" }, ...lines);
    picture.addEventListener("pointerleave", () => hover(null));
    const says = make("span", { class: "most" });
    const kind = mean && head === maps.length - 1 ? "tile mean" : "tile";
    const node = make("button", { type: "button", class: kind }, make("span", { class: "name" }, name), picture, says);
    node.addEventListener("click", () => state.set("head", head));

    function show(focus, chosen) {
      node.setAttribute("aria-pressed", chosen);
      node.tabIndex = chosen ? 0 : -1;
      lines.forEach((line, i) => line.classList.contains("lit") !== (i === focus) && line.classList.toggle("lit"));
      const found = mostOf(maps[head], focus);
      setText(says, found === null ? "→ –" : `→ ${keys[found]} ${fixed(maps[head][focus][found])}`);
    }
    return { node, show };
  }

  const grid = make("div", { class: "tiles", role: "group", "aria-label": "Heads" }, ...tiles.map(({ node }) => node));
  grid.addEventListener("keydown", (event) => {
    const head = state.get("head"), last = maps.length - 1;
    const next = {
      ArrowLeft: head - 1, ArrowUp: head - 1, ArrowRight: head + 1, ArrowDown: head + 1, Home: 0, End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    state.set("head", Math.min(Math.max(next, 0), last));
    tiles[state.get("head")].node.focus();
  });

  const headSlider = slider(state, "head", "Head", { min: 0, max: maps.length - 1, step: 1, digits: 0 });
  state.on(["head"], () => headSlider.querySelector("input").setAttribute("aria-valuetext", names[state.get("head")]));
  const size = Math.max(5, Math.min(16, Math.floor(112 / Math.max(queries.length, keys.length))));
  root.append(make("div", { class: "heads", style: `--cell: ${size}px; --columns: ${keys.length}` },
    make("div", { class: "controls" }, rowSelect(state, "focus", "Focus Row", () => queries), headSlider),
    make("div", { class: "pair" }, make("div", { class: "small" }, grid, agreement),
      make("div", { class: "large" }, large.node, total.node,
        make("div", { class: "told", "aria-live": "polite" }, sentence, faults, note)))));
  state.on(["head", "focus"], update);
});

// The place of the row's largest weight; null if it looks nowhere. The same as `HeadGrid.most` in heads.py.
function mostOf(weights, focus) {
  const row = weights[focus], largest = Math.max(...row);
  return largest > 0 ? row.indexOf(largest) : null; // NaN is not above 0
}
