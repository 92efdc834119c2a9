// RetrievalPlane: drag the query among the keys; scores, weights and the blend follow.

const EDGE = 0.04; // of the plane, on each side
const SIZE = 320, MIDDLE = SIZE / 2, MARGIN = 72; // the margin is for titles

export default view((state, root) => {
  const [titles, keys, names] = [state.get("titles"), state.get("key_vectors"), state.get("key_names")];
  const [values, valueNames, limit] = [state.get("values"), state.get("value_names"), state.get("limit")];
  const moveTo = (x, y) => state.set("query", [x, y].map((u) =>
    Math.round(Math.min(Math.max(u, -limit), limit) * 20) / 20)); // steps of 0.05

  const plane = drawPlane(keys, titles, names, limit);
  const scores = listTable("How well each title matches", ["title", "score", "weight"], titles);
  const blend = listTable("What you get back", ["value", "blend", "smallest to largest"], valueNames);
  const ranges = transpose(values).map((column) => [Math.min(...column), Math.max(...column)]);

  function update() {
    const query = state.get("query");
    const score = keys.map(([x, y]) => x * query[0] + y * query[1]);
    const [weights] = softmaxRows([score], null, state.get("sharpness"));
    const [mix] = multiply([weights], values);
    plane.paint(query, weights);
    scores.show(score.map((s, i) => [fixed(s), bar(fixed(weights[i]), weights[i])]));
    blend.show(mix.map((b, k) => [fixed(b, 1), track(b, ...ranges[k])]));
  }

  plane.handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    plane.handle.setPointerCapture(event.pointerId);
    plane.handle.focus();
  });
  plane.handle.addEventListener("pointermove", (event) => {
    if (!plane.handle.hasPointerCapture(event.pointerId)) return;
    const box = plane.node.getBoundingClientRect(), scale = (2 * limit) / (box.height * (1 - 2 * EDGE));
    moveTo((event.clientX - box.left - box.width / 2) * scale, (box.top + box.height / 2 - event.clientY) * scale);
  });
  plane.handle.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (!step) return;
    event.preventDefault();
    moveTo(...state.get("query").map((u, axis) => u + step[axis]));
  });

  root.append(
    make("div", { class: "controls" }, slider(state, "sharpness", "Sharpness", { min: 0, max: 5, step: 0.1 }),
      make("span", { class: "hint" }, "Drag the ring, or focus it and use the arrow keys.")),
    make("div", { class: "beside" }, plane.node,
      make("div", { class: "scroll" }, scores.node, blend.node,
        make("p", {}, "score = query · key"), make("p", {}, "weights = softmax(sharpness × score)"))));
  state.on(["query", "sharpness"], update);
});

// ---------------------------------------------------------------- the plane

function shape(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function drawPlane(keys, titles, names, limit) {
  const pixels = (MIDDLE * (1 - 2 * EDGE)) / limit;
  const px = (x) => MIDDLE + x * pixels, py = (y) => MIDDLE - y * pixels;
  const node = shape("svg", { viewBox: `${-MARGIN} 0 ${SIZE + 2 * MARGIN} ${SIZE}`, class: "plane", role: "group",
    "aria-label": `A plane: ${names[0]} to the right, ${names[1]} up; one dot for each key, and the query` });

  for (let u = -Math.floor(limit); u <= limit; u += 1) {
    const kind = u === 0 ? "axis" : "grid";
    node.append(shape("line", { class: kind, x1: px(u), x2: px(u), y1: py(-limit), y2: py(limit) }));
    node.append(shape("line", { class: kind, y1: py(u), y2: py(u), x1: px(-limit), x2: px(limit) }));
    if (u) node.append(shape("text", { class: "tick", x: px(u), y: py(0) + 13, "text-anchor": "middle" }, String(u)));
  }
  node.append(
    shape("text", { class: "name", x: px(limit), y: py(0) + 27, "text-anchor": "end" }, `${names[0]} →`),
    shape("text", { class: "name", x: px(0) + 6, y: py(limit) + 10 }, `↑ ${names[1]}`));

  const dots = keys.map(([x, y], i) => {
    const line = shape("line", { class: "key", x1: px(0), y1: py(0), x2: px(x), y2: py(y) });
    const dot = shape("circle", { class: "key", cx: px(x), cy: py(y) });
    const [away, anchor] = x < 0 ? [-16, "end"] : [16, "start"];
    const label = shape("text", { class: "title", x: px(x) + away, y: py(y) + 4, "text-anchor": anchor }, titles[i]);
    node.append(line, dot, label);
    return { line, dot };
  });

  const arrow = shape("line", { class: "query", x1: px(0), y1: py(0) });
  const [grip, ring] = [shape("circle", { class: "grip", r: 20 }), shape("circle", { class: "ring", r: 11 })];
  const word = shape("text", { class: "query", "text-anchor": "middle" }, "query");
  const handle = shape("g", { class: "handle", tabindex: "0", role: "slider", "aria-label": "Query",
    "aria-valuemin": -limit, "aria-valuemax": limit }, grip, ring, word);
  node.append(arrow, handle);

  function paint([x, y], weights) {
    dots.forEach(({ line, dot }, i) => {
      line.setAttribute("stroke-width", 1 + 4 * weights[i]);
      dot.setAttribute("r", 3.5 + 9 * Math.sqrt(weights[i]));
    });
    arrow.setAttribute("x2", px(x));
    arrow.setAttribute("y2", py(y));
    for (const circle of [grip, ring]) {
      circle.setAttribute("cx", px(x));
      circle.setAttribute("cy", py(y));
    }
    word.setAttribute("x", px(x));
    word.setAttribute("y", py(y) + 25);
    handle.setAttribute("aria-valuenow", x);
    handle.setAttribute("aria-valuetext", `${names[0]} ${fixed(x)}, ${names[1]} ${fixed(y)}`);
  }
  return { node, handle, paint };
}

// ---------------------------------------------------------------- the tables

function listTable(caption, columns, rowNames) {
  const rows = rowNames.map((name) => ({ name, cells: columns.slice(1).map(() => make("td")) }));
  const node = make("table", { class: "list" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...columns.map((column) => make("th", { scope: "col" }, column)))),
    make("tbody", {}, ...rows.map(({ name, cells }) => make("tr", {}, make("th", { scope: "row" }, name), ...cells))));
  const show = (lines) => lines.forEach((line, i) => line.forEach((part, j) => rows[i].cells[j].replaceChildren(part)));
  return { node, show };
}

function bar(text, share) {
  return make("span", { class: "bar", style: `--share: ${share}` }, text);
}

// Where the blend lies between the smallest and the largest value.
function track(blend, smallest, largest) {
  const share = largest > smallest ? (blend - smallest) / (largest - smallest) : 0.5;
  return make("span", { class: "range" }, `${fixed(smallest, 1)} `,
    make("span", { class: "track", style: `--share: ${share}`, "aria-hidden": "true" }), ` ${fixed(largest, 1)}`);
}
