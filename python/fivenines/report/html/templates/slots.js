// fivenines.slots: the time line of a trial as rows for a chart; pure, without a page.
//   steps: segments of [seconds from the fault, width of a slot in ms, successes in each slot].
(() => {
  "use strict";
  const WIDTHS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000];

  // Return the width of a slot in ms at which a period has at most `most` slots.
  const width = (from, to, most = 180) =>
    WIDTHS.find(ms => (to - from) * 1000 / ms <= most) || WIDTHS[WIDTHS.length - 1];

  const words = ms => (ms < 1000 ? `${ms} ms` : ms < 60000 ? `${ms / 1000} s` : `${ms / 60000} min`);

  // Return rows {x, y} from `from` to `to` in slots of `ms`; wider slots of the data are split evenly.
  const rows = (steps, from, to, ms) => {
    const found = [];
    const wide = ms / 1000;
    for (const [start, own, counts] of steps) {
      const step = own / 1000;
      const many = Math.max(1, Math.round(ms / own));
      const share = own > ms ? ms / own : 1;
      // Slots are aligned with those of the trial, so that zooming does not shift them.
      const low = Math.max(0, Math.floor((from - start) / step / many - 1) * many);
      for (let at = low; at < counts.length && start + at * step <= to; at += many) {
        let sum = 0;
        const part = Math.min(many, counts.length - at);
        for (let each = at; each < at + part; each += 1) sum += counts[each];
        found.push({ x: start + at * step, y: sum * share * (many / part) });
      }
      const last = start + counts.length * step;
      if (found.length && last >= from) found.push({ x: Math.min(last, to + wide), y: found.at(-1).y });
    }
    return found;
  };

  // Return the count at a time: [start of the slot, its width in ms, successes], or null.
  const at = (steps, moment) => {
    for (const [start, own, counts] of steps) {
      const index = Math.floor((moment - start) * 1000 / own + 1e-6);
      if (index >= 0 && index < counts.length) return [start + index * own / 1000, own, counts[index]];
    }
    return null;
  };

  // Move centres apart so that labels do not overlap, like drawing.spread_out.
  const spread = (centres, sizes, low, high) => {
    const order = centres.map((_, i) => i).sort((a, b) => centres[a] - centres[b]);
    const moved = [...centres];
    let edge = low;
    for (const i of order) {
      moved[i] = Math.max(moved[i], edge + sizes[i] / 2);
      edge = moved[i] + sizes[i] / 2;
    }
    edge = high;
    for (const i of order.reverse()) {
      moved[i] = Math.min(moved[i], edge - sizes[i] / 2);
      edge = moved[i] - sizes[i] / 2;
    }
    return moved;
  };

  window.fivenines.slots = { width, words, rows, at, spread };
})();
