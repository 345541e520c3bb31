#!/bin/bash
# MariaDB 10.11.19 with Galera 26.4.23: statements inside a transaction never wait for `wsrep_sync_wait`.
#
# Guess: with wsrep_sync_wait = 1 each SELECT waits until its node has applied everything that the group has ordered, with 2
# each UPDATE and DELETE, with 4 each INSERT; the manual lists statements by these bits. So a session that needs a
# fresh read sets the variable before it, also within a transaction.
# Seen on 2026-11-27: only a statement outside of a transaction waits, and START TRANSACTION if bit 1 is set. Set inside
# a transaction the variable does nothing; set to 2 or 4 it does nothing for any explicit transaction. No warning.
# The node below applies nothing, because a lock of a table blocks its applier, and a wait ends after 2 s with error 1205
# (repl.causal_read_timeout). Needs Debian 12 (bookworm).
#
# Output seen (which of the statements waited):
#   SELECT, with 1: waited
#   SELECT in a transaction, 1 set before its start: waited at START TRANSACTION
#   SELECT in a transaction, 1 set inside: read at once, old
#   DELETE, with 2: waited
#   DELETE in a transaction, 2 set before its start: done at once
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
debian_packages mariadb-server-core=1:10.11.19-0+deb12u1 mariadb-server=1:10.11.19-0+deb12u1 \
  mariadb-client-core=1:10.11.19-0+deb12u1 galera-4=26.4.23-0+deb12u1 mariadb-common libaio1 liburing2 libnuma1 \
  libedit2 libncurses6 rsync lsof libpopt0 libxxhash0 liblz4-1 libzstd1 libacl1
usr=$folder/debian/usr
export PATH="$usr/bin:$usr/sbin:$PATH"
cat >my.cnf <<CNF
[mysqld]
basedir=$usr
lc_messages_dir=$usr/share/mysql
plugin_dir=$usr/lib/mysql/plugin
bind_address=127.0.0.1
innodb_flush_log_at_trx_commit=0
innodb_buffer_pool_size=32M
innodb_log_file_size=8M
binlog_format=ROW
innodb_autoinc_lock_mode=2
wsrep_on=ON
wsrep_provider=$usr/lib/galera/libgalera_smm.so
wsrep_sst_method=rsync
pid_file=mysqld.pid
socket=mysqld.sock
CNF
"${as_user[@]}" mariadb-install-db --no-defaults --basedir="$usr" --auth-root-authentication-method=normal \
  --skip-test-db --datadir="$folder/first" >install.log 2>&1
"${as_user[@]}" mkdir second

node() { # node NAME PORT GROUP_PORT CLUSTER
  start "$1.log" "${as_user[@]}" mariadbd --defaults-file="$folder/my.cnf" --datadir="$folder/$1" --port="$2" \
    --wsrep_node_name="$1" --wsrep_node_address="127.0.0.1:$3" --wsrep_cluster_address="$4" \
    --wsrep_sst_receive_address="127.0.0.1:$(free_port)" \
    --wsrep_provider_options="gmcast.listen_addr=tcp://127.0.0.1:$3;ist.recv_addr=127.0.0.1:$(free_port);repl.causal_read_timeout=PT2S"
  await synced "$2"
}
sql() { mariadb --no-defaults -h127.0.0.1 -P"$1" -uroot -NB -e "$2" 2>&1; }
synced() { [[ $(sql "$1" "SHOW STATUS LIKE 'wsrep_local_state_comment'") == *Synced ]]; }
first=$(free_port) second=$(free_port) group=$(free_port)
node first "$first" "$group" gcomm://
node second "$second" "$(free_port)" "gcomm://127.0.0.1:$group"

sql "$first" 'CREATE DATABASE d; CREATE TABLE d.seen (id INT PRIMARY KEY); CREATE TABLE d.other (id INT PRIMARY KEY)'
there() { sql "$second" 'SELECT COUNT(*) FROM d.other'; }
await there
start lock.log mariadb --no-defaults -h127.0.0.1 -P"$second" -uroot \
  -e 'FLUSH TABLES d.seen WITH READ LOCK; SELECT SLEEP(100)'
locked() { [ "$(sql "$second" "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%SLEEP(100)'")" != 0 ]; }
await locked
sql "$first" 'INSERT INTO d.seen VALUES (1)'

on_second() { sql "$second" "$1" | tr '\n' ' ' | sed 's/^-* \([A-Z ]*\).*ERROR 1205.*/waited at \1/; s/ *$//; s/waited at \(SELECT\|DELETE\).*/waited/'; }
read_seen='SELECT IF(COUNT(*) = 0, "read at once, old", "read at once, new") FROM d.seen'
delete='DELETE FROM d.other WHERE id = 1; SELECT "done at once"'
expect "SELECT, with 1" "$(on_second "SET wsrep_sync_wait = 1; $read_seen")" "waited"
expect "SELECT in a transaction, 1 set before its start" \
  "$(on_second "SET wsrep_sync_wait = 1; START TRANSACTION; $read_seen; COMMIT")" "waited at START TRANSACTION"
expect "SELECT in a transaction, 1 set inside" \
  "$(on_second "START TRANSACTION; SET wsrep_sync_wait = 1; $read_seen; COMMIT")" "read at once, old"
expect "DELETE, with 2" "$(on_second "SET wsrep_sync_wait = 2; $delete")" "waited"
expect "DELETE in a transaction, 2 set before its start" \
  "$(on_second "SET wsrep_sync_wait = 2; START TRANSACTION; $delete; COMMIT")" "done at once"
