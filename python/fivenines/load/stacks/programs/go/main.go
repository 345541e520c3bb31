// The program of the Go client stacks: reads its task, starts the workers, ends with its input.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
)

// A stack opens its pool.
type stack func(task *task) (*opened, error)

// opened is a driver with its pool: one transaction of it, their versions, and what the pool counts.
type opened struct {
	transact transaction
	versions string
	counters func() map[string]int64
}

var stacks = map[string]stack{
	"pgx-pool":         pgxPool,
	"database-sql-pgx": databaseSQLPgx,
	"database-sql-pq":  databaseSQLPq,
	"go-sql-driver":    goSQLDriver,
}

func main() {
	open, known := stacks[strings.Join(os.Args[1:], " ")]
	if !known {
		fail(fmt.Errorf("name one stack: %s", strings.Join(names(stacks), ", ")))
	}
	// libpq's variables would add settings that the results do not show.
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PG") {
			os.Unsetenv(name)
		}
	}
	task, err := readTask()
	if err != nil {
		fail(err)
	}
	go startWorkers(task, open)
	liveUntilTheEnd()
}

func startWorkers(task *task, open stack) {
	pool, err := open(task)
	if err != nil {
		fail(err)
	}
	workers := make([]progress, task.Workers)
	ready(pool.versions+", "+runtime.Version(), func() map[string]int64 {
		counted := pool.counters()
		for number := range workers {
			if workers[number].at(&acquire) {
				counted["waiting"]++
			}
		}
		return counted
	})
	for worker := range task.Workers {
		go work(task, worker, pool.transact, &workers[worker])
	}
}

func names[Value any](of map[string]Value) []string {
	found := make([]string, 0, len(of))
	for name := range of {
		found = append(found, name)
	}
	sort.Strings(found)
	return found
}
