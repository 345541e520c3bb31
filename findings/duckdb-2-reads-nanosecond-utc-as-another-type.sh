#!/bin/bash
# DuckDB 2.0.1 reads a Parquet column of UTC nanoseconds as TIMESTAMPTZ_NS; up to 1.x it is TIMESTAMP WITH TIME ZONE.
#
# Guess: a Parquet file has the same types in each version of DuckDB, as stated in its schema.
# Seen on 2026-11-27 with pyarrow 26.0.1, Python 3.11.7: the type differs, and with it joins, unions and comparisons: the
# same moment, one column of microseconds and one of nanoseconds, is equal for 1.4.4, which drops the last three digits
# when it reads, and not equal for 2.0.1.
#
# Output seen:
#   duckdb 1.4.4: TIMESTAMP WITH TIME ZONE 2023-11-14 22:13:20.123456+00, equal to its microseconds: True
#   duckdb 2.0.1: TIMESTAMPTZ_NS 2023-11-14 22:13:20.123456789+00, equal to its microseconds: False
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
python_packages pyarrow==26.0.1 pytz
python/bin/python - <<'PYTHON'
import pyarrow
import pyarrow.parquet

moment = 1_700_000_000_123_456_789
pyarrow.parquet.write_table(
    pyarrow.table({
        "nano": pyarrow.array([moment], pyarrow.timestamp("ns", "UTC")),
        "micro": pyarrow.array([moment // 1000], pyarrow.timestamp("us", "UTC")),
    }),
    "moments.parquet",
)
PYTHON
read_by() { # read_by VERSION
  python_packages "duckdb==$1"
  python/bin/python - <<'PYTHON'
import duckdb

duckdb.execute("SET TimeZone = 'UTC'")
((kind, text, equal),) = duckdb.execute(
    "SELECT typeof(nano), nano::VARCHAR, nano = micro FROM 'moments.parquet'"
).fetchall()
print(f"{kind} {text}, equal to its microseconds: {equal}")
PYTHON
}
expect "duckdb 1.4.4" "$(read_by 1.4.4)" \
  "TIMESTAMP WITH TIME ZONE 2023-11-14 22:13:20.123456+00, equal to its microseconds: True"
expect "duckdb 2.0.1" "$(read_by 2.0.1)" \
  "TIMESTAMPTZ_NS 2023-11-14 22:13:20.123456789+00, equal to its microseconds: False"
