"""Invariants of the tables tbtest1, ... and tbtest_child1, ..., which ingest and crud share.

Child table c belongs to parent table ((c - 1) mod parents) + 1. A transaction inserts a batch of
parents and, into each of their child tables, a batch of children of the first of them. A row that
was loaded in advance has one child in each.
"""

from collections.abc import Mapping, Sequence

from fivenines.load.workloads.invariant import Check, Invariant, Tally


def stress_checks(parents: int, children: int, batch: int, adds: Mapping[str, int]) -> Sequence[Check]:
    """Return the invariants of parent and child tables.

    Args:
        parents: number of parent tables.
        children: number of child tables.
        batch: rows of the largest INSERT.
        adds: the change of the number of parents per transaction, by type.
    """
    deletes = "delete" in adds
    found: list[Check] = [
        Tally(
            "parents: loaded + inserted" + (" - deleted" if deletes else ""),
            "acknowledged transactions",
            _count([f"tbtest{number}" for number in range(1, parents + 1)]),
            dict(adds),
        )
    ]
    if not children:
        return found
    if not deletes and children % parents == 0:
        tables = [f"tbtest_child{number}" for number in range(1, children + 1)]
        each = batch * children // parents
        name, source = "children: loaded + inserted", "acknowledged transactions"
        found.append(Tally(name, source, _count(tables), {"insert": each}))
    pairs = [(f"tbtest_child{child + 1}", f"tbtest{child % parents + 1}") for child in range(children)]
    found += [
        Invariant("no child is without its parent", "key (a, date)", _each(pairs, _ORPHANS)),
        Invariant(
            f"a parent has 1 child in a table (alone) or {batch} (inserted together)",
            "batches are inserted whole or not at all",
            _each(pairs, _FAMILIES.replace("BATCH", str(batch))),
        ),
    ]
    return found


_ORPHANS = """
    SELECT 'CHILD' AS child_table, c.a, c.bb FROM CHILD c
    LEFT JOIN PARENT p ON p.autoInc = c.a AND p.date = c.date WHERE p.autoInc IS NULL
"""
_FAMILIES = """
    SELECT 'CHILD' AS child_table, a, COUNT(*) AS found FROM CHILD
    GROUP BY a, date HAVING COUNT(*) NOT IN (1, BATCH)
"""


def _count(tables: Sequence[str]) -> str:
    return "SELECT " + " + ".join(f"(SELECT COUNT(*) FROM {table})" for table in tables)


def _each(pairs: Sequence[tuple[str, str]], query: str) -> str:
    """Return the union of a query over all pairs of child and parent tables."""
    return " UNION ALL ".join(
        query.replace("CHILD", child).replace("PARENT", parent) for child, parent in pairs
    )
