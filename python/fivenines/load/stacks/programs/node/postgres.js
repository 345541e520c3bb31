// `node-postgres`: pg with its own pool.
'use strict';

const pg = require('pg');
const { choice, known, server, settings } = require('./lines');

// The driver ignores other names.
const CONNECT = [
  'application_name', 'client_encoding', 'connectionTimeoutMillis', 'enableChannelBinding',
  'fallback_application_name', 'idle_in_transaction_session_timeout', 'keepAlive', 'keepAliveInitialDelayMillis',
  'lock_timeout', 'options', 'query_timeout', 'ssl', 'statement_timeout',
];
const POOL = [
  'allowExitOnIdle', 'connectionTimeoutMillis', 'idleTimeoutMillis', 'max', 'maxLifetimeSeconds', 'maxUses', 'min',
];

async function nodePostgres(task) {
  for (const name of Object.keys(process.env)) {
    // Variables of libpq would add settings that the results do not show.
    if (name.startsWith('PG')) delete process.env[name];
  }
  const { connect, pool: own } = settings(task);
  known('connect', connect, CONNECT);
  known('pool', own, [...POOL, 'error_listener', 'destroy_failed']);
  const listener = choice(own, 'error_listener', ['none', 'pool', 'clients']);
  const destroy = choice(own, 'destroy_failed', [false, true]);
  const account = { ...server(task), user: task.user, password: task.password, database: task.database };
  const pool = new pg.Pool({ ...account, max: task.workers, ...connect, ...own });
  if (listener !== 'none') pool.on('error', () => {});
  // The pool's event is of idle clients only: a client that a worker has borrowed needs a listener of its own.
  if (listener === 'clients') pool.on('connect', (client) => client.on('error', () => {}));
  let created = 0;
  pool.on('connect', () => { created += 1; });
  (await pool.connect()).release();
  const sql = `INSERT INTO ${task.table} (n, attempt) VALUES ($1, $2) ${task.suffix}`;

  async function transact(n, attempt, at) {
    const client = await pool.connect();
    let failed;
    try {
      at.stage = 'work';
      await client.query('BEGIN');
      await client.query(sql, [n, attempt]);
      at.stage = 'commit';
      await client.query('COMMIT');
      at.stage = 'release';
    } catch (error) {
      failed = error;
      if (!destroy) await client.query('ROLLBACK').catch(() => {});
      throw error;
    } finally {
      client.release(destroy ? failed : undefined);
    }
  }

  const answer = (error) => (error instanceof pg.DatabaseError ? error.code : undefined);
  const counters = () => ({ open: pool.totalCount, idle: pool.idleCount, created });
  return { transact, answer, counters, versions: `pg ${require('pg/package.json').version}` };
}

module.exports = { nodePostgres };
