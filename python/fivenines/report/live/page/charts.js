// The charts of the running trial, by Vega-Lite. Figures arrive every 100 ms. Drawing uses CPU time of the browser's
// machine, which may be the one that is measured, so charts are drawn twice a second, and only on a visible page.

import { at } from "./parts.js";

const EVERY = 500;
const SHOWN = 120;  // seconds
const STATES = ["writable", "read_only", "refusing", "away"];

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const narrow = () => at("speed").clientWidth < 400;

const LEFT = { minExtent: 44 };  // aligns the left edges of all charts

function look() {
  const [ink, muted, grid] = ["ink", "muted", "grid"].map(colour);
  const font = "system-ui, 'Liberation Sans', Arial, sans-serif";
  return {
    background: "transparent", font, view: { stroke: null },
    axis: { labelColor: muted, titleColor: muted, gridColor: grid, domainColor: grid, tickColor: grid, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal" },
    legend: { labelColor: ink, titleColor: muted, labelFontSize: 12, orient: "top", title: null, symbolSize: 60 },
    text: { color: ink },
  };
}

const x = title => ({
  field: "t", type: "quantitative", title, axis: { grid: false, tickCount: narrow() ? 4 : 8 },
  scale: { domainMin: { expr: "lo" }, domainMax: { expr: "hi" }, nice: false, zero: false },
});

const faults = () => ({
  data: { name: "marks" },
  mark: { type: "rule", color: colour("fault"), strokeDash: [4, 3], clip: true },
  encoding: { x: { field: "t", type: "quantitative" }, tooltip: [{ field: "text" }] },
});

const line = (field, tone, extra = {}) => ({
  data: { name: "ticks" },
  mark: { type: "line", color: colour(tone), strokeWidth: 1.5, interpolate: "step-before", clip: true, ...extra },
  encoding: { x: x(null), y: { field, type: "quantitative", title: null, axis: LEFT }, detail: { field: "load" } },
});

function spec(layers, height, scale) {
  const params = [{ name: "lo", value: 0 }, { name: "hi", value: 10 }];
  const datasets = { ticks: [], marks: [], bars: [] };
  for (const layer of layers) {
    if (scale && layer.encoding.y) layer.encoding.y.scale = scale;
  }
  return { width: "container", height, autosize: { type: "fit-x", contains: "padding" }, params, datasets, layer: layers, config: look() };
}

const SPECS = {
  speed: () => spec([line("tps", "read_only"), line("failed", "away", { strokeDash: [2, 2] }), faults()], 150, { domainMin: 0, nice: true }),
  times: () => {
    const layers = [line("longest", "grid", { color: colour("muted"), strokeWidth: 0.8 }), line("mean", "read_only"), faults()];
    for (const layer of layers.slice(0, 2)) layer.encoding.y.axis = { ...LEFT, values: [0.1, 1, 10, 100, 1000, 10000], format: "~r" };
    return spec(layers, 150, { type: "log", nice: true });
  },
  roles: () => {
    const y = { field: "node", type: "nominal", title: null, axis: LEFT };
    const tones = { field: "state", type: "nominal", scale: { domain: STATES, range: STATES.map(colour) }, legend: { columns: narrow() ? 2 : 4, labelExpr: "{writable: 'writable', read_only: 'read-only', refusing: 'refuses connections', away: 'no answer'}[datum.label]" } };
    const bar = { data: { name: "bars" }, mark: { type: "bar", height: { band: 0.6 }, clip: true }, encoding: { x: x("seconds"), x2: { field: "end" }, y, color: tones, tooltip: [{ field: "node" }, { field: "state" }, { field: "t", format: ".2f", title: "from" }, { field: "end", format: ".2f", title: "to" }] } };
    return spec([bar, faults()], { step: 24 });
  },
};

let views = {}, drawnAt = 0, due = 0, drawn = null, nodesThen = "";

/** Draw the trial's data: { ticks, changes, events, load, now }; times are seconds since the load began. */
export function draw(data) {
  if (document.hidden || due) return;
  due = setTimeout(() => { due = 0; drawnAt = performance.now(); show(data()); }, Math.max(0, EVERY - (performance.now() - drawnAt)));
}

/** Remove all charts, for another trial or other colours. */
export function forget() {
  Object.values(views).forEach(view => view.then(made => made.finalize()).catch(() => {}));
  views = {};
}

function show(data) {
  if (!window.vegaEmbed || data === null) return;
  const names = [...new Set(data.changes.map(change => change[1]))].sort().join();
  if (names !== nodesThen) { forget(); nodesThen = names; }
  const zero = data.fault ?? 0;
  const moved = seconds => seconds - zero;
  const hi = Math.max(10, data.now), lo = Math.max(0, hi - SHOWN);
  const from = (lo - 2) * 1000;
  const ticks = data.ticks.filter(tick => tick[1] >= from).map(([load, t, tps, failed, mean, longest]) => ({ load, t: moved(t / 1000), tps, failed, mean, longest }));
  const marks = data.events.filter(one => one.kind === "fault" || one.kind === "ended").map(one => ({ t: moved(one.t / 1000), text: `${one.kind} ${one.node}` }));
  const rows = { ticks, marks, bars: bars(data).map(bar => ({ ...bar, t: moved(bar.t), end: moved(bar.end) })) };
  const title = data.fault === null ? "seconds since the load began" : "seconds from the fault";
  for (const name of Object.keys(SPECS)) {
    if (drawn !== title) forget();
    drawn = title;
    views[name] ??= embed(name, title);
    views[name].then(view => feed(view, rows, moved(lo), moved(hi))).catch(error => { at(name).textContent = String(error); });
  }
}

async function embed(name, title) {
  const made = SPECS[name]();
  made.layer.forEach(layer => { if (layer.encoding.x?.scale) layer.encoding.x.title = title; });
  const result = await window.vegaEmbed(at(name), made, { actions: false, renderer: "canvas", ast: true });
  return result.view;
}

function feed(view, rows, lo, hi) {
  const known = view.getState({ data: name => name in rows }).data ?? {};
  for (const name of Object.keys(rows)) if (name in known) view.data(name, rows[name]);
  view.signal("lo", lo).signal("hi", hi).runAsync();
}

/** Return each node's states as bars: from one change to the next, the last one until now. */
function bars({ changes, now }) {
  const found = [], open = new Map();
  for (const [t, node, state] of changes) {
    const before = open.get(node);
    if (before) before.end = t / 1000;
    const bar = { t: t / 1000, end: now, node, state };
    open.set(node, bar);
    found.push(bar);
  }
  return found;
}

window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forget);
