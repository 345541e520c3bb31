package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
)

// pgxPool runs pgx with its own pool.
func pgxPool(task *task) (*opened, error) {
	connect, pool, err := task.settings()
	if err != nil {
		return nil, err
	}
	patience, err := duration(pool, "context_timeout")
	if err != nil {
		return nil, err
	}
	if _, given := pool["max_conns"]; !given {
		pool["max_conns"] = fmt.Sprint(task.Workers)
	}
	for name, value := range pool {
		connect["pool_"+name] = value
	}
	text, err := keywords(task, connect)
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, err
	}
	for name := range config.ConnConfig.RuntimeParams {
		// pgx hands the names that it does not know to the server.
		if own, is := strings.CutPrefix(name, "pool_"); is {
			return nil, fmt.Errorf("setting pool.%s: pgxpool has no setting of this name", own)
		}
	}
	connections, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	if err := connections.Ping(context.Background()); err != nil {
		return nil, err
	}
	statement := fmt.Sprintf("INSERT INTO %s (n, attempt) VALUES ($1, $2) %s", task.Table, task.Suffix)
	transact := func(operation, attempt int64, progress *progress) error {
		within, cancel := bounded(patience)
		defer cancel()
		begun, err := connections.Begin(within)
		if err != nil {
			return err
		}
		// Does nothing after a commit.
		defer func() { _ = begun.Rollback(within) }()
		progress.reach(&atWork)
		if _, err := begun.Exec(within, statement, operation, attempt); err != nil {
			return err
		}
		progress.reach(&commit)
		if err := begun.Commit(within); err != nil {
			return err
		}
		progress.reach(&release)
		return nil
	}
	counted := func() map[string]int64 {
		now := connections.Stat()
		return map[string]int64{
			"open": int64(now.TotalConns()), "idle": int64(now.IdleConns()), "created": now.NewConnsCount(), "waiting": 0,
		}
	}
	return &opened{transact, "pgx and pgxpool " + version("github.com/jackc/pgx/v5"), counted}, nil
}

// databaseSQLPgx runs the pool of database/sql over pgx.
func databaseSQLPgx(task *task) (*opened, error) {
	connect, pool, err := task.settings()
	if err != nil {
		return nil, err
	}
	text, err := keywords(task, connect)
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(text)
	if err != nil {
		return nil, err
	}
	versions := "pgx " + version("github.com/jackc/pgx/v5") + ", database/sql"
	return databaseSQL(task, versions, stdlib.GetConnector(*config), pool, "$1, $2")
}

// databaseSQLPq runs the pool of database/sql over lib/pq.
func databaseSQLPq(task *task) (*opened, error) {
	connect, pool, err := task.settings()
	if err != nil {
		return nil, err
	}
	if _, given := connect["sslmode"]; !given {
		// Its own default, require, refuses servers without TLS. The other drivers have this one.
		connect["sslmode"] = "prefer"
	}
	text, err := keywords(task, connect)
	if err != nil {
		return nil, err
	}
	connector, err := pq.NewConnector(text)
	if err != nil {
		return nil, err
	}
	versions := "lib/pq " + version("github.com/lib/pq") + ", database/sql"
	return databaseSQL(task, versions, connector, pool, "$1, $2")
}

// keywords returns libpq's form of account and settings; of several hosts the driver looks for the writable one.
func keywords(task *task, connect map[string]string) (string, error) {
	if _, given := connect["tcp_user_timeout"]; given {
		// The name is libpq's, and the server has a setting of the same name, for its own end of the connection.
		return "", fmt.Errorf("setting connect.tcp_user_timeout: the driver has none; bound a wait with " +
			"pool.context_timeout")
	}
	hosts, ports, err := task.hosts()
	if err != nil {
		return "", err
	}
	all := map[string]string{
		"host": strings.Join(hosts, ","), "port": strings.Join(ports, ","),
		"user": task.User, "password": task.Password, "dbname": task.Database,
	}
	if len(hosts) > 1 {
		all["target_session_attrs"] = "read-write"
	}
	for name, value := range connect {
		all[name] = value
	}
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	var text strings.Builder
	for _, name := range names(all) {
		fmt.Fprintf(&text, "%s='%s' ", name, quoted.Replace(all[name]))
	}
	return strings.TrimSpace(text.String()), nil
}

// bounded returns the context of a transaction, with a deadline if there is one.
func bounded(patience time.Duration) (context.Context, context.CancelFunc) {
	if patience <= 0 {
		return context.Background(), func() {}
	}
	return context.WithTimeout(context.Background(), patience)
}
