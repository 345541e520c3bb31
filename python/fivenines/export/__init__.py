"""All trials of runs as one file for one's own analysis: DuckDB with every table, Parquet with one.

`TABLES` lists the tables; each column says its name, type, unit and meaning beside the code that fills it, so
that the file, its comments and the reference page cannot tell different things.
"""
