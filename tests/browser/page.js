// A page without Jupyter: each widget gets a stand-in for its model. `window.models` holds them, in order.

function standIn(state) {
  const callbacks = {};
  return {
    saves: 0,
    get: (name) => state[name],
    set(name, value) {
      if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = value;
      [...(callbacks[`change:${name}`] ?? [])].forEach((callback) => callback());
    },
    on: (name, callback) => (callbacks[name] ??= []).push(callback),
    off: (name, callback) => { callbacks[name] = (callbacks[name] ?? []).filter((other) => other !== callback); },
    save_changes() { this.saves += 1; },
  };
}

window.models = page.widgets.map(({ state }) => standIn(state));

// Draws widget `i` once more, at the end of the page.
window.drawAgain = async (i) => {
  const code = new Blob([page.code[page.widgets[i].kind]], { type: "text/javascript" });
  const url = URL.createObjectURL(code);
  const el = document.body.appendChild(document.createElement("div"));
  const module = await import(url);
  URL.revokeObjectURL(url);
  return module.default.render({ model: window.models[i], el });
};

(async () => {
  for (const i of page.widgets.keys()) await window.drawAgain(i);
  document.body.dataset.drawn = "yes";
})();
