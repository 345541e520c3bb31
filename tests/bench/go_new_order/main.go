// New-Order of TPC-C with Go's database/sql and go-sql-driver/mysql, the libraries that go-tpc is made of:
// the same statements as fivenines sends, prepared once for each connection. A peer for tpcc_cost.py.
//
// Prints the number of transactions. The data set is that of `fivenines-core prepare --workload tpcc`.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

const mostLines = 15

var info = "CASE ? WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04 " +
	"WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08 " +
	"WHEN 9 THEN s_dist_09 ELSE s_dist_10 END"

var errUndone = errors.New("an item does not exist")

// A terminal is one connection with its prepared statements.
type terminal struct {
	conn       *sql.Conn
	random     *rand.Rand
	warehouses int
	prepared   map[string]*sql.Stmt
}

type line struct{ item, supply, quantity int }

func (t *terminal) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	if found, ok := t.prepared[query]; ok {
		return found, nil
	}
	made, err := t.conn.PrepareContext(ctx, query)
	if err == nil {
		t.prepared[query] = made
	}
	return made, err
}

func (t *terminal) exec(ctx context.Context, query string, args ...any) error {
	statement, err := t.statement(ctx, query)
	if err != nil {
		return err
	}
	_, err = statement.ExecContext(ctx, args...)
	return err
}

