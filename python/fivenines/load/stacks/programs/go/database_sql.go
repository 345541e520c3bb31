package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net"
	"net/url"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

// goSQLDriver runs the pool of database/sql over go-sql-driver/mysql.
func goSQLDriver(task *task) (*opened, error) {
	connect, pool, err := task.settings()
	if err != nil {
		return nil, err
	}
	hosts, ports, err := task.hosts()
	if err != nil {
		return nil, err
	}
	account := mysql.NewConfig()
	account.User, account.Passwd, account.DBName = task.User, task.Password, task.Database
	account.Net, account.Addr = "tcp", net.JoinHostPort(hosts[0], ports[0])
	settings := url.Values{}
	for name, value := range connect {
		settings.Set(name, value)
	}
	text := account.FormatDSN()
	if len(settings) > 0 {
		text += "?" + settings.Encode()
	}
	// The driver hands names that it does not know to the server, as system variables.
	config, err := mysql.ParseDSN(text)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	versions := "go-sql-driver/mysql " + version("github.com/go-sql-driver/mysql") + ", database/sql"
	return databaseSQL(task, versions, connector, pool, "?, ?")
}

// counted is a connector that counts the connections it has opened: the pool does not.
type counted struct {
	driver.Connector
	created atomic.Int64
}

// Connect opens a connection.
func (connector *counted) Connect(within context.Context) (driver.Conn, error) {
	connection, err := connector.Connector.Connect(within)
	if err == nil {
		connector.created.Add(1)
	}
	return connection, err
}

// databaseSQL opens the pool of database/sql over a driver.
func databaseSQL(
	task *task, versions string, connector driver.Connector, pool map[string]string, places string,
) (*opened, error) {
	patience, err := duration(pool, "context_timeout")
	if err != nil {
		return nil, err
	}
	counting := &counted{Connector: connector}
	db := sql.OpenDB(counting)
	db.SetMaxOpenConns(task.Workers)
	if err := sized(db, pool); err != nil {
		return nil, err
	}
	if err := db.Ping(); err != nil {
		return nil, err
	}
	statement := fmt.Sprintf("INSERT INTO %s (n, attempt) VALUES (%s) %s", task.Table, places, task.Suffix)
	transact := func(operation, attempt int64, progress *progress) error {
		within, cancel := bounded(patience)
		defer cancel()
		begun, err := db.BeginTx(within, nil)
		if err != nil {
			return err
		}
		// Does nothing after a commit.
		defer func() { _ = begun.Rollback() }()
		progress.reach(&atWork)
		if _, err := begun.ExecContext(within, statement, operation, attempt); err != nil {
			return err
		}
		progress.reach(&commit)
		if err := begun.Commit(); err != nil {
			return err
		}
		progress.reach(&release)
		return nil
	}
	counters := func() map[string]int64 {
		now := db.Stats()
		return map[string]int64{
			"open": int64(now.OpenConnections), "idle": int64(now.Idle), "created": counting.created.Load(), "waiting": 0,
		}
	}
	return &opened{transact, versions, counters}, nil
}

// sized hands the settings of the pool to it.
func sized(db *sql.DB, pool map[string]string) error {
	numbers := map[string]func(int){
		"max_open_conns": db.SetMaxOpenConns, "max_idle_conns": db.SetMaxIdleConns,
	}
	times := map[string]func(time.Duration){
		"conn_max_lifetime": db.SetConnMaxLifetime, "conn_max_idle_time": db.SetConnMaxIdleTime,
	}
	for name, text := range pool {
		if set, known := numbers[name]; known {
			number, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("setting pool.%s: write a number instead of %s", name, text)
			}
			set(number)
		} else if set, known := times[name]; known {
			value, err := duration(pool, name)
			if err != nil {
				return err
			}
			set(value)
		} else {
			known := append(names(numbers), names(times)...)
			return fmt.Errorf("setting pool.%s: database/sql has %v and context_timeout", name, known)
		}
	}
	return nil
}

// version returns the version of a module that the program was built with.
func version(module string) string {
	if built, known := debug.ReadBuildInfo(); known {
		for _, dependency := range built.Deps {
			if dependency.Path == module {
				return dependency.Version[1:]
			}
		}
	}
	return "of an unknown version"
}
