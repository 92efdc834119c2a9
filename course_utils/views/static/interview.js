// Trainer: draws the screen the kernel gives, and sends back which button was pressed. All text is set as text.

const spoken = (text) => text.split(/(`[^`]+`)/).map((piece) =>
  piece.startsWith("`") && piece.length > 2 ? make("code", {}, piece.slice(1, -1)) : piece);

// A paragraph for each line; numbers and code, which are indented, stay together and keep their columns.
const paragraphs = (text, code = false) => text.split(code ? /$^/ : /\n{2,}(?! )/).filter(Boolean).flatMap((part) =>
  code || /\n {2}/.test(part) ? [make("p", { class: "code" }, part)]
    : part.split("\n").map((line) => make("p", {}, ...spoken(line))));

const time = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

function clock({ seconds, minutes, running }) {
  const node = make("p", { class: "clock" });
  const began = performance.now();
  const paint = () => {
    const now = seconds + (running ? (performance.now() - began) / 1000 : 0);
    setText(node, `${time(now)} of ${minutes}:00${running ? "" : ", the clock stands"}`);
    node.classList.toggle("over", now > 60 * minutes);
  };
  paint();
  return { node, paint };
}

// Tab indents, as in an editor; Escape leaves, so that the keyboard is not caught.
function editKeys(area, leave, check) {
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave();
    else if (event.key === "Enter" && (event.shiftKey || event.ctrlKey)) check();
    else if (event.key === "Tab" && !event.shiftKey) area.setRangeText("    ", area.selectionStart, area.selectionEnd, "end");
    else if (event.key === "Enter") {
      const line = area.value.slice(0, area.selectionStart).split("\n").at(-1);
      const deeper = line.trimEnd().endsWith(":") ? "    " : "";
      area.setRangeText(`\n${line.match(/^ */)[0]}${deeper}`, area.selectionStart, area.selectionEnd, "end");
    } else return;
    event.preventDefault();
  });
}

export default view((state, root) => {
  const panel = make("div", { class: "trainer", role: "group", "aria-label": "Interview trainer" });
  root.append(panel);
  let ticking = { paint() {} }, box = null, shown = null;
  setInterval(() => panel.isConnected && ticking.paint(), 500); // out of sight, JupyterLab takes it off the page
  const status = make("div", { class: "message", role: "status" }); // always the same, so that changes are read out

  const act = (action) => {
    if (action === "date" && document.activeElement !== box && box.value === state.get("card").box.text) {
      box.focus(); // first the date is written
      box.select();
      return;
    }
    const value = box ? box.value : null;
    state.set("events", [...state.get("events"), { do: action, value }]);
  };

  function draw() {
    const card = state.get("card");
    if (!card.actions) return;
    const held = panel.contains(document.activeElement);
    const key = held ? document.activeElement.dataset.key : null;
    const place = box && document.activeElement === box ? [box.selectionStart, box.selectionEnd, box.scrollTop] : null;
    const before = shown, same = before !== null && before.title === card.title && before.text === card.text;
    shown = card;

    const head = make("div", { class: "head" }, make("h3", {}, card.title), make("p", {}, card.facts));
    ticking = { paint() {} };
    if (card.clock.minutes) {
      ticking = clock(card.clock);
      head.append(ticking.node);
    }
    const text = make("div", { class: "text", tabindex: "-1", "data-key": "text" }, ...paragraphs(card.text));
    const parts = card.parts.map(({ label, text: said }) => make("section", { class: "part" }, make("h4", {}, label),
      ...paragraphs(said, label === "Reference" || label === "How it shows")));
    panel.replaceChildren(head, ...card.notes.map((note) => make("p", { class: "note" }, note)), text, ...parts);
    if (card.points.length) panel.append(points(card.points));
    box = null;
    if (card.box.kind && card.kind !== "start") panel.append(boxFor(card));
    panel.append(status);
    status.replaceChildren(...paragraphs(card.message));
    if (card.table.length) panel.append(table(card.table));
    const buttons = make("div", { class: "actions" }, ...card.actions.map(([action, label, letter], i) => {
      const button = make("button", { type: "button", "data-key": action, "aria-keyshortcuts": letter,
        class: i ? "" : "first" }, label, make("kbd", { "aria-hidden": "true" }, letter));
      button.addEventListener("click", () => act(action));
      return button;
    }));
    panel.append(buttons);

    if (card.box.kind && card.kind === "start") panel.append(boxFor(card));

    if (!held) return; // the page belongs to the learner until the panel is used
    const again = same && key ? panel.querySelector(`[data-key="${CSS.escape(key)}"]`) : null;
    const next = again ?? (card.kind === "drill" && box && !same ? box : same ? panel.querySelector("button.first") : text);
    next.focus({ preventScroll: true });
    if (place && next === box) [box.selectionStart, box.selectionEnd, box.scrollTop] = place;
    // What is new comes into view, and if there is room the buttons, too.
    const fresh = !same ? head : parts.length > before.parts.length ? parts.at(-1)
      : card.message !== before.message || card.actions.length !== before.actions.length ? status : null;
    for (const node of fresh ? [buttons, fresh] : []) node.scrollIntoView({ block: "nearest" });
  }

  function points(all) {
    const labels = all.map(({ text, ticked }, i) => {
      const input = make("input", { type: "checkbox", "data-key": `tick ${i + 1}` });
      input.checked = ticked;
      input.addEventListener("input", () => act(`tick ${i + 1}`));
      return make("label", {}, input, make("kbd", { "aria-hidden": "true" }, String(i + 1)), make("span", {}, ...spoken(text)));
    });
    const name = make("h4", {}, "Key points: which did you say?");
    return make("div", { class: "points", role: "group", "aria-label": name.textContent }, name, ...labels);
  }

  function boxFor(card) {
    const code = card.box.kind === "code";
    box = make(code ? "textarea" : "input", { "data-key": "box", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    box.value = card.box.text;
    const first = () => act(card.kind === "start" ? "date" : card.actions[0][0]);
    if (code) {
      box.rows = Math.min(Math.max(card.box.text.split("\n").length + 3, 8), 24);
      editKeys(box, () => panel.querySelector("button.first").focus(), first);
    } else box.addEventListener("keydown", (event) => { if (event.key === "Enter") first(); });
    const open = card.actions[0][0] === "check";
    if (code && !open) box.readOnly = true;
    const hint = code && open ? " (Tab indents, Shift+Enter checks, Escape leaves the box)" : "";
    return make("label", { class: "box" }, card.box.label + hint, box);
  }

  function table(rows) {
    const head = make("tr", {}, ...["", "", "asked", "points"].map((word) => make("th", { scope: "col" }, word)));
    const body = rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, String(cell)))));
    return make("table", {}, make("caption", {}, "By topic, type and level"), make("thead", {}, head), make("tbody", {}, ...body));
  }

  // One letter chooses, unless it is being written.
  panel.addEventListener("keydown", (event) => {
    if (event.target.matches("textarea, input:not([type=checkbox])") || event.ctrlKey || event.metaKey || event.altKey) return;
    const { actions, points: all } = state.get("card");
    const chosen = actions.find(([, , letter]) => letter === event.key);
    const number = Number(event.key);
    if (chosen) act(chosen[0]);
    else if (all.length && number >= 1 && number <= all.length) act(`tick ${number}`);
    else return;
    event.preventDefault();
  });

  state.on(["card"], draw);
});