func (t *terminal) rows(ctx context.Context, query string, args []any, read func(*sql.Rows) error) error {
	statement, err := t.statement(ctx, query)
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func list(part string, times int) string {
	return strings.TrimSuffix(strings.Repeat(part+", ", times), ", ")
}

func nurand(random *rand.Rand, a, low, high, c int) int {
	mixed := random.Intn(a+1) | (low + random.Intn(high-low+1))
	return (mixed+c)%(high-low+1) + low
}

func (t *terminal) lines(home int) []line {
	lines := make([]line, 5+t.random.Intn(11))
	for i := range lines {
		supply := home
		if t.warehouses > 1 && t.random.Intn(100) == 0 {
			supply = 1 + (home+t.random.Intn(t.warehouses-1))%t.warehouses
		}
		lines[i] = line{nurand(t.random, 8191, 1, 100_000, 5003), supply, 1 + t.random.Intn(10)}
	}
	if t.random.Intn(100) == 0 {
		lines[len(lines)-1].item = 100_001
	}
	return lines
}

func (t *terminal) newOrder(ctx context.Context, home int) error {
	d := 1 + t.random.Intn(10)
	customer := nurand(t.random, 1023, 1, 3000, 517)
	lines := t.lines(home)
	tx, err := t.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := t.order(ctx, home, d, customer, lines); err != nil {
		return err
	}
	return tx.Commit()
}

func (t *terminal) order(ctx context.Context, home, d, customer int, lines []line) error {
	var discount, tax, districtTax float64
	var last, credit string
	err := t.rows(ctx, "SELECT c_discount, c_last, c_credit, w_tax FROM warehouse, customer "+
		"WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?", []any{home, d, customer},
		func(rows *sql.Rows) error { return rows.Scan(&discount, &last, &credit, &tax) })
	if err != nil {
		return err
	}
	prices, err := t.prices(ctx, lines)
	if err != nil {
		return err
	}
	var number int
	err = t.rows(ctx, "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE",
		[]any{home, d}, func(rows *sql.Rows) error { return rows.Scan(&number, &districtTax) })
	if err != nil {
		return err
	}
	err = t.exec(ctx, "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = ? AND d_id = ?", home, d)
	if err != nil {
		return err
	}
	err = t.exec(ctx, "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, "+
		"o_all_local) VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP, NULL, ?, ?)", number, d, home, customer, len(lines), 1)
	if err != nil {
		return err
	}
	err = t.exec(ctx, "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)", number, d, home)
	if err != nil {
		return err
	}
	total := len(lines)
	lines = slices.DeleteFunc(lines, func(l line) bool { return l.item > 100_000 })
	if err := t.orderLines(ctx, home, d, number, lines, prices); err != nil {
		return err
	}
	if len(lines) < total {
		return errUndone
	}
	return nil
}

func filledUp(args []any, lines []line) []any {
	for i := range mostLines {
		args = append(args, lines[min(i, len(lines)-1)].item)
	}
	return args
}

func (t *terminal) prices(ctx context.Context, lines []line) (map[int]float64, error) {
	prices := make(map[int]float64, len(lines))
	err := t.rows(ctx, "SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id IN ("+list("?", mostLines)+")",
		filledUp(nil, lines), func(rows *sql.Rows) error {
			var item int
			var price float64
			var name, data string
			err := rows.Scan(&item, &price, &name, &data)
			prices[item] = price
			return err
		})
	return prices, err
}

type stock struct {
	quantity int
	info     string
}

func (t *terminal) lock(ctx context.Context, d int, lines []line) (map[[2]int]*stock, error) {
	supplies := make(map[int][]line)
	for _, l := range lines {
		supplies[l.supply] = append(supplies[l.supply], l)
	}
	locked := make(map[[2]int]*stock, len(lines))
	for supply := range t.warehouses + 1 {
		if len(supplies[supply]) == 0 {
			continue
		}
		err := t.rows(ctx, "SELECT s_i_id, s_quantity, s_data, "+info+" FROM stock WHERE s_w_id = ? AND s_i_id IN ("+
			list("?", mostLines)+") ORDER BY s_i_id FOR UPDATE", filledUp([]any{d, supply}, supplies[supply]),
			func(rows *sql.Rows) error {
				var item int
				var data string
				found := &stock{}
				err := rows.Scan(&item, &found.quantity, &data, &found.info)
				locked[[2]int{supply, item}] = found
				return err
			})
		if err != nil {
			return nil, err
		}
	}
	return locked, nil
}

func (t *terminal) orderLines(
	ctx context.Context, home, d, number int, lines []line, prices map[int]float64,
) error {
	locked, err := t.lock(ctx, d, lines)
	if err != nil {
		return err
	}
	args := make([]any, 0, 9*len(lines))
	for i, l := range lines {
		of := locked[[2]int{l.supply, l.item}]
		if of == nil {
			return fmt.Errorf("no stock of item %d", l.item)
		}
		if of.quantity -= l.quantity; of.quantity < 10 {
			of.quantity += 91
		}
		remote := 0
		if l.supply != home {
			remote = 1
		}
		err := t.exec(ctx, "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, "+
			"s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?",
			of.quantity, l.quantity, remote, l.supply, l.item)
		if err != nil {
			return err
		}
		amount := float64(l.quantity) * prices[l.item]
		args = append(args, number, d, home, i+1, l.item, l.supply, l.quantity, amount, of.info)
	}
	return t.exec(ctx, "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, "+
		"ol_quantity, ol_amount, ol_dist_info) VALUES "+list("(?, ?, ?, ?, ?, ?, ?, ?, ?)", len(lines)), args...)
}

func (t *terminal) run(ctx context.Context, home int, until time.Time, done *atomic.Int64) error {
	if _, err := t.conn.ExecContext(ctx, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"); err != nil {
		return err
	}
	for time.Now().Before(until) {
		err := t.newOrder(ctx, home)
		var refused *mysql.MySQLError
		if errors.As(err, &refused) && refused.Number == 1213 {
			continue
		}
		if err != nil && !errors.Is(err, errUndone) {
			return err
		}
		done.Add(1)
	}
	return nil
}

func main() {
	address := flag.String("address", "127.0.0.1:3306", "host and port")
	user := flag.String("user", "root", "the password is in FIVENINES_MYSQL_PASSWORD")
	database := flag.String("database", "sb", "where the tables are")
	connections := flag.Int("connections", 8, "connections")
	warehouses := flag.Int("warehouses", 1, "warehouses")
	seconds := flag.Int("seconds", 5, "how long")
	flag.Parse()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", *address, *database
	config.User, config.Passwd = *user, os.Getenv("FIVENINES_MYSQL_PASSWORD")
	db, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	until := time.Now().Add(time.Duration(*seconds) * time.Second)
	var done atomic.Int64
	var all sync.WaitGroup
	for i := range *connections {
		conn, err := db.Conn(ctx)
		if err != nil {
			log.Fatal(err)
		}
		t := &terminal{conn, rand.New(rand.NewSource(int64(i))), *warehouses, map[string]*sql.Stmt{}}
		all.Add(1)
		go func() {
			defer all.Done()
			if err := t.run(ctx, i%*warehouses+1, until, &done); err != nil {
				log.Fatal(err)
			}
		}()
	}
	all.Wait()
	fmt.Printf("transactions %d\n", done.Load())
}
