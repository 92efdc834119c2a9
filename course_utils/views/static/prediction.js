// Prediction: only the question and, once it is answered, the author's text.

export default view((state, root) => {
  const reveal = make("div", { class: "reveal" });
  reveal.innerHTML = state.get("reveal"); // the author's own HTML
  root.append(reveal);
});
