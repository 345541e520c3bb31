// fivenines.timeline(element, pack, linked): the time line of a trial that zooms, and switches trials.
//   pack: {note, tops: {writes: largest count per 100 ms of all charts of this scale, …}, trials: [{id, about, fault,
//          from, to, marks: [[t, text, fault]], panels: {writes: {steps, gaps: [[start, end, text]]}, reads: …}}]},
//          times in seconds from the fault.
//   linked: the elements {events: <ol>, finding: <p>} that follow the chosen trial; each may be absent.
(() => {
  "use strict";
  const fivenines = window.fivenines;
  const { slots } = fivenines;
  const FAINT = 8, HEIGHT = 112, ABOVE = 20, BRACKET = 12, LEAST = 0.01;
  const tone = (place, name) => fivenines.tone(place, name) || fivenines.tone(place, "ink");
  const room = text => fivenines.width_of(text) + 8;

  const signed = (seconds, digits) =>
    (seconds < 0 ? "\u2212" : "+") + Math.abs(seconds).toFixed(digits) + " s";

  // Return what is drawn of a period: per panel {rows, faint, gaps, top}, and the width of a slot in ms.
  const drawn = (pack, trial, whats, from, to) => {
    const ms = slots.width(from, to);
    const found = { from, to, ms, panels: {} };
    for (const what of whats) {
      const { steps, gaps } = trial.panels[what];
      const rows = slots.rows(steps, from, to, ms);
      const faint = pack.trials.filter(each => each !== trial).slice(0, FAINT).map(each =>
        slots.rows(each.panels[what].steps, from, to, Math.max(ms, 100))
          .map(({ x, y }) => ({ x, y: y * Math.min(1, ms / 100) })));
      const seen = gaps.filter(([start, end]) => end > from && start < to);
      const most = ms >= 100 ? (pack.tops?.[what] ?? 0) * ms / 100 : 0;
      const top = 1.45 * Math.max(1, most, ...[rows, ...faint].flat().map(row => row.y));
      found.panels[what] = { rows, faint, gaps: seen, top };
    }
    return found;
  };

  // Return the rows of the others and of the trial as uPlot's columns, on one axis of time.
  const columns = ({ rows, faint }) => {
    const lines = [...Array(FAINT).keys()].map(n => faint[n] ?? []).concat([rows]);
    return window.uPlot.join(lines.map(line => [line.map(row => row.x), line.map(row => row.y)]));
  };

  const sum = sizes => sizes.reduce((total, size) => total + size, 0);
  const lane = (sizes, lanes, n) => sizes.filter((_, i) => i % lanes === n);

  // Return labels that fit into one or two rows: without room, lengths without causes; then every other one.
  const fitting = (gaps, plot) => {
    const whole = gaps.map(([, , text]) => text);
    const short = whole.map(text => text.split(":")[0]);
    for (const texts of [whole, short]) {
      const sizes = texts.map(room);
      if (sum(sizes) < plot) return { texts, sizes, lanes: 1 };
      if ([0, 1].every(n => sum(lane(sizes, 2, n)) < plot)) return { texts, sizes, lanes: 2 };
    }
    if (gaps.length < 2) return { texts: short, sizes: short.map(room), lanes: 1 };
    const half = fitting(gaps.filter((_, i) => i % 2 === 0), plot);
    const every = values => gaps.map((_, i) => (i % 2 ? null : values[i / 2]));
    const texts = every(half.texts).map(text => text ?? "");
    return { texts, sizes: every(half.sizes).map(size => size ?? 0), lanes: half.lanes };
  };

  // Place the labels of interruptions in one or two rows without overlaps.
  const words = (gaps, px, from, plot) => {
    const { texts, sizes, lanes } = fitting(gaps, plot);
    const found = [];
    for (let lane = 0; lane < lanes; lane += 1) {
      const own = gaps.map((_, i) => i).filter(i => i % lanes === lane && texts[i]);
      const places = slots.spread(own.map(i => px(Math.max(gaps[i][0], from)) + sizes[i] / 2),
        own.map(i => sizes[i]), 0, plot);
      own.forEach((i, n) => found.push(fivenines.label(texts[i], places[n], BRACKET + 13 * (lane + 1))));
    }
    return found;
  };

  const within = (trial, { from, to }) =>
    trial.marks.map(([t, , fault], i) => ({ t, fault, label: String(i + 1) })).filter(mark => mark.t >= from && mark.t <= to);

  // Place the numbers of events above the first panel, and the name of the fault at its line.
  const numbers = (trial, now, px, plot) => {
    const all = within(trial, now);
    const places = slots.spread(all.map(mark => px(mark.t)), all.map(mark => 8 * mark.label.length + 4), -20, plot + 8);
    const found = all.map((mark, i) => fivenines.label(mark.label, places[i], -9, mark.fault ? "fault" : ""));
    const half = room(trial.fault) / 2;
    const place = px(0) - half - 2;
    // Without room left of the fault's line, omit its name: the axis counts from the fault.
    if (now.from <= 0 && now.to >= 0 && place > half - 44) found.push(fivenines.label(trial.fault, place, -9, "fault"));
    return found;
  };

  const stroke = (plot, colour, width, dash, lines) => {
    const { ctx } = plot, ratio = window.uPlot.pxRatio;
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.lineWidth = width * ratio;
    ctx.setLineDash(dash.map(each => each * ratio));
    ctx.beginPath();
    for (const [x, y, to_x, to_y] of lines) {
      ctx.moveTo(x, plot.bbox.top + y * ratio);
      ctx.lineTo(to_x, plot.bbox.top + to_y * ratio);
    }
    ctx.stroke();
    ctx.restore();
  };

  // Draw the rules of events, the brackets over interruptions, and their labels.
  const annotated = (plot, labels, { trial, now, what, first }) => {
    const x = t => plot.valToPos(t, "x", true), px = t => plot.valToPos(t, "x");
    const { gaps } = now.panels[what];
    const upright = (t, top) => [x(t), top, x(t), HEIGHT];
    const events = within(trial, now);
    stroke(plot, tone(plot.root, "muted"), 1, [3, 3], events.filter(mark => !mark.fault).map(mark => upright(mark.t, 34)));
    const faults = events.filter(mark => mark.fault).map(mark => mark.t);
    if (now.from <= 0 && now.to >= 0) faults.push(0);
    stroke(plot, tone(plot.root, "fault"), 2, [], faults.map(t => upright(t, 0)));
    const ends = gaps.flatMap(([a, b]) => [a, b]).filter(t => t >= now.from && t <= now.to);
    stroke(plot, tone(plot.root, "ink"), 1.5, [], [
      ...gaps.map(([a, b]) => [x(Math.max(a, now.from)), BRACKET, x(Math.min(b, now.to)), BRACKET]),
      ...ends.map(t => [x(t), BRACKET - 5, x(t), BRACKET + 5]),
    ]);
    const wide = plot.over.clientWidth;
    labels.replaceChildren(...words(gaps, px, now.from, wide), ...(first ? numbers(trial, now, px, wide) : []));
  };

  // Describe the values at a time, with the precision of the slots.
  const readout = (trial, whats, now, t, reach) => {
    const digits = now.ms >= 1000 ? 0 : now.ms >= 100 ? 1 : 2;
    const lines = whats.map(what => {
      const row = now.panels[what].rows.findLast(each => each.x <= t);
      return row ? `${what}: ${Number(row.y.toPrecision(3))} in ${slots.words(now.ms)}` : `${what}: not counted`;
    });
    for (const what of whats) {
      const gap = trial.panels[what].gaps.find(([start, end]) => start <= t && t <= end);
      if (gap) lines.push(`${what} unavailable for ${gap[2]}`);
    }
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

  fivenines.timeline = (element, pack, linked = {}) => {
    const whats = ["writes", "reads"].filter(what =>
      pack.trials.some(trial => trial.panels[what].steps.length));
    const chart = document.createElement("div");
    chart.className = "panels";
    const state = { trial: pack.trials[0], from: 0, to: 1, now: null };

    const panels = whats.map((what, n) => {
      const title = document.createElement("p");
      const place = document.createElement("div");
      chart.append(title, place);
      const colour = what === "writes" ? "of" : "ink";
      const own = {
        stroke: () => tone(place, colour), fill: () => `${tone(place, colour)}2e`, width: 1.5, paths: fivenines.stepped,
      };
      const other = { stroke: () => tone(place, "muted"), width: 0.8, alpha: 0.45, paths: fivenines.stepped };
      return { what, title, place, first: n === 0, series: [...Array(FAINT).fill(other), own] };
    });

    const make = () => panels.forEach(panel => {
      panel.plot = fivenines.panel(panel.place, {
        height: HEIGHT, above: panel.first ? ABOVE : 6, title: "seconds from the fault", series: panel.series,
        x: () => [state.from, state.to], y: () => [0, state.now ? state.now.panels[panel.what].top : 1],
        drawn: (plot, labels) => {
          if (state.now) annotated(plot, labels, { ...state, what: panel.what, first: panel.first });
        },
      });
    });

    const show = () => {
      state.now = drawn(pack, state.trial, whats, state.from, state.to);
      for (const { what, title, plot } of panels) {
        title.textContent = `Successful ${what} per ${slots.words(state.now.ms)}`;
        plot.feed(columns(state.now.panels[what]));
      }
      element.dataset.from = String(state.from);
      element.dataset.to = String(state.to);
      element.dataset.slot = String(state.now.ms);
    };

    const zoom = (from, to) => {
      const least = state.trial.from, most = state.trial.to;
      const wide = Math.min(most - least, Math.max(LEAST, to - from));
      const middle = (from + to) / 2;
      state.from = Math.min(Math.max(least, middle - wide / 2), most - wide);
      state.to = state.from + wide;
      show();
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
    make();
    fivenines.gestures(element, {
      state, by, pan, zoom, all,
      words: t => readout(state.trial, whats, state.now, t, 5 * (state.to - state.from) / panels[0].plot.over.clientWidth),
    });
    tell(linked, state.trial);
    all();
    return { zoom, all, bar };
  };
})();
