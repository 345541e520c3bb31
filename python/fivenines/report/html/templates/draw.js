// fivenines.draw(element, spec): draws a chart of Vega-Lite into an element; resolves to Vega's view.
//   spec: Vega-Lite, with two shorthands: data values as {columns, rows}, and no `config` (that of the page).
//   A datum's `tip` is shown under the pointer: lines are separated by a line feed, the first is the heading.
// fivenines.tip(text, x, y): shows a text at a place of the window; fivenines.tip() hides it.
// The page's <script type="application/json" id="about"> has the settings that its charts share.
(() => {
  "use strict";
  const fivenines = (window.fivenines = window.fivenines || {});
  const common = document.getElementById("about");
  fivenines.about = common ? JSON.parse(common.textContent) : { solutions: [] };

  const rows = values =>
    values && values.columns
      ? values.rows.map(row => Object.fromEntries(values.columns.map((name, i) => [name, row[i]])))
      : values;

  const whole = spec => {
    const found = { ...spec };
    for (const part of ["layer", "concat", "vconcat", "hconcat"]) {
      if (found[part]) found[part] = found[part].map(whole);
    }
    if (found.data && found.data.values) found.data = { ...found.data, values: rows(found.data.values) };
    return found;
  };

  const box = document.createElement("div");
  box.id = "tip";
  box.setAttribute("role", "tooltip");
  box.hidden = true;

  fivenines.tip = (text, x, y) => {
    box.hidden = !text;
    if (!text) return;
    if (!box.isConnected) document.body.append(box);
    const [head, ...rest] = text.split("\n");
    const strong = document.createElement("strong");
    strong.textContent = head;
    box.replaceChildren(strong, ...rest.flatMap(line => [document.createElement("br"), line]));
    const room = document.documentElement.clientWidth;
    const left = x + 14 + box.offsetWidth > room ? x - 14 - box.offsetWidth : x + 14;
    box.style.left = `${Math.max(4, left)}px`;
    box.style.top = `${Math.max(4, y - box.offsetHeight - 10)}px`;
  };

  const pointed = (_, event, __, value) => {
    fivenines.tip(value ? String(value) : "", event.clientX, event.clientY);
  };

  fivenines.draw = async (element, spec) => {
    const place = document.createElement("div");
    const full = { config: fivenines.about.config, ...whole(spec) };
    // `ast` interprets expressions, so that the page can forbid eval. SVG supports CSS variables as colours.
    const { view } = await window.vegaEmbed(place, full, {
      mode: "vega-lite", renderer: "svg", actions: false, defaultStyle: false, ast: true, hover: false,
      tooltip: pointed, logLevel: 1,
    });
    element.replaceChildren(place);
    for (const part of element.querySelectorAll("[class*=of_]")) {
      const tag = /\bof_(\w+?)_\d+_/.exec(part.getAttribute("class"));
      if (tag) part.dataset.of = tag[1];
    }
    const svg = element.querySelector("svg");
    svg.setAttribute("aria-hidden", "true");
    return view;
  };
})();
