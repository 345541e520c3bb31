#!/bin/bash
# DuckDB 2.0.1: a CSV column of MariaDB's GTIDs becomes a column of dates, or of times before Christ.
#
# Guess: a GTID such as 1-11-2350 (domain, server, number) has no type that a reader of CSV knows, so it stays a text.
# Seen on 2026-11-30, with DuckDB 1.4.4, too: read_csv takes values that could be a date in any of its formats, if all of
# the rows that it looks at could. Domain 1, server 11 and numbers from 2000 are the first of November of those years, and a
# young server's 0-1-1 to 0-1-12 are days of the year 1 before Christ. Joins with the text of @@gtid_current_pos fail or
# find nothing. The type depends on the numbers: one above 9999 among the rows that it looks at leaves a text, one after them is
# an error. Give the type (types => {'gtid': 'VARCHAR'}).
#
# Output seen:
#   1-11-2000 to 1-11-2350: DATE, 2000-11-01 to 2350-11-01
#   0-1-1 to 0-1-12: TIMESTAMP, 0001-01-01 (BC) 00:00:00 to 0001-01-12 (BC) 00:00:00
#   0-1-13000 to 0-1-13040: VARCHAR, 0-1-13000 to 0-1-13040
#   1-11-2000 to 1-11-2350 with a type: VARCHAR, 1-11-2000 to 1-11-2350
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
python_packages duckdb==2.0.1
cat >kind.py <<'PYTHON'
import sys

import duckdb

prefix, first, last, *options = sys.argv[1:]
with open("positions.csv", "w") as file:
    file.write("second,gtid\n")
    for second, number in enumerate(range(int(first), int(last) + 1)):
        file.write(f"{second},{prefix}-{number}\n")
source = ", ".join(["'positions.csv'", *options])
print("{}, {} to {}".format(*duckdb.sql(
    f"SELECT any_value(typeof(gtid)), min(gtid)::VARCHAR, max(gtid)::VARCHAR FROM read_csv({source})"
).fetchall()[0]))
PYTHON
kind() { python/bin/python kind.py "$@"; }
expect "1-11-2000 to 1-11-2350" "$(kind 1-11 2000 2350)" "DATE, 2000-11-01 to 2350-11-01"
expect "0-1-1 to 0-1-12" "$(kind 0-1 1 12)" \
  "TIMESTAMP, 0001-01-01 (BC) 00:00:00 to 0001-01-12 (BC) 00:00:00"
expect "0-1-13000 to 0-1-13040" "$(kind 0-1 13000 13040)" "VARCHAR, 0-1-13000 to 0-1-13040"
expect "1-11-2000 to 1-11-2350 with a type" "$(kind 1-11 2000 2350 "types = {'gtid': 'VARCHAR'}")" \
  "VARCHAR, 1-11-2000 to 1-11-2350"
