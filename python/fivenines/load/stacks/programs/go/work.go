package main

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/lib/pq"
	"golang.org/x/sys/unix"
)

// progress is how far an attempt has got: see the stages. The thread of signs of life reads it, too.
type progress struct{ stage atomic.Pointer[string] }

// The stages of an attempt; between two attempts there is none.
var acquire, atWork, commit, release = "acquire", "work", "commit", "release"

func (progress *progress) reach(stage *string) { progress.stage.Store(stage) }

func (progress *progress) at(stage *string) bool { return progress.stage.Load() == stage }

// transaction writes one row; it says how far it has got.
type transaction func(operation, attempt int64, progress *progress) error

// work writes one row after the other, until the process ends.
func work(task *task, worker int, transact transaction, progress *progress) {
	operation, attempt := int64(worker), int64(1)
	for {
		progress.reach(&acquire)
		start := now()
		err := transact(operation, attempt, progress)
		stage := *progress.stage.Swap(nil)
		line := map[string]any{
			"event": "transaction", "n": operation, "worker": worker, "attempt": attempt,
			"start_us": start, "end_us": now(), "outcome": "committed", "stage": stage,
		}
		committed := err == nil || stage == release
		if err != nil {
			code, answered := described(err)
			line["code"], line["message"] = code, brief(err)
			if !committed && stage == commit && !answered {
				line["outcome"] = "in_doubt"
			} else if !committed {
				line["outcome"] = "failed"
			}
		}
		write(line)
		pause := task.PauseMs
		if committed {
			pause = task.ThinkMs
		}
		if task.Repeat && !committed {
			attempt++
		} else {
			operation, attempt = operation+int64(task.Workers), 1
		}
		time.Sleep(time.Duration(pause) * time.Millisecond)
	}
}

// Beginnings of codes with which a server ends a session: what became of its COMMIT is not said. PostgreSQL's 57P01
// may even follow a commit whose standby has not answered yet. 40003: completion unknown; MySQL's 1053: shutdown,
// 1317: interrupted.
var sessionEnded = []string{"08", "57P", "40003", "1053", "1317"}

// described returns an error's code, and whether it is the server's answer to the statement.
func described(err error) (code string, answered bool) {
	var fromPgx *pgconn.PgError
	var fromPq *pq.Error
	var fromMySQL *mysql.MySQLError
	switch {
	case errors.As(err, &fromPgx):
		return fromPgx.Code, answers(fromPgx.Code)
	case errors.As(err, &fromPq):
		return string(fromPq.Code), answers(string(fromPq.Code))
	case errors.As(err, &fromMySQL):
		number := strconv.Itoa(int(fromMySQL.Number))
		return number, answers(number)
	case errors.Is(err, pgx.ErrTxCommitRollback):
		return "ErrTxCommitRollback", true // the server has answered the COMMIT with ROLLBACK
	}
	return nameOf(err), false
}

func answers(code string) bool {
	for _, beginning := range sessionEnded {
		if strings.HasPrefix(code, beginning) {
			return false
		}
	}
	return true
}

// nameOf returns a name by which errors of the same kind can be counted.
func nameOf(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return unix.ErrnoName(number)
	}
	for name, known := range map[string]error{
		"DeadlineExceeded": context.DeadlineExceeded, "Canceled": context.Canceled, "ErrBadConn": driver.ErrBadConn,
		"ErrInvalidConn": mysql.ErrInvalidConn, "EOF": io.EOF, "ErrUnexpectedEOF": io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, known) {
			return name
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return fmt.Sprintf("%T", err)
}

// brief returns the beginning of an error's message.
func brief(err error) string {
	message := []rune(oneLine(err.Error()))
	return string(message[:min(len(message), 200)])
}
