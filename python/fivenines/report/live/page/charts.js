// The charts of the running trial, by the report's panels. Figures arrive every 100 ms. Drawing uses CPU time of the
// browser's machine, which may be the one that is measured, so charts are drawn twice a second, and only on a visible page.

import { at } from "./parts.js";

const { panel, stepped_before, tone, width_of, tip } = window.fivenines;

const EVERY = 500;
const SHOWN = 120;  // seconds
const STATES = { writable: "writable", read_only: "read-only", refusing: "refuses connections", away: "no answer" };
const BAND = 26, HIGH = 150;
const NONE = { t: [], loads: [], bars: [], marks: [], nodes: [] };

let now = { ...NONE, lo: 0, hi: 10 };
let charts = {}, drawnAt = 0, due = 0, shape = "";

const across = () => [now.lo, now.hi];

/** Return the series of uPlot for each load, in the order of `columns`. */
const lines = (...styles) => now.loads.flatMap(() => styles.map(({ colour, ...style }) => ({
  stroke: plot => tone(plot.root, colour), width: 1.5, paths: stepped_before, spanGaps: false, ...style,
})));

/** Return the columns of these fields for each load, over the times of all loads. */
const columns = (...fields) => window.uPlot.join(
  now.loads.map(rows => [rows.map(row => row.t), ...fields.map(field => rows.map(row => row[field]))]));

const KINDS = {
  speed: {
    panel: () => ({
      height: HIGH, series: lines({ colour: "read_only" }, { colour: "away", dash: [3, 3] }),
      y: (_, __, most) => [0, Math.max(1, 1.1 * (most ?? 1))],
    }),
    data: () => columns("tps", "failed"),
    words: t => row_words(t, row => [`${Math.round(row.tps)} succeeded per second`, `${Math.round(row.failed)} failed per second`]),
  },
  times: {
    panel: () => ({
      height: HIGH, log: true, series: lines({ colour: "muted", width: 0.8 }, { colour: "read_only" }),
      y: (_, least, most) => [10 ** Math.floor(Math.log10(least ?? 1)), 10 ** Math.ceil(Math.log10((most ?? 10) * 1.01))],
      ys: {
        splits: (_, __, low, high) => [...Array(12).keys()].map(n => Number(`1e${n - 3}`)).filter(each => each >= low && each <= high),
        filter: (_, splits) => splits,
      },
    }),
    data: () => columns("longest", "mean"),
    words: t => row_words(t, row => row.mean === null ? ["no answer"]
      : [`${Number(row.mean.toPrecision(3))} ms on average`, `${Number(row.longest.toPrecision(3))} ms at most`]),
  },
  roles: {
    panel: () => ({
      height: BAND * now.nodes.length, series: [{ paths: () => null }],
      left: Math.max(42, ...now.nodes.map(node => width_of(node) + 14)),
      y: () => [0, now.nodes.length],
      ys: {
        grid: { show: false }, ticks: { show: false },
        splits: () => now.nodes.map((_, n) => now.nodes.length - n - 0.5), values: () => now.nodes,
      },
    }),
    data: () => [[now.lo, now.hi], [0, 0]],
    drawn: rows_of_nodes,
    words: (t, part) => {
      const node = now.nodes[Math.floor(part * now.nodes.length)];
      const bar = now.bars.findLast(each => each.node === node && each.from <= t && t <= each.end);
      return bar ? [`${node}: ${STATES[bar.state] ?? bar.state}`, `${seconds(bar.from)} to ${seconds(bar.end)}`] : [];
    },
  },
};

const seconds = t => `${t.toFixed(2)} s`;

function row_words(t, words) {
  const found = now.loads.map(rows => rows.find(row => row.t >= t && row.t - t < 0.5)).filter(Boolean);
  return found.length ? [`at ${seconds(t)}`, ...found.flatMap(words)] : [];
}

