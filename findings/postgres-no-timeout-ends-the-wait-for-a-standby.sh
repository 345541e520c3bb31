#!/bin/bash
# PostgreSQL 18.6: statement_timeout and transaction_timeout do not end a commit that waits for its standby; in a procedure
# the former acknowledges it.
#
# Guess: with statement_timeout or transaction_timeout at 2 s a client gets an error after 2 s when the synchronous standby
# is dead ("abort any statement that takes more than the specified amount of time").
# Seen on 2026-11-30: the server switches both timers off before it commits. INSERT and COMMIT wait without a bound, with
# all their row locks. A COMMIT inside a procedure or a DO block is different: the statement's timer still runs. When it
# expires, the server gives up waiting for the standby, sends a warning and success: the row is acknowledged, and is lost
# if the standby takes over. The timer is then spent, so a second COMMIT of the same call waits without a bound.
#
# Output seen:
#   INSERT with statement_timeout of 2 s: still waits after 5 s
#   INSERT with transaction_timeout of 2 s: still waits after 5 s
#   COMMIT with both: still waits after 5 s
#   CALL that commits once, statement_timeout of 2 s: CALL WARNING:  canceling wait for synchronous replication due to user request
#   CALL that commits twice, statement_timeout of 2 s: still waits after 5 s
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
port=$(free_port)
postgres_server server "$port"
within() { # within COMMAND...: each argument is a command of one session; the last command's result within 5 s
  local commands=() command
  for command in "$@"; do commands+=(-c "$command"); done
  if timeout 5 "$postgres/psql" -XAt "host=127.0.0.1 port=$port user=postgres dbname=postgres" "${commands[@]}" >result.txt 2>warning.txt; then
    echo "$(tail -n 1 result.txt) $(grep '^WARNING' warning.txt)"
  else
    echo "still waits after 5 s"
  fi
}
within 'CREATE TABLE t (id int PRIMARY KEY, n int)' \
  'CREATE PROCEDURE once() LANGUAGE plpgsql AS $$BEGIN INSERT INTO t VALUES (4); COMMIT; END$$' \
  'CREATE PROCEDURE twice() LANGUAGE plpgsql AS $$BEGIN INSERT INTO t VALUES (5); COMMIT; INSERT INTO t VALUES (6); COMMIT; END$$' \
  "ALTER SYSTEM SET synchronous_standby_names = 'standby'" 'SELECT pg_reload_conf()' >set_up.txt
waits() { [ "$("$postgres/psql" -XAt "host=127.0.0.1 port=$port user=postgres" -c 'SHOW synchronous_standby_names')" = standby ]; }
await waits
statement="SET statement_timeout = '2s'" transaction="SET transaction_timeout = '2s'"
expect "INSERT with statement_timeout of 2 s" "$(within "$statement" 'INSERT INTO t VALUES (1)')" "still waits after 5 s"
expect "INSERT with transaction_timeout of 2 s" "$(within "$transaction" 'INSERT INTO t VALUES (2)')" "still waits after 5 s"
expect "COMMIT with both" "$(within "$statement" "$transaction" BEGIN 'INSERT INTO t VALUES (3)' COMMIT)" "still waits after 5 s"
expect "CALL that commits once, statement_timeout of 2 s" "$(within "$statement" 'CALL once()')" \
  "CALL WARNING:  canceling wait for synchronous replication due to user request"
expect "CALL that commits twice, statement_timeout of 2 s" "$(within "$statement" 'CALL twice()')" "still waits after 5 s"
