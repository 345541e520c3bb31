// The task that the program reads, and the lines that it writes: see fivenines.load.stacks.protocol.
'use strict';

const fs = require('node:fs');
const { Worker } = require('node:worker_threads');

// The thread of signs of life writes to the same output.
const LOCK = new Int32Array(new SharedArrayBuffer(4));

// What the pool counts, and the waiting workers, for this thread: -1 is not counted.
const COUNTERS = ['waiting', 'open', 'idle', 'created'];
const COUNTED = new Int32Array(new SharedArrayBuffer(4 * COUNTERS.length)).fill(-1);

// Milliseconds between two looks at the pool by the main thread: it alone sees the pool.
const LOOK = 200;

const ALIVE = `
  const fs = require('node:fs');
  const { workerData: { lock, counted, names } } = require('node:worker_threads');
  setInterval(() => {
    while (Atomics.compareExchange(lock, 0, 0, 1) !== 0) Atomics.wait(lock, 0, 1, 10);
    const at = Number(process.hrtime.bigint() / 1000n);
    const pool = Object.fromEntries(names.map((name, place) => [name, counted[place]]).filter((pair) => pair[1] >= 0));
    fs.writeSync(1, JSON.stringify({ event: 'alive', at_us: at, pool }) + '\\n');
    Atomics.store(lock, 0, 0);
    Atomics.notify(lock, 0);
  }, 1000);
`;

// Returns microseconds of CLOCK_MONOTONIC.
function now() {
  return Number(process.hrtime.bigint() / 1000n);
}

function lock() {
  while (Atomics.compareExchange(LOCK, 0, 0, 1) !== 0) Atomics.wait(LOCK, 0, 1, 10);
}

// Writes a line at once.
function write(values) {
  lock();
  fs.writeSync(1, `${JSON.stringify(values)}\n`);
  Atomics.store(LOCK, 0, 0);
  Atomics.notify(LOCK, 0);
}

// Writes that the pool is open. `counters` returns what the pool counts: open, idle and created connections; and
// `waiting` the number of workers without a connection.
function ready(versions, counters, waiting) {
  write({ event: 'ready', at_us: now(), driver: versions });
  const look = () => {
    const counted = { ...counters(), waiting: waiting() };
    COUNTERS.forEach((name, place) => { COUNTED[place] = counted[name] ?? -1; });
  };
  look();
  setInterval(look, LOOK).unref();
}

// Ends the process as failed; the last line of its error output says why.
function fail(message) {
  lock();
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

// Returns the beginning of an error's message, on one line.
function brief(error) {
  return String(error.message || error.code || error.name).replace(/\s+/g, ' ').slice(0, 200);
}

// Reads the task from the first line of standard input.
function readTask() {
  const parts = [];
  const part = Buffer.alloc(65536);
  for (;;) {
    const length = fs.readSync(0, part);
    if (length === 0) throw new Error('no task on standard input');
    parts.push(Buffer.from(part.subarray(0, length)));
    if (part.subarray(0, length).includes(10)) break;
  }
  return JSON.parse(Buffer.concat(parts).toString().split('\n')[0]);
}

// Returns the settings of driver and pool by name, without their prefix.
function settings(task) {
  const found = { connect: {}, pool: {} };
  for (const [key, value] of Object.entries(task.options)) {
    const dot = key.indexOf('.');
    const own = dot < 0 ? undefined : found[key.slice(0, dot)];
    if (own === undefined) throw new Error(`setting ${key}: write connect.NAME or pool.NAME`);
    own[key.slice(dot + 1)] = value;
  }
  return found;
}

// Fails if a setting has another name than these: it would be ignored.
function known(prefix, given, names) {
  for (const name of Object.keys(given)) {
    if (!names.includes(name)) {
      throw new Error(`setting ${prefix}.${name}: unknown; known are ${names.join(', ')}`);
    }
  }
}

// Removes a setting that must be one of these values; returns it, or the first value.
function choice(pool, name, values) {
  const value = name in pool ? pool[name] : values[0];
  if (!values.includes(value)) throw new Error(`setting pool.${name}: write one of ${values.join(', ')}`);
  delete pool[name];
  return value;
}

// Returns host and port of the only server.
function server(task) {
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(task.servers[0]);
  return { host, port: Number(port) };
}

// Writes signs of life until standard input ends, then the last line, and ends the process at once: pools are not
// closed, as that may wait for a dead server.
function liveUntilTheEnd() {
  // Another thread than the workers': they share the main one.
  new Worker(ALIVE, { eval: true, workerData: { lock: LOCK, counted: COUNTED, names: COUNTERS }, stdin: false }).unref();
  process.stdin.on('end', () => {
    lock();
    fs.writeSync(1, `${JSON.stringify({ event: 'end', at_us: now() })}\n`);
    process.exit(0);
  });
  process.stdin.resume();
}

module.exports = { brief, choice, fail, liveUntilTheEnd, now, readTask, ready, known, server, settings, write };
