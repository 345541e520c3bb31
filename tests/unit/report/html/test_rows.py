"""Rows of tables: escaped, short, and complete."""

import base64
import gzip
import json

from fivenines.report.html.rows import Rows, classes
from fivenines.report.table import Table

TABLE = Table("a", ["Name", "Value", "Word"], [["<a>", "5 ms (4 to 6 ms)", "b & c"]], numeric=frozenset([1]))


def _long(rows: int) -> Table:
    return Table("long", ["Name", "Value"], [[str(n), str(n)] for n in range(rows)])


def test_cells_are_escaped_and_have_no_end_tags() -> None:
    assert Rows([TABLE]).first(TABLE) == (
        "<tr><th scope=row>&lt;a&gt;<td>5\N{NO-BREAK SPACE}ms <small>(4 to 6\N{NO-BREAK SPACE}ms)</small>"
        "<td>b &amp; c\n"
    )
    assert classes(TABLE) == "n1"


def test_cells_of_a_named_table_have_the_names_of_their_columns() -> None:
    assert '<td class=n data-head="Value">' in Rows([TABLE]).first(TABLE, named=True)


def test_a_page_with_few_rows_has_all_of_them() -> None:
    table = _long(1000)
    rows = Rows([table])
    assert rows.left(table) == 0
    assert rows.first(table).count("<tr>") == 1000


def test_a_page_with_many_rows_compresses_most() -> None:
    long, short = _long(5000), _long(30)
    rows = Rows([long, short])
    rest = json.loads(gzip.decompress(base64.b64decode(rows.further(long))))
    assert rows.first(long).count("<tr>") + rest.count("<tr>") == 5000
    assert rest.count("<tr>") == rows.left(long) > 4900
    assert rows.left(short) == 0
