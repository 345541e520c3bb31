// The report: tables and drawings become interactive at once, time lines when they are near the viewport. After an
// error the static drawing of the same chart stays.
(() => {
  "use strict";
  const fivenines = window.fivenines;
  const live = [];
  let queue = Promise.resolve();

  const answer = async chart => {
    const figure = chart.closest("figure");
    const still = [...chart.childNodes];
    try {
      const solution = fivenines.about.solutions.find(each => each.tag === figure.dataset.about);
      if (solution) chart.style.setProperty("--of", solution.colour);
      const pack = await fivenines.unpack(figure.querySelector("script.times").textContent);
      fivenines.timeline(chart, pack, {
        events: figure.querySelector(".events"), finding: figure.querySelector("figcaption p"),
      });
      live.push({ chart, still, drawn: [...chart.childNodes] });
      chart.dataset.live = "yes";
    } catch (error) {
      chart.replaceChildren(...still);
      chart.dataset.live = "no";
      console.error("The chart stays a static drawing:", error);
    }
  };

  // Marks of drawings have values.
  const valued = async packed => {
    for (const [id, tips] of Object.entries(await fivenines.unpack(packed.textContent))) {
      const chart = document.getElementById(id).closest(".chart");
      fivenines.values(chart, tips);
      chart.dataset.live = "yes";
    }
  };

  // Print the static drawings, not the zoomed charts.
  addEventListener("beforeprint", () => live.forEach(each => each.chart.replaceChildren(...each.still)));
  addEventListener("afterprint", () => live.forEach(each => each.chart.replaceChildren(...each.drawn)));

  const safely = act => {
    try { act(); } catch (error) { console.error(error); }
  };

  // Further rows of long tables are compressed.
  const whole = async table => {
    const rest = table.parentElement.querySelector("script.rows");
    if (rest) table.tBodies[0].insertAdjacentHTML("beforeend", await fivenines.unpack(rest.textContent));
    fivenines.table(table);
  };
  for (const table of document.querySelectorAll(".scroll table")) whole(table).catch(error => console.error(error));
  safely(() => fivenines.link(document.querySelector("nav")));

  const packed = document.getElementById("tips");
  if (packed) valued(packed).catch(error => console.error(error));

  if (!window.uPlot || !window.IntersectionObserver) return;
  const near = new IntersectionObserver(entries => {
    for (const entry of entries.filter(each => each.isIntersecting)) {
      near.unobserve(entry.target);
      queue = queue.then(() => answer(entry.target));
    }
  }, { rootMargin: "400px" });
  for (const chart of document.querySelectorAll("figure .chart")) {
    if (chart.closest("figure").querySelector("script.times")) near.observe(chart);
  }
})();
