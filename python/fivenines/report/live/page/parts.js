// The texts and tables of the page; texts are never interpreted as markup.

const NODE = { writable: "writable", read_only: "read-only", refusing: "refuses connections", away: "no answer" };
const STATE = { waiting: "waiting", running: "running", done: "done", broken: "broken", spared: "not needed" };

export const at = id => document.getElementById(id);

export function say(id, text) {
  const place = at(id);
  if (place.textContent !== text) place.textContent = text;
}

export function make(tag, text = "", classes = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (classes) made.className = classes;
  return made;
}

export const whole = value => value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en").replaceAll(",", "\u202f");

export function ms(value) {
  if (value === null || value === undefined) return "–";
  if (value >= 1000) return `${(value / 1000).toFixed(value < 10000 ? 2 : 1)} s`;
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value)} ms`;
}

export function about(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function cellText(cell) {
  const parts = [cell.solution, cell.workload, `${cell.connections} conn`];
  if (cell.network !== "lan") parts.push(cell.network);
  if (cell.fault !== "none") parts.push(cell.fault);
  return parts.join(", ");
}

export function workText(cells) {
  if (cells.length > 1) return `interleaved: ${cells.map(cell => cell.solution).join(" and ")}`;
  return cells.length ? cellText(cells[0]) : "";
}

export function runList(runs, chosen, choose) {
  const list = make("ul");
  for (const run of runs) {
    const button = make("button", run.name);
    const much = run.planned ? `${run.done} of ${run.planned} trials` : "starting";
    button.append(make("small", run.running ? `● running, ${much}` : much));
    if (run.name === chosen) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => choose(run.name));
    const item = make("li");
    item.append(button);
    list.append(item);
  }
  at("runs").replaceChildren(list);
}

export function head(run) {
  say("name", run.name);
  const status = at("status");
  const sign = { running: "●", stopping: "◐", finished: "✔", stopped: "■", "interrupted": "✖" }[run.status];
  status.replaceChildren(`${sign} `, make("b", run.status));
  status.title = run.by;
  const runs = run.status === "running", over = !run.by;
  at("stop").disabled = !runs;
  at("resume").disabled = !over || run.status === "finished";
  at("report").hidden = !run.report;
  at("report").href = `/runs/${encodeURIComponent(run.name)}/report`;
  at("bar").max = Math.max(1, run.planned);
  at("bar").value = run.done;
  say("done", `${run.done} of ${run.planned} trials done`);
  say("left", run.seconds_left === null ? "" : `about ${about(run.seconds_left)} left`);
  say("preparing", run.preparing);
  at("messages").replaceChildren(...run.messages.slice(-5).map(one =>
    make("li", `${new Date(one.at * 1000).toLocaleTimeString("en-GB")}  ${one.text}`)));
}

export function trial(current, now) {
  at("trial").hidden = current === null;
  if (current === null) return;
  say("what", `${current.id}${current.worker ? ` on ${current.worker}` : ""}: ${workText(current.cells)}`);
  const since = Math.max(0, now - current.phase_at);
  const left = current.phase_seconds ? `, about ${about(Math.max(0, current.phase_seconds - since))} left` : "";
  say("phase", `${current.phase}, for ${Math.round(since)} s${left}`);
}

export function figures(items) {
  const place = at("now");
  if (place.childElementCount !== items.length) {
    place.replaceChildren(...items.map(() => {
      const box = make("div");
      box.append(make("b"), make("span"));
      return box;
    }));
  }
  items.forEach(([value, text], index) => {
    const [big, small] = place.children[index].children;
    if (big.textContent !== value) big.textContent = value;
    if (small.textContent !== text) small.textContent = text;
  });
}

export function nodes(changes) {
  const last = new Map(changes.map(([, node, state]) => [node, state]));
  at("nodes").replaceChildren(...[...last].sort().map(([node, state]) => {
    const chip = make("span", `${node}: `, `chip ${state}`);
    chip.append(make("b", NODE[state] ?? state));
    return chip;
  }));
}

export function events(found, fault) {
  const list = at("events");
  while (list.childElementCount > found.length) list.lastChild.remove();
  found.slice(list.childElementCount).forEach(one => {
    const item = make("li", "", one.kind === "fault" ? "fault" : "");
    const moment = fault === null || one.t < fault ? `${(one.t / 1000).toFixed(2)} s` : `+${((one.t - fault) / 1000).toFixed(2)} s`;
    item.append(make("span", moment, "when"), make("span", one.kind), make("span", one.node), make("span", one.detail));
    list.append(item);
  });
}

const HEADS = [["Trial"], ["Solution"], ["Workload, connections"], ["Fault"], ["State"], ["Transactions/s", "n"], ["Outage", "n"], ["Lost rows", "n"], ["Duration", "n"], ["Reason"]];

export function trials(rows) {
  const table = at("trials");
  if (!table.tHead) {
    const line = table.createTHead().insertRow();
    HEADS.forEach(([text, kind]) => line.append(make("th", text, kind ?? "")));
    table.createTBody();
  }
  for (const row of rows.values()) {
    let line = document.getElementById(`row-${row.id}`);
    if (line === null) {
      line = table.tBodies[0].insertRow();
      line.id = `row-${row.id}`;
    }
    if (line.shown === row) continue;
    line.shown = row;
    const cells = row.cells, one = cells[0] ?? {};
    const more = row.back === false ? "≥ " : "";
    const outage = row.outage_ms === 0 ? "none" : row.outage_ms === null || row.outage_ms === undefined ? "–" : more + ms(row.outage_ms);
    const texts = [
      row.id, cells.map(cell => cell.solution).join(" and "), `${one.workload ?? ""}, ${one.connections ?? ""}`,
      one.fault ?? "", STATE[row.state] ?? row.state, whole(row.tps), outage, whole(row.lost),
      row.seconds ? `${Math.round(row.seconds)} s` : "–", row.state === "broken" ? row.reason : "",
    ];
    line.className = row.state;
    line.replaceChildren(...texts.map((text, index) =>
      make("td", text, index === 9 ? "why" : HEADS[index][1] ?? "")));
  }
}

export function clearTrials() {
  at("trials").replaceChildren();
}
