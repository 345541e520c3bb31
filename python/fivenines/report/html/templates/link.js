// fivenines.pick(tag): highlights one solution in all charts and fades the others; without a tag, shows all.
// data-of names the solution of parts of charts, rows and buttons; data-about that of a figure.
(() => {
  "use strict";
  const fivenines = window.fivenines;
  const solutions = fivenines.about.solutions;
  const sheet = document.createElement("style");
  const known = new Map(solutions.map(each => [each.tag, each]));
  let held = "";
  let waiting = 0;

  const show = tag => {
    const others = `:not([data-of="${tag}"])`;
    sheet.textContent = tag
      ? `@media screen { .chart [data-of]${others}, figure[data-about]:not([data-about="${tag}"]) .chart`
        + " { opacity: .13 } }"
      : "";
    document.documentElement.dataset.picked = tag;
  };

  const soon = tag => {
    clearTimeout(waiting);
    waiting = setTimeout(() => show(tag || held), 60);
  };

  fivenines.pick = tag => {
    held = tag || "";
    clearTimeout(waiting);
    show(held);
    for (const button of document.querySelectorAll("button[data-of]")) {
      button.setAttribute("aria-pressed", String(button.dataset.of === held));
    }
    chip.hidden = !held;
    chip.querySelector("b").textContent = held ? known.get(held).name : "";
  };

  const chip = document.createElement("p");
  chip.className = "chip";
  chip.hidden = true;
  chip.innerHTML = "Shown: <b></b> <button type=button>Show all (Esc)</button>";

  const swatch = solution => {
    const found = document.createElement("i");
    found.style.background = solution.colour;
    return found;
  };

  const legend = () => {
    const found = document.createElement("div");
    found.className = "legend";
    found.setAttribute("role", "group");
    found.setAttribute("aria-label", "Show one solution in all charts");
    for (const solution of solutions) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.of = solution.tag;
      button.setAttribute("aria-pressed", "false");
      button.append(swatch(solution), solution.name);
      found.append(button);
    }
    return found;
  };

  const mark_rows = () => {
    const tags = new Map(solutions.map(each => [each.name, each.tag]));
    for (const head of document.querySelectorAll("tbody tr > th:first-child")) {
      const tag = tags.get(head.textContent.trim());
      if (tag) head.parentElement.dataset.of = tag;
    }
  };

  const of = event => {
    const found = event.target instanceof Element && event.target.closest("[data-of]");
    return found && known.has(found.dataset.of) ? found : null;
  };

  // Call once per page: the legend goes into `place`.
  fivenines.link = place => {
    if (solutions.length < 2) return;
    document.head.append(sheet);
    document.body.append(chip);
    if (place) place.append(legend());
    mark_rows();
    chip.querySelector("button").addEventListener("click", () => fivenines.pick());
    document.addEventListener("pointerover", event => soon(of(event)?.dataset.of));
    document.addEventListener("focusin", event => soon(of(event)?.dataset.of));
    document.documentElement.addEventListener("pointerleave", () => soon(""));
    document.addEventListener("click", event => {
      const found = of(event);
      // Only the head of a row selects its solution, so that users can select and copy figures.
      if (!found || (found.tagName === "TR" && !event.target.closest("th"))) return;
      fivenines.pick(found.dataset.of === held ? "" : found.dataset.of);
    });
    document.addEventListener("keydown", event => {
      if (event.key === "Escape") { fivenines.tip(); fivenines.pick(); }
    });
  };
})();
