// The program of the Node.js client stacks: reads its task, starts the workers, ends with its input.
'use strict';

const { brief, fail, liveUntilTheEnd, readTask, ready } = require('./lines');
const { waiting, work } = require('./work');
const { mysql2 } = require('./mysql');
const { nodePostgres } = require('./postgres');

const STACKS = { 'node-postgres': nodePostgres, mysql2 };

async function main() {
  const open = STACKS[process.argv[2]];
  if (open === undefined) throw new Error(`name one stack: ${Object.keys(STACKS).join(', ')}`);
  const task = readTask();
  // An event 'error' without a listener ends a Node.js program. That is a result: it is reported, not prevented.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack}\n`);
    fail(`uncaught, as of an event 'error' without a listener: ${brief(error)}`);
  });
  liveUntilTheEnd();
  const stack = await open(task);
  ready(`${stack.versions}, Node.js ${process.versions.node}`, stack.counters, waiting);
  for (let worker = 0; worker < task.workers; worker += 1) work(task, worker, stack);
}

main().catch((error) => fail(brief(error)));
