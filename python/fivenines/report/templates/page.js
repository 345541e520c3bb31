// The report: its tables answer at once, its charts when they come near the screen. An error leaves the
// drawing that stands there, which is the same chart.
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
      console.error("A chart stays a picture:", error);
    }
  };

  // on paper the drawing of the page as it was written, whatever was zoomed
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
