#!/bin/bash
# DuckDB 2.0.1: a database file that is written without further options cannot be opened by DuckDB 1.4.4.
#
# Guess: a new version writes files that older ones open, unless newer features are requested: the default of 1.4.4 is
# the storage format of 0.10 (64), and `storage_compatibility_version` raises it.
# Seen on 2026-11-27, Python 3.11.7: the default of 2.0.1 is a new format, whose number in the file is 999. DuckDB
# 1.4.4, the version with long-term support, refuses the file. So an upgrade of the library that writes breaks all readers
# with 1.x; `storage_compatibility_version = 'v1.0.0'` writes the old format.
#
# Output seen:
#   written by 1.4.4: storage format 64
#   written by 2.0.1: storage format 999, read by 1.4.4: refused
#   written by 2.0.1 with v1.0.0: storage format 64, read by 1.4.4: [(7,)]
. "$(dirname "${BASH_SOURCE[0]}")/support.sh"
for version in 1.4.4 2.0.1; do
  python3 -m venv "$version"
  "$version/bin/python" -m pip install --quiet --disable-pip-version-check "duckdb==$version"
done
write() { # write VERSION FILE [SETTINGS]: a file with one row; the number of its format
  "$1/bin/python" - "$2" "${3:-{\}}" <<'PYTHON'
import json
import sys

import duckdb

with duckdb.connect(sys.argv[1], config=json.loads(sys.argv[2])) as connection:
    connection.execute("CREATE TABLE t AS SELECT 7 AS x")
head = open(sys.argv[1], "rb").read(20)
print("storage format", int.from_bytes(head[12:20], "little"), end="")
PYTHON
}
read_by_old() { # read_by_old FILE
  1.4.4/bin/python - "$1" <<'PYTHON'
import sys

import duckdb

try:
    print(f", read by {duckdb.__version__}: {duckdb.connect(sys.argv[1], read_only=True).execute('FROM t').fetchall()}")
except duckdb.Error as error:
    print(f", read by {duckdb.__version__}: {'refused' if 'version number' in str(error) else error}")
PYTHON
}
expect "written by 1.4.4" "$(write 1.4.4 one.db)" "storage format 64"
expect "written by 2.0.1" "$(write 2.0.1 two.db)$(read_by_old two.db)" "storage format 999, read by 1.4.4: refused"
expect "written by 2.0.1 with v1.0.0" \
  "$(write 2.0.1 three.db '{"storage_compatibility_version": "v1.0.0"}')$(read_by_old three.db)" \
  "storage format 64, read by 1.4.4: [(7,)]"
