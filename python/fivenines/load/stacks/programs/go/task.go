package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// task is what the program has to do: see fivenines.load.stacks.protocol.
type task struct {
	Servers  []string       `json:"servers"`
	User     string         `json:"user"`
	Password string         `json:"password"`
	Database string         `json:"database"`
	Table    string         `json:"table"`
	Workers  int            `json:"workers"`
	ThinkMs  int64          `json:"think_ms"`
	PauseMs  int64          `json:"pause_ms"`
	Repeat   bool           `json:"repeat"`
	Suffix   string         `json:"suffix"`
	Options  map[string]any `json:"options"`
}

func readTask() (*task, error) {
	line, err := bufio.NewReader(os.Stdin).ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("no task on standard input: %w", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(line)))
	decoder.UseNumber()
	read := &task{}
	if err := decoder.Decode(read); err != nil {
		return nil, fmt.Errorf("the task is not valid: %w", err)
	}
	return read, nil
}

// settings returns the driver's and the pool's settings by name, without their prefix.
func (task *task) settings() (connect, pool map[string]string, err error) {
	connect, pool = map[string]string{}, map[string]string{}
	for key, value := range task.Options {
		switch prefix, name, _ := strings.Cut(key, "."); prefix {
		case "connect":
			connect[name] = fmt.Sprint(value)
		case "pool":
			pool[name] = fmt.Sprint(value)
		default:
			return nil, nil, fmt.Errorf("setting %s: write connect.NAME or pool.NAME", key)
		}
	}
	return connect, pool, nil
}

// hosts returns hosts and ports of the servers.
func (task *task) hosts() (hosts, ports []string, err error) {
	for _, server := range task.Servers {
		host, port, err := net.SplitHostPort(server)
		if err != nil {
			return nil, nil, fmt.Errorf("server %s: %w", server, err)
		}
		hosts, ports = append(hosts, host), append(ports, port)
	}
	return hosts, ports, nil
}

// duration removes a setting and returns it; zero if it is missing.
func duration(settings map[string]string, name string) (time.Duration, error) {
	text, given := settings[name]
	if !given {
		return 0, nil
	}
	delete(settings, name)
	value, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("setting pool.%s: write a time such as 5s instead of %s", name, text)
	}
	return value, nil
}
