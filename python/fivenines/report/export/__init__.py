"""Export all trials of runs to one file: DuckDB with every table, or Parquet with one.

`TABLES` lists the tables. Each column defines name, type, unit and meaning next to the code that fills it, so
that the file, its comments and the reference page agree.
"""
