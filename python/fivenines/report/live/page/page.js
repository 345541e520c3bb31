// The page: one stream for the list of runs, one for the selected run. A silent stream, as after the machine slept,
// is opened anew; the server then sends the whole state again.

import * as parts from "./parts.js";
import * as charts from "./charts.js";

const SILENT = 5000;
const ENDED = "The load and the observation of nodes have ended: figures, nodes and charts show the state at that time.";
const token = document.querySelector("meta[name=fivenines-post]").content;

const state = { head: null, rows: new Map(), ticks: [], changes: [], events: [], clock: 0 };
let chosen = null, byHand = false, run = null, list = null;

class Stream {
  constructor(url, handlers) {
    this.url = url;
    this.handlers = handlers;
    this.open();
    this.timer = setInterval(() => this.check(), 1000);
  }

  open() {
    this.source?.close();
    this.heard = Date.now();
    this.source = new EventSource(this.url);
    for (const [kind, take] of Object.entries(this.handlers)) {
      this.source.addEventListener(kind, event => {
        this.heard = Date.now();
        parts.say("link", "live");
        take(JSON.parse(event.data));
      });
    }
  }

  check() {
    if (Date.now() - this.heard < SILENT) return;
    parts.say("link", "no connection: the server has ended, or the machine slept; reconnecting");
    this.open();
  }

  close() {
    clearInterval(this.timer);
    this.source.close();
  }
}

function choose(name, hand = true) {
  byHand ||= hand;
  if (name === chosen) return;
  chosen = name;
  run?.close();
  charts.forget();
  parts.clearTrials();
  parts.say("answer", "");
  document.title = `fivenines: ${name}`;
  run = new Stream(`/runs/${encodeURIComponent(name)}`, { whole: take, part: take });
  list.last && listed(list.last);
}

function listed(message) {
  list.last = message;
  parts.at("none").hidden = message.runs.length > 0;
  parts.at("run").hidden = message.runs.length === 0;
  const running = message.runs.find(one => one.running) ?? message.runs[0];
  if (running && !byHand) choose(running.name, false);
  parts.at("runs").hidden = message.runs.length < 2;
  parts.runList(message.runs, chosen, choose);
}

function take(message) {
  if (message.begins) {
    [state.ticks, state.changes, state.events] = [[], [], []];
    parts.at("events").replaceChildren();
  }
  if (message.rows) {
    // A whole state has all rows, a part only the changed ones.
    message.rows.forEach(row => state.rows.set(row.id, row));
  }
  for (const key of ["ticks", "changes", "events"]) if (message[key]) state[key].push(...message[key]);
  if (state.head && state.head.name !== message.head.name) {
    state.rows = new Map((message.rows ?? []).map(row => [row.id, row]));
  }
  state.head = message.head;
  state.clock = message.head.at - Date.now() / 1000;
  render(message);
}

const now = () => Date.now() / 1000 + state.clock;

function faultAt() {
  const first = state.events.find(one => one.kind === "fault");
  return first ? first.t : null;
}

function render(message) {
  const { head } = state;
  parts.head(head);
  parts.say("cost", `this page's server: ${head.cpu} % of a core, ${head.viewers} ${head.viewers === 1 ? "viewer" : "viewers"}`);
  parts.trial(head.trial, now());
  if (message.rows) parts.trials(state.rows);
  if (head.trial === null) return;
  if (message.changes || message.begins) parts.nodes(state.changes);
  if (message.events || message.begins) parts.events(state.events, faultAt());
  if (message.ticks) parts.figures(latest());
  const load = head.trial.load;
  parts.say("ended", load && now() > load.end + load.unix + 1 ? ENDED : "");
  charts.draw(data);
}

/** Return the figures of the last second, of all loads together. */
function latest() {
  const last = state.ticks.at(-1);
  if (!last) return [];
  const recent = state.ticks.filter(tick => tick[1] > last[1] - 1000);
  const sum = index => recent.reduce((total, tick) => total + tick[index], 0) / 10;
  const answered = recent.filter(tick => tick[4] !== null);
  const count = answered.reduce((total, tick) => total + tick[2], 0);
  const mean = answered.reduce((total, tick) => total + tick[4] * tick[2], 0) / count;
  const longest = Math.max(...answered.map(tick => tick[5]));
  const found = [
    [parts.whole(sum(2)), "transactions/s"], [parts.ms(count ? mean : null), "mean response time"],
    [parts.ms(answered.length ? longest : null), "longest"], [parts.whole(sum(3)), "failed/s"],
  ];
  const silent = silence(last[1]);
  if (faultAt() !== null) found.push([parts.ms(silent), "longest time without a success since the fault"]);
  return found;
}

/** Return the longest time since the fault in which nothing succeeded, in ms, to 100 ms. */
function silence(end) {
  const fault = faultAt();
  let longest = 0, since = null;
  for (const [, t, tps, , , , ledger] of state.ticks) {
    if (t < fault) continue;
    if (tps > 0 || ledger > 0) {
      if (since !== null) longest = Math.max(longest, t - 100 - since);
      since = null;
    } else {
      since ??= t - 100;
    }
  }
  return since === null ? longest : Math.max(longest, end - since);
}

function data() {
  const load = state.head?.trial?.load;
  if (!load) return null;
  const fault = faultAt();
  const last = Math.min(now() - load.unix, load.end + 0.5);
  return { ...state, fault: fault === null ? null : fault / 1000, now: Math.max(0, last) };
}

async function ask(what) {
  const answer = await fetch(`/runs/${encodeURIComponent(chosen)}/${what}`, {
    method: "POST", headers: { "X-Fivenines-Token": token },
  });
  const text = await answer.text();
  let result;
  try { result = JSON.parse(text); } catch { result = { error: text }; }
  parts.say("answer", result.message ?? result.error);
}

parts.at("stop").addEventListener("click", () => ask("stop"));
parts.at("resume").addEventListener("click", () => ask("resume"));
document.addEventListener("visibilitychange", () => { if (!document.hidden && state.head) charts.draw(data); });
setInterval(() => { if (state.head) parts.trial(state.head.trial, now()); }, 1000);

if (location.search) history.replaceState(null, "", "/");
list = new Stream("/runs", { runs: listed });
