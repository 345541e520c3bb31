#!/bin/bash
# lib/pq 1.12.3 under database/sql: db.Begin() writes to a PostgreSQL server with default_transaction_read_only = on.
#
# Guess: an administrator, or a failover script, takes a server out of service with default_transaction_read_only, and
# every client gets error 25006 at its next write, as with psql, psycopg or pgx.
# Seen on 2026-11-28 with PostgreSQL 18.6 and Go 1.26: lib/pq begins each transaction of database/sql with
# BEGIN READ WRITE, which overrides the default. It goes on writing to such a server, and its rows are lost once another
# server has taken over (3,121 acknowledged rows in one failover). pgx gets 25006.
#
# Output seen:
#   pq: committed
#   pq begins with: BEGIN READ WRITE
#   pgx: SQLSTATE 25006
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
port=$(free_port)
postgres_server server "$port" "log_statement = all" "default_transaction_read_only = on"
mkdir program
cat >program/main.go <<'GO'
package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
)

func main() {
	db, err := sql.Open(os.Args[1], os.Args[2])
	check(err)
	transaction, err := db.Begin()
	check(err)
	_, err = transaction.Exec("CREATE TABLE IF NOT EXISTS written (n integer)")
	check(err)
	check(transaction.Commit())
	fmt.Println("committed")
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(0)
	}
}
GO
export GOPATH=$folder/go GOCACHE=$folder/go-cache GOFLAGS=-modcacherw
(cd program && go mod init program && go get github.com/lib/pq@v1.12.3 github.com/jackc/pgx/v5@v5.8.0 && go mod tidy && go build -o written .) >go.log 2>&1
address="host=127.0.0.1 port=$port user=postgres dbname=postgres sslmode=disable"
expect pq "$(program/written postgres "$address")" "committed"
expect "pq begins with" "$(grep -o 'BEGIN READ WRITE' server.log | sort -u)" "BEGIN READ WRITE"
expect pgx "$(program/written pgx "$address" | grep -o 'SQLSTATE [0-9]*')" "SQLSTATE 25006"
