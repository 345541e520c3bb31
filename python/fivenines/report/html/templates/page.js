// The report: tables become interactive at once, charts when they are near the viewport. After an error the
// static drawing of the same chart stays.
(() => {
  "use strict";
  const fivenines = window.fivenines;
  const live = [];
  let queue = Promise.resolve();

  const answer = async chart => {
    const figure = chart.closest("figure");
    const times = figure.querySelector("script.times");
    const spec = figure.querySelector("script.spec");
    const still = [...chart.childNodes];
    const place = document.createElement("div");
    try {
      if (times) {
        const solution = fivenines.about.solutions.find(each => each.tag === figure.dataset.about);
        if (solution) chart.style.setProperty("--of", solution.colour);
        const pack = await fivenines.unpack(times.textContent);
        await fivenines.timeline(chart, pack, {
          events: figure.querySelector(".events"), finding: figure.querySelector("figcaption p"),
        });
      } else {
        await fivenines.draw(place, JSON.parse(spec.textContent));
        chart.replaceChildren(...place.childNodes);
        fivenines.keys(chart);
      }
      live.push({ chart, still, drawn: [...chart.childNodes] });
      chart.dataset.live = "yes";
    } catch (error) {
      chart.replaceChildren(...still);
      chart.dataset.live = "no";
      console.error("The chart stays a static drawing:", error);
    }
  };

  // Print the static drawings, not the zoomed charts.
  addEventListener("beforeprint", () => live.forEach(each => each.chart.replaceChildren(...each.still)));
  addEventListener("afterprint", () => live.forEach(each => each.chart.replaceChildren(...each.drawn)));

  const safely = act => {
    try { act(); } catch (error) { console.error(error); }
  };

  for (const table of document.querySelectorAll(".scroll table")) safely(() => fivenines.table(table));
  safely(() => fivenines.link(document.querySelector("nav")));

  if (!window.vegaEmbed || !window.IntersectionObserver) return;
  const near = new IntersectionObserver(entries => {
    for (const entry of entries.filter(each => each.isIntersecting)) {
      near.unobserve(entry.target);
      queue = queue.then(() => answer(entry.target));
    }
  }, { rootMargin: "400px" });
  for (const chart of document.querySelectorAll("figure .chart")) {
    if (chart.closest("figure").querySelector("script.spec, script.times")) near.observe(chart);
  }
})();
