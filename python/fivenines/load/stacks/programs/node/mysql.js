// `mysql2`: mysql2 with its own pool.
'use strict';

const driver = require('mysql2/promise');
const { choice, known, server, settings } = require('./lines');

const POOL = ['connectionLimit', 'idleTimeout', 'maxIdle', 'queueLimit', 'waitForConnections'];

async function mysql2(task) {
  const { connect, pool: own } = settings(task);
  known('pool', own, [...POOL, 'query_timeout', 'destroy_failed']);
  const destroy = choice(own, 'destroy_failed', [false, true]);
  const timeout = own.query_timeout;
  delete own.query_timeout;
  const account = { ...server(task), user: task.user, password: task.password, database: task.database };
  const pool = refused(() => driver.createPool({ ...account, connectionLimit: task.workers, ...connect, ...own }));
  // The pool has events, and no number of its connections.
  let created = 0;
  pool.on('connection', () => { created += 1; });
  (await pool.getConnection()).release();
  const sql = `INSERT INTO ${task.table} (n, attempt) VALUES (?, ?) ${task.suffix}`;

  async function transact(n, attempt, at) {
    const connection = await pool.getConnection();
    let failed = true;
    try {
      at.stage = 'work';
      await connection.query({ sql: 'START TRANSACTION', timeout });
      await connection.query({ sql, timeout }, [n, attempt]);
      at.stage = 'commit';
      await connection.query({ sql: 'COMMIT', timeout });
      at.stage = 'release';
      failed = false;
    } catch (error) {
      if (!destroy) await connection.query({ sql: 'ROLLBACK', timeout }).catch(() => {});
      throw error;
    } finally {
      if (failed && destroy) connection.destroy();
      else connection.release();
    }
  }

  // Errors of the driver itself have no SQLSTATE, or the number of the system.
  const answer = (error) => (error.errno > 0 && error.sqlState !== undefined ? String(error.errno) : undefined);
  return { transact, answer, counters: () => ({ created }), versions: `mysql2 ${require('mysql2/package.json').version}` };
}

// Makes an error of what the driver only warns of: settings that it does not know.
function refused(create) {
  const warn = console.error;
  const warnings = [];
  console.error = (message) => warnings.push(String(message));
  try {
    const created = create();
    if (warnings.length > 0) throw new Error(`setting: ${warnings[0]}`);
    return created;
  } finally {
    console.error = warn;
  }
}

module.exports = { mysql2 };
