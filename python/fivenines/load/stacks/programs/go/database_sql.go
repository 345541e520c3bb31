package main

import (
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
)

// goSQLDriver runs the pool of database/sql over go-sql-driver/mysql.
func goSQLDriver(task *task) (transaction, string, error) {
	connect, pool, err := task.settings()
	if err != nil {
		return nil, "", err
	}
	hosts, ports, err := task.hosts()
	if err != nil {
		return nil, "", err
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
		return nil, "", err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, "", err
	}
	transact, err := databaseSQL(task, sql.OpenDB(connector), pool, "?, ?")
	return transact, "go-sql-driver/mysql " + version("github.com/go-sql-driver/mysql") + ", database/sql", err
}

// databaseSQL sets up the pool of database/sql and returns a transaction of it.
func databaseSQL(task *task, db *sql.DB, pool map[string]string, places string) (transaction, error) {
	patience, err := duration(pool, "context_timeout")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(task.Workers)
	if err := sized(db, pool); err != nil {
		return nil, err
	}
	if err := db.Ping(); err != nil {
		return nil, err
	}
	statement := fmt.Sprintf("INSERT INTO %s (n, attempt) VALUES (%s) %s", task.Table, places, task.Suffix)
	return func(operation, attempt int64, stage *string) error {
		within, cancel := bounded(patience)
		defer cancel()
		begun, err := db.BeginTx(within, nil)
		if err != nil {
			return err
		}
		// Does nothing after a commit.
		defer func() { _ = begun.Rollback() }()
		*stage = "work"
		if _, err := begun.ExecContext(within, statement, operation, attempt); err != nil {
			return err
		}
		*stage = "commit"
		if err := begun.Commit(); err != nil {
			return err
		}
		*stage = "release"
		return nil
	}, nil
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
