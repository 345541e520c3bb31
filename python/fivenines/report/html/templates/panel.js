// fivenines.panel(place, panel): a chart over time by uPlot, in the page's colours and as wide as its place.
//   panel: {height: of the plot, x: () => [from, to], y: () => [low, high], title: of the x axis, series: [options of
//   uPlot's series], above: px above the plot, left: px of the y axis, log, ys: more options of the y axis, ticks: of the x axis,
//   drawn(plot, labels): called after each drawing}. Returns uPlot's object, with `feed(data)` and `remove()`.
// fivenines.tone(place, name): the colour of a CSS variable at a place.
// fivenines.stepped, stepped_before: uPlot's paths of steps after, or before, each point. fivenines.label(text, x, y, style): a text over the plot.
(() => {
  "use strict";
  const fivenines = (window.fivenines = window.fivenines || {});
  const FONT = '12px Arial, "Liberation Sans", Helvetica, sans-serif';
  const LEFT = 42, AXIS = 22, TITLE = 15, RIGHT = 10;
  // The steps of ticks.
  const STEPS = [...Array(14).keys()].flatMap(n => [1, 2, 5].map(digit => Number(`${digit}e${n - 4}`)));
  const shown = new Set();

  fivenines.tone = (place, name) => getComputedStyle(place).getPropertyValue(`--${name}`).trim();

  const pen = document.createElement("canvas").getContext("2d");
  pen.font = FONT;
  fivenines.width_of = text => pen.measureText(text).width;

  // Numbers have narrow no-break spaces between thousands, like those of the tables.
  const number = value =>
    value.toLocaleString("en", { maximumSignificantDigits: 6 }).replaceAll(",", "\u202f").replace("-", "\u2212");

  fivenines.label = (text, x, y, colour = "") => {
    const found = document.createElement("span");
    found.className = "label";
    found.textContent = text;
    found.style.left = `${x}px`;
    found.style.top = `${y}px`;
    if (colour) found.style.color = `var(--${colour})`;
    return found;
  };

  fivenines.stepped = window.uPlot?.paths.stepped({ align: 1 });
  fivenines.stepped_before = window.uPlot?.paths.stepped({ align: -1 });

  fivenines.panel = (place, panel) => {
    const tone = name => () => fivenines.tone(place, name);
    const line = { stroke: tone("muted"), width: 1 };
    const axis = { incrs: STEPS, font: FONT, labelFont: FONT, stroke: tone("muted"), border: { show: true, ...line } };
    const grid = { stroke: tone("grid"), width: 1 };
    const below = AXIS + (panel.title ? TITLE : 0), above = panel.above ?? 8;
    const labels = document.createElement("div");
    const size = () => ({ width: Math.max(120, place.clientWidth), height: panel.height + below + above });
    const plot = new window.uPlot({
      ...size(), padding: [above, RIGHT, 0, 0], pxAlign: 0,
      legend: { show: false }, cursor: { show: false }, select: { show: false },
      scales: {
        x: { time: false, range: panel.x },
        y: { range: panel.y, ...(panel.log ? { distr: 3 } : {}) },
      },
      axes: [
        { ...axis, grid: { show: false }, ticks: { size: 5, ...line }, gap: 3, size: AXIS, space: 50,
          values: (_, splits) => splits.map(number), ...(panel.title ? { label: panel.title, labelSize: TITLE, labelGap: 0 } : {}), ...panel.ticks },
        { ...axis, grid, ticks: { size: 5, ...line }, gap: 3, size: panel.left ?? LEFT, space: 28,
          values: (_, splits) => splits.map(value => (value === null ? null : number(value))), ...panel.ys },
      ],
      series: [{}, ...panel.series.map(each => ({ points: { show: false }, spanGaps: true, ...each }))],
      hooks: { draw: [() => panel.drawn?.(plot, labels)] },
    }, [[], ...panel.series.map(() => [])], place);
    labels.className = "labels";
    plot.over.append(labels);
    const fitting = new ResizeObserver(() => {
      if (place.clientWidth && Math.abs(place.clientWidth - plot.width) >= 1) plot.setSize(size());
    });
    fitting.observe(place);
    shown.add(plot);
    plot.feed = data => plot.setData(data);
    plot.remove = () => { fitting.disconnect(); shown.delete(plot); plot.destroy(); };
    return plot;
  };

  // A canvas keeps its colours until it is drawn again.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown.forEach(each => each.redraw()));
})();
