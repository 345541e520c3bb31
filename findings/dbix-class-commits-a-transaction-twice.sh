#!/bin/bash
# DBIx::Class 0.082843 (Perl): txn_do commits a transaction twice when the COMMIT lost its answer, without an error.
#
# Guess: txn_do repeats its block only while the database cannot have the transaction. Its manual says that a transaction
# whose connection failed halfway is restarted, and asks for side effects of the block (mails, files) to be idempotent.
# Seen on 2026-11-30 with PostgreSQL 18.6 and DBD::Pg 3.16.0: when the connection ends while COMMIT waits for its answer,
# txn_do connects again and repeats the block once, with default settings. Where the server has carried out the first
# COMMIT, which a failover with a synchronous standby keeps, the payment is there twice, and txn_do returns normally.
# Needs Debian 12 (bookworm).
#
# Output seen:
#   1 answer lost: committed, the block ran 2 times, payments: 2
#   no answer lost: committed, the block ran 1 times, payments: 1
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
mapfile -t needed < <(apt-get -s --no-install-recommends install libdbd-pg-perl libdbix-class-perl=0.082843-1 | awk '/^Inst/ { print $2 }')
[ "${#needed[@]}" = 0 ] || debian_packages "${needed[@]}"
libraries=${LD_LIBRARY_PATH:-}
unset LD_LIBRARY_PATH
port=$(free_port)
postgres_server server "$port"
sql() { "$postgres/psql" -XAtq "host=127.0.0.1 port=$port user=postgres" -c "$1"; }
sql 'CREATE TABLE payments (amount int)'
cat >pay.pl <<'PERL'
use strict;
use warnings;

package Shop;
use base 'DBIx::Class::Schema';

package main;
my $shop = Shop->connect("dbi:Pg:host=127.0.0.1;port=$ARGV[0];dbname=postgres", 'postgres', '', { AutoCommit => 1 });
my $runs = 0;
my $done = eval {
    $shop->txn_do(sub { $runs++; $shop->storage->dbh->do('INSERT INTO payments VALUES (100)') });
    1;
};
print $done ? 'committed' : 'failed', ", the block ran $runs times\n";
PERL
pay() { LD_LIBRARY_PATH=$libraries PERL5LIB=debian/usr/share/perl5:$(echo debian/usr/lib/*/perl5/*) perl pay.pl "$1" 2>pay.log; }
paid 1 >1.txt
paid 0 >0.txt
expect "1 answer lost" "$(cat 1.txt)" "committed, the block ran 2 times, payments: 2"
expect "no answer lost" "$(cat 0.txt)" "committed, the block ran 1 times, payments: 1"
