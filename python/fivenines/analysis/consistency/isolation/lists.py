"""The list-append check: all anomalies of a history, counted, with examples in words.

After Elle (Kingsbury and Alvaro 2020, "Elle: Inferring Isolation Anomalies from Experimental
Observations"): transactions append unique elements to lists and read whole lists, so that the order of
versions, and from it the dependencies between transactions, can be inferred from the reads alone.
"""

import time
from collections.abc import Mapping

import duckdb

from fivenines.analysis.consistency.isolation.cycles import Cycles, find_cycles
from fivenines.analysis.consistency.isolation.direct import find
from fivenines.analysis.consistency.isolation.graph import edges_of
from fivenines.analysis.consistency.isolation.history import read_history
from fivenines.analysis.consistency.isolation.words import cycle_anomaly, direct_anomaly
from fivenines.results.records import Isolation

# Maximum number of anomalies of each kind that are described in words.
EXAMPLES = 10

# Seconds for the search of cycles with rw edges; in a sick history there may be millions.
SEARCH = 10.0


def check_lists(connection: duckdb.DuckDBPyConnection, search: float = SEARCH) -> Isolation | None:
    """Judge the rows of source `lists` of the relation `history`; None if there is none.

    Args:
        connection: with a relation `history` whose columns are those of `layout.TABLES`.
        search: seconds for the search of cycles with rw edges.
    """
    began = time.monotonic()
    history = read_history(connection)
    if not len(history.txns):
        return None
    direct = find(history, EXAMPLES)
    cycles = find_cycles(edges_of(history), len(history.txns), EXAMPLES, search)
    examples = [direct_anomaly(finding, history) for finding in direct.findings]
    for kind, some in cycles.cycles.items():
        examples += [cycle_anomaly(kind, cycle, history) for cycle in some if cycle]
    return Isolation(
        source="lists",
        transactions=len(history.txns),
        counts=_sorted({**direct.counts, **cycles.counts}),
        examples=sorted(examples, key=lambda anomaly: _place(anomaly.kind)),
        seconds=round(time.monotonic() - began, 3),
        note=_note(cycles, search),
    )


# Kinds in the order of reports: anomalies that no isolation level allows come first.
SEVERITY = (
    "duplicate-elements",
    "unknown-element",
    "incompatible-order",
    "lost-append",
    "G0",
    "G1a",
    "G1b",
    "dirty-update",
    "G1c",
    "internal",
    "lost-update",
    "G-single",
    "G-nonadjacent",
    "G2-item",
)


def _place(kind: str) -> int:
    return SEVERITY.index(kind)


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return {kind: counts[kind] for kind in sorted(counts, key=_place)}


def _note(cycles: Cycles, seconds: float) -> str:
    if cycles.searched == cycles.all:
        return ""
    return (
        f"The search for cycles with rw edges ended after {seconds:g} s, with {cycles.searched:,} of"
        f" {cycles.all:,} rw edges on cycles looked at: their counts are lower bounds."
    )
