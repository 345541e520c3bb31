"""Servers that fivenines did not start: queried over the network, by a driver or by ODBC.

`server` is their base, `kinds` the known families with `sql` and `monitoring`, `aurora` those of Amazon, and
`external_odbc` any DBMS through `by_odbc`. `remote` opens connections; `writable` explains refused writes.
"""
