// A worker of a stack, which writes one row after the other.
'use strict';

const { brief, now, write } = require('./lines');

const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

// Beginnings of codes with which a server ends a session: what became of its COMMIT is not said. PostgreSQL's 57P01
// may even follow a commit whose standby has not answered yet. 40003: completion unknown; MySQL's 1053: shutdown,
// 1317: interrupted.
const SESSION_ENDED = ['08', '57P', '40003', '1053', '1317'];

// Attempts that are running.
const RUNNING = new Set();

// Returns the number of workers without a connection.
const waiting = () => [...RUNNING].filter((at) => at.stage === 'acquire').length;

// Writes rows until the process ends. A stack's `transact` says how far it has got in `at.stage`, and `answer`
// returns the code of an error that the server has sent, otherwise undefined.
async function work(task, worker, { transact, answer }) {
  let [n, attempt] = [worker, 1];
  for (;;) {
    const at = { stage: 'acquire' };
    const line = { event: 'transaction', n, worker, attempt, start_us: now(), outcome: 'committed' };
    let committed = true;
    RUNNING.add(at);
    try {
      await transact(n, attempt, at);
    } catch (error) {
      const code = answer(error);
      const answered = code !== undefined && !SESSION_ENDED.some((beginning) => code.startsWith(beginning));
      committed = at.stage === 'release';
      if (!committed) line.outcome = at.stage === 'commit' && !answered ? 'in_doubt' : 'failed';
      line.code = code ?? nameOf(error);
      line.message = brief(error);
    }
    RUNNING.delete(at);
    write({ ...line, end_us: now(), stage: at.stage });
    [n, attempt] = task.repeat && !committed ? [n, attempt + 1] : [n + task.workers, 1];
    await sleep(committed ? task.think_ms : task.pause_ms);
  }
}

// Returns a name by which errors of the same kind can be counted: many have none, and a message that does not change.
function nameOf(error) {
  if (error.code) return String(error.code);
  return error.name && error.name !== 'Error' ? error.name : brief(error).slice(0, 60);
}

module.exports = { waiting, work };
