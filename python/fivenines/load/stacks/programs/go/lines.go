package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

var output sync.Mutex

// counters is what the pool counts, once it is open.
var counters atomic.Pointer[func() map[string]int64]

// now returns microseconds of CLOCK_MONOTONIC. Go's own monotonic clock begins with the program.
func now() int64 {
	var time unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &time); err != nil {
		panic(err)
	}
	return time.Sec*1_000_000 + time.Nsec/1000
}

// write writes a line at once.
func write(values map[string]any) {
	output.Lock()
	defer output.Unlock()
	writeLocked(values)
}

func writeLocked(values map[string]any) {
	line, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	if _, err := os.Stdout.Write(append(line, '\n')); err != nil {
		os.Exit(1) // the reader has gone
	}
}

// ready writes that the pool is open; signs of life have its counters from now on.
func ready(versions string, counted func() map[string]int64) {
	counters.Store(&counted)
	write(map[string]any{"event": "ready", "at_us": now(), "driver": versions})
}

// fail ends the program; the last line of its error output says why.
func fail(err error) {
	output.Lock()
	fmt.Fprintln(os.Stderr, oneLine(err.Error()))
	os.Exit(1)
}

// oneLine joins the lines of a message: pgx has one for each host.
func oneLine(message string) string {
	return strings.Join(strings.Fields(message), " ")
}

// liveUntilTheEnd writes signs of life until standard input ends, then the last line, and ends the program at
// once: pools are not closed, as that may wait for a dead server.
func liveUntilTheEnd() {
	go func() {
		for {
			time.Sleep(time.Second)
			line := map[string]any{"event": "alive", "at_us": now()}
			if counted := counters.Load(); counted != nil {
				line["pool"] = (*counted)()
			}
			write(line)
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
	output.Lock()
	writeLocked(map[string]any{"event": "end", "at_us": now()})
	os.Exit(0)
}
