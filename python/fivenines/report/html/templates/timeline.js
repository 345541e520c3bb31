// fivenines.timeline(element, pack, linked): the time line of a trial that zooms, and switches trials.
//   pack: {note, tops: {writes: largest count per 100 ms of all charts of this scale, …}, trials: [{id, about, fault, from, to, marks: [[t, text, fault]],
//          panels: {writes: {steps, gaps: [[start, end, text]]}, reads: …}}]}, times in seconds from the fault.
//   linked: the elements {events: <ol>, finding: <p>} that follow the chosen trial; each may be absent.
// fivenines.unpack(text): decodes a pack from base64 of gzip.
(() => {
  "use strict";
  const fivenines = window.fivenines;
  const { slots } = fivenines;
  const PLOT = 350, BRACKET = 12, LEAST = 0.01;

  // The width of a label in px, by the font of all charts.
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = '12px Arial, "Liberation Sans", Helvetica, sans-serif';
  const room = text => pen.measureText(text).width + 8;

  fivenines.unpack = async text => {
    const bytes = Uint8Array.from(atob(text.trim()), letter => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(plain).text());
  };

  const signed = (seconds, digits) =>
    (seconds < 0 ? "\u2212" : "+") + Math.abs(seconds).toFixed(digits) + " s";

  // Return Vega's data for a period; `px` is the place of a time in the plot.
  const drawn = (pack, trial, whats, from, to) => {
    const px = t => PLOT * (t - from) / (to - from);
    const ms = slots.width(from, to);
    const found = { signals: { from, to, per: slots.words(ms) }, data: {}, ms };
    for (const what of whats) {
      const { steps, gaps } = trial.panels[what];
      const own = slots.rows(steps, from, to, ms);
      const faint = pack.trials.filter(each => each !== trial).slice(0, 8).flatMap(each =>
        slots.rows(each.panels[what].steps, from, to, Math.max(ms, 100))
          .map(row => ({ trial: each.id, x: row.x, y: row.y * Math.min(1, ms / 100) })));
      const seen = gaps.filter(([start, end]) => end > from && start < to);
      found.data[what] = own;
      found.data[`${what}_faint`] = faint;
      found.data[`${what}_gaps`] = seen.map(([a, b]) => ({ a: Math.max(a, from), b: Math.min(b, to) }));
      found.data[`${what}_ends`] = seen.flatMap(([a, b]) => [a, b]).filter(x => x >= from && x <= to)
        .map(x => ({ x }));
      found.data[`${what}_words`] = words(seen, px, from);
      const most = ms >= 100 ? (pack.tops?.[what] ?? 0) * ms / 100 : 0;
      found.signals[`top_${what}`] = 1.45 * Math.max(1, most, ...own.map(row => row.y), ...faint.map(row => row.y));
    }
    found.data.marks = marks(trial, px, from, to);
    return found;
  };

  const sum = sizes => sizes.reduce((total, size) => total + size, 0);
  const lane = (sizes, lanes, n) => sizes.filter((_, i) => i % lanes === n);

  // Return labels that fit into one or two rows: without room, lengths without causes; then every other one.
  const fitting = gaps => {
    const whole = gaps.map(([, , text]) => text);
    const short = whole.map(text => text.split(":")[0]);
    for (const texts of [whole, short]) {
      const sizes = texts.map(room);
      if (sum(sizes) < PLOT) return { texts, sizes, lanes: 1 };
      if ([0, 1].every(n => sum(lane(sizes, 2, n)) < PLOT)) return { texts, sizes, lanes: 2 };
    }
    if (gaps.length < 2) return { texts: short, sizes: short.map(room), lanes: 1 };
    const half = fitting(gaps.filter((_, i) => i % 2 === 0));
    const every = values => gaps.map((_, i) => (i % 2 ? null : values[i / 2]));
    const texts = every(half.texts).map(text => text ?? "");
    return { texts, sizes: every(half.sizes).map(size => size ?? 0), lanes: half.lanes };
  };

  // Place the labels of interruptions in one or two rows without overlaps.
  const words = (gaps, px, from) => {
    const { texts, sizes, lanes } = fitting(gaps);
    const found = [];
    for (let lane = 0; lane < lanes; lane += 1) {
      const own = gaps.map((_, i) => i).filter(i => i % lanes === lane);
      const places = slots.spread(own.map(i => px(Math.max(gaps[i][0], from)) + sizes[i] / 2),
        own.map(i => sizes[i]), 0, PLOT);
      own.forEach((i, n) => found.push({ x: places[n], y: BRACKET + 13 * (lane + 1), text: texts[i] }));
    }
    return found;
  };

  const marks = (trial, px, from, to) => {
    const all = trial.marks.map(([t, , fault], i) => ({ t, fault, label: String(i + 1) }))
      .filter(mark => mark.t >= from && mark.t <= to);
    const sizes = all.map(mark => 8 * mark.label.length + 4);
    const places = slots.spread(all.map(mark => px(mark.t)), sizes, -20, PLOT + 8);
    all.forEach((mark, i) => { mark.place = places[i]; });
    const zero = from <= 0 && to >= 0;
    const name = { t: 0, fault: true, label: trial.fault, place: px(0) - 3.4 * trial.fault.length - 6 };
    // Without room left of the fault's line, omit its label: the axis counts from the fault.
    if (zero) all.push(name.place > 3.4 * trial.fault.length - 44 ? name : { ...name, label: "" });
    return all;
  };

  // Describe the values at a time, with the precision of the slots.
  const readout = (trial, whats, now, t) => {
    const digits = now.ms >= 1000 ? 0 : now.ms >= 100 ? 1 : 2;
    const lines = whats.map(what => {
      const row = now.data[what].findLast(each => each.x <= t);
      return row ? `${what}: ${Number(row.y.toPrecision(3))} in ${slots.words(now.ms)}` : `${what}: not counted`;
    });
    for (const what of whats) {
      const gap = trial.panels[what].gaps.find(([start, end]) => start <= t && t <= end);
      if (gap) lines.push(`${what} unavailable for ${gap[2]}`);
    }
    const reach = 5 * (now.signals.to - now.signals.from) / PLOT;
    trial.marks.forEach(([at, text], i) => {
      if (Math.abs(at - t) <= reach) lines.push(`${i + 1}: ${text} (${signed(at, 2)})`);
    });
    return [`${signed(t, digits)} from the fault`, ...lines].join("\n");
  };

  const button = (text, label, act) => {
    const found = document.createElement("button");
    found.type = "button";
    found.textContent = text;
    found.title = label;
    found.setAttribute("aria-label", label);
    found.addEventListener("click", act);
    return found;
  };

  const chooser = (trials, chosen) => {
    const label = document.createElement("label");
    const field = document.createElement("select");
    trials.forEach((trial, i) => {
      const text = i ? trial.id : `${trial.id} (median outage)`;
      field.append(new Option(trials.length > 1 ? text : trial.id, String(i)));
    });
    field.disabled = trials.length < 2;
    field.addEventListener("change", () => chosen(trials[Number(field.value)]));
    label.append("Trial ", field);
    return label;
  };

  const tell = (linked, trial) => {
    if (linked.finding) linked.finding.textContent = trial.about;
    if (!linked.events) return;
    linked.events.replaceChildren(...trial.marks.map(([t, text]) => {
      const line = document.createElement("li");
      const when = document.createElement("span");
      when.className = "when";
      when.textContent = signed(t, 2);
      line.append(when, ` ${text}`);
      return line;
    }));
  };

  fivenines.timeline = async (element, pack, linked = {}) => {
    const whats = ["writes", "reads"].filter(what =>
      pack.trials.some(trial => trial.panels[what].steps.length));
    const frame = fivenines.about.timeline;
    const spec = { ...frame, vconcat: frame.vconcat.filter(panel => whats.includes(panel.name)) };
    const chart = document.createElement("div");
    const view = await fivenines.draw(chart, spec);
    const state = { trial: pack.trials[0], from: 0, to: 1, now: null, shown: null };

    const show = async () => {
      state.now = drawn(pack, state.trial, whats, state.from, state.to);
      const { signals, data } = state.now;
      for (const [name, value] of Object.entries(signals)) {
        if (!name.startsWith("top_") || whats.includes(name.slice(4))) view.signal(name, value);
      }
      for (const [name, rows] of Object.entries(data)) view.data(name, rows);
      element.dataset.from = String(state.from);
      element.dataset.to = String(state.to);
      element.dataset.slot = String(state.now.ms);
      state.shown = view.runAsync();
      await state.shown;
    };

    const zoom = (from, to) => {
      const least = state.trial.from, most = state.trial.to;
      const wide = Math.min(most - least, Math.max(LEAST, to - from));
      const middle = (from + to) / 2;
      state.from = Math.min(Math.max(least, middle - wide / 2), most - wide);
      state.to = state.from + wide;
      return show();
    };
    const all = () => zoom(state.trial.from, state.trial.to);
    const by = (factor, around = (state.from + state.to) / 2) =>
      zoom(around - (around - state.from) * factor, around + (state.to - around) * factor);
    const pan = part => {
      const step = part * (state.to - state.from);
      return zoom(state.from + step, state.to + step);
    };

    const bar = document.createElement("div");
    bar.className = "controls";
    const note = document.createElement("small");
    note.textContent = `${pack.note} Drag over a stretch of time to zoom in, or use the wheel after a click.`;
    bar.append(
      chooser(pack.trials, trial => { state.trial = trial; tell(linked, trial); all(); }),
      button("\u2212", "Zoom out", () => by(2)), button("+", "Zoom in", () => by(0.5)),
      button("\u25c2", "Earlier", () => pan(-0.5)), button("\u25b8", "Later", () => pan(0.5)),
      button("Fault", "Half a second on both sides of the fault", () => zoom(-0.5, 0.5)),
      button("All", "The whole trial", all), note);

    element.replaceChildren(chart);
    element.before(bar);
    fivenines.gestures(element, {
      state, by, pan, zoom, all, words: t => readout(state.trial, whats, state.now, t),
    });
    tell(linked, state.trial);
    await all();
    return { view, zoom, all, bar };
  };
})();