/** Draw each node's states, from one change to the next. */
function rows_of_nodes(plot) {
  const { ctx, bbox } = plot, band = bbox.height / Math.max(1, now.nodes.length);
  for (const { node, from, end, state } of now.bars) {
    const left = plot.valToPos(Math.max(from, now.lo), "x", true), right = plot.valToPos(Math.min(end, now.hi), "x", true);
    if (right <= left) continue;
    ctx.fillStyle = tone(plot.root, state);
    ctx.fillRect(left, bbox.top + band * (now.nodes.indexOf(node) + 0.2), right - left, 0.6 * band);
  }
}

/** Draw a line at each fault. */
function rules(plot) {
  const { ctx, bbox } = plot, ratio = window.uPlot.pxRatio;
  ctx.save();
  ctx.strokeStyle = tone(plot.root, "fault");
  ctx.lineWidth = ratio;
  ctx.setLineDash([4 * ratio, 3 * ratio]);
  ctx.beginPath();
  for (const { t } of now.marks.filter(mark => mark.t >= now.lo && mark.t <= now.hi)) {
    const x = plot.valToPos(t, "x", true);
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

function made(name, title) {
  const kind = KINDS[name];
  const plot = panel(at(name), { x: across, title, drawn: own => { kind.drawn?.(own); rules(own); }, ...kind.panel() });
  plot.over.addEventListener("pointermove", event => {
    const place = plot.over.getBoundingClientRect();
    const t = plot.posToVal(event.clientX - place.left, "x");
    const near = 5 * (now.hi - now.lo) / place.width;
    const marks = now.marks.filter(mark => Math.abs(mark.t - t) <= near).map(mark => mark.text);
    tip([...marks, ...kind.words(t, (event.clientY - place.top) / place.height)].join("\n"), event.clientX, event.clientY);
  });
  plot.over.addEventListener("pointerleave", () => tip());
  return plot;
}

/** Draw the trial's data: { ticks, changes, events, load, now }; times are seconds since the load began. */
export function draw(data) {
  if (document.hidden || due) return;
  due = setTimeout(() => { due = 0; drawnAt = performance.now(); show(data()); }, Math.max(0, EVERY - (performance.now() - drawnAt)));
}

/** Remove all charts, for another trial. */
export function forget() {
  Object.values(charts).forEach(each => each.remove());
  charts = {};
}

function show(data) {
  if (!window.uPlot || data === null) return;
  const zero = data.fault ?? 0;
  const hi = Math.max(10, data.now), lo = Math.max(0, hi - SHOWN);
  const loads = new Map();
  for (const [load, t, tps, failed, mean, longest] of data.ticks) {
    if (t < (lo - 2) * 1000) continue;
    if (!loads.has(load)) loads.set(load, []);
    loads.get(load).push({ t: t / 1000 - zero, tps, failed, mean, longest });
  }
  now = {
    lo: lo - zero, hi: hi - zero, loads: [...loads.values()], nodes: [...new Set(data.changes.map(change => change[1]))].sort(),
    bars: bars(data).map(bar => ({ ...bar, from: bar.t - zero, end: bar.end - zero })),
    marks: data.events.filter(one => one.kind === "fault" || one.kind === "ended")
      .map(one => ({ t: one.t / 1000 - zero, text: `${one.kind} ${one.node}` })),
  };
  const title = data.fault === null ? "seconds since the load began" : "seconds from the fault";
  const wanted = JSON.stringify([title, now.nodes, now.loads.length]);
  if (wanted !== shape) forget();
  shape = wanted;
  for (const [name, kind] of Object.entries(KINDS)) {
    if (!(name === "roles" ? now.nodes : now.loads).length) continue;
    charts[name] ??= made(name, title);
    charts[name].feed(kind.data());
  }
}

/** Return each node's states as bars: from one change to the next, the last one until now. */
function bars({ changes, now: end }) {
  const found = [], open = new Map();
  for (const [t, node, state] of changes) {
    const before = open.get(node);
    if (before) before.end = t / 1000;
    const bar = { t: t / 1000, end, node, state };
    open.set(node, bar);
    found.push(bar);
  }
  return found;
}
