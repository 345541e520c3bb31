"""Comparison of all tables of the workload and the ledger between nodes after a trial.

Each table is read once on every node, in parallel: number of rows and checksum of each chunk of primary keys.
Only differing chunks are read again, row by row, to find the differing keys. The nodes must be at rest and at
the same position; the caller has settled before. A node that still has to apply changes, or is not a member,
is left out with the reason.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from fivenines.base.errors import brief
from fivenines.results.records import Divergence, TableDifference
from fivenines.servers.base import Server
from fivenines.servers.checksums import Dialect, Shape
from fivenines.solutions.base import Solution

# Time limit of the whole comparison in seconds.
BOUND = 120.0

# Seconds for nodes to apply the writes of a server at rest (snapshots for standbys).
CATCH_UP = 5.0

# Maximum number of differing keys that are named.
SHOWN = 100

# Maximum rows of differing chunks that are read from each node; further keys are neither named nor counted.
MOST_CHUNK_ROWS = 200_000

_LEAST = 1.0
_T = TypeVar("_T")
# Number of rows and checksum of each chunk.
Chunks = dict[int, tuple[int, int]]


def diverged(
    solution: Solution[Any, Any], unexpected_primaries: Mapping[str, str], bound: float = BOUND
) -> Divergence:
    """Compare all nodes of a solution that are working members and have applied everything.

    Args:
        solution: a settled solution.
        unexpected_primaries: nodes that are known to be unavailable, with the reason.
        bound: time limit in seconds.
    """
    left_out = dict(unexpected_primaries)
    deadline = time.monotonic() + min(CATCH_UP, bound)
    for node in solution.nodes:
        if node.name not in left_out and (reason := _behind(solution, node, deadline)):
            left_out[node.name] = reason
    nodes = [node for node in solution.nodes if node.name not in left_out]
    primary = solution.roles.certain_primary()
    return compare(nodes, primary.name if primary else "", left_out, bound)


def _behind(solution: Solution[Any, Any], node: Server, deadline: float) -> str:
    """Return why a node is not at the others' position, if it still is not at the deadline."""
    while True:
        try:
            reason = solution.membership.not_joined_reason(node) or solution.membership.lag_reason(node)
        except Exception as error:  # drivers raise many types
            reason = brief(error)
        if not reason or time.monotonic() >= deadline:
            return reason
        time.sleep(0.05)


def compare(
    nodes: Sequence[Server], reference: str, left_out: Mapping[str, str], bound: float = BOUND
) -> Divergence:
    """Compare all tables of these nodes. Never raises; the result lists what could not be compared.

    Args:
        nodes: servers of one kind, at the same position.
        reference: the node that others are compared with; by default the first.
        left_out: other nodes, and why they are not compared.
        bound: time limit in seconds.
    """
    began = time.monotonic()
    if len(nodes) < 2:
        return Divergence(
            compared=[node.name for node in nodes],
            left_out=dict(left_out),
            tables=0,
            incomplete="fewer than two nodes could be compared",
        )
    comparison = _Comparison(nodes, reference, began + bound)
    comparison.run()
    return Divergence(
        compared=[node.name for node in comparison.nodes],
        left_out={**left_out, **comparison.failed},
        tables=comparison.tables,
        rows=comparison.rows,
        reference=comparison.nodes[0].name if comparison.nodes else "",
        differences=comparison.differences,
        seconds=round(time.monotonic() - began, 3),
        incomplete=comparison.incomplete,
    )


class _TableRefusedError(Exception):
    """A node does not let a table be read; it can be compared by others."""


class _Comparison:
    """The state of one comparison; the reference is the first of `nodes`."""

    def __init__(self, nodes: Sequence[Server], reference: str, deadline: float) -> None:
        self.nodes = sorted(nodes, key=lambda node: node.name != reference)
        self.dialect: Dialect = nodes[0].introspection.dialect()
        self.deadline = deadline
        self.failed: dict[str, str] = {}
        self.differences: list[TableDifference] = []
        self.tables = 0
        self.rows = 0
        self.incomplete = ""

    def run(self) -> None:
        shapes = self._each(lambda cursor, _node: self.dialect.shapes(cursor), table=False)
        found = {name: shape for own in shapes.values() for name, shape in own.items()}
        # The default schema first: the time may end, and the ledger and built-in workloads are there.
        names = sorted(found, key=lambda name: (found[name].schema, name))
        for done, name in enumerate(names):
            if time.monotonic() >= self.deadline:
                left = ", ".join(names[done:])
                self._omit(f"the time limit was reached before {left}")
                return
            try:
                self._table(name, {node: shape.get(name) for node, shape in shapes.items()})
            except _TableRefusedError as refusal:
                self._omit(f"{name}: {refusal}")

    def _omit(self, reason: str) -> None:
        """Add to what could not be compared."""
        self.incomplete = "; ".join(filter(None, (self.incomplete, reason)))

    def _table(self, name: str, shapes: Mapping[str, Shape | None]) -> None:
        kinds = Counter(shape for shape in shapes.values() if shape)
        shape = next(shape for shape in shapes.values() if shape)
        if len(kinds) > 1 or None in shapes.values():
            columns = {node: _described(item) for node, item in shapes.items()}
            self.differences.append(TableDifference(table=name, rows={}, checksums=columns))
            return
        try:
            chunks = self._each(lambda cursor, _node: _chunks(cursor, self.dialect, shape))
        except TimeoutError as error:
            self._omit(f"the time limit was reached before {name}: {error}")
            return
        if len(chunks) < 2:
            return
        self.tables += 1
        self.rows += sum(rows for rows, _ in next(iter(chunks.values())).values())
        differing = differing_chunks(list(chunks.values()))
        if differing:
            self.differences.append(self._descend(shape, chunks, differing))

    def _descend(self, shape: Shape, chunks: Mapping[str, Chunks], differing: set[int]) -> TableDifference:
        """Find the keys whose rows differ, within the chunks that do."""
        expected, read = set[int](), 0
        for chunk in sorted(differing):
            read += max(own.get(chunk, (0, 0))[0] for own in chunks.values())
            if expected and read > MOST_CHUNK_ROWS:
                break
            expected.add(chunk)
        difference = TableDifference(
            table=shape.label,
            rows={node: sum(n for n, _ in own.values()) for node, own in chunks.items()},
            checksums={node: _whole(own) for node, own in chunks.items()},
        )
        try:
            rows = self._each(lambda cursor, _node: _rows(cursor, self.dialect, shape, expected))
        except TimeoutError as error:
            self._omit(f"the time limit was reached before the keys of {shape.label}: {error}")
            return difference
        if expected != differing:
            self._omit(f"{shape.label}: keys are named in {len(expected)} of {len(differing)} chunks")
        keys = differing_keys(shape.key, rows)
        return difference.model_copy(update={"keys": keys[:SHOWN], "differing": len(keys)})

    def _each(self, ask: Callable[[Any, Server], _T], *, table: bool = True) -> dict[str, _T]:
        """Query all nodes in parallel; a node that fails is left out from then on.

        `table`: whether it is about a table, which a node may refuse.

        Raises:
            TimeoutError: a node did not answer before the deadline.
            _TableRefusedError: a node does not let this table be read.
        """

        def of(node: Server) -> _T | Exception:
            left = max(self.deadline - time.monotonic(), _LEAST)
            try:
                with node.sql.open_data(left) as connection, connection.cursor() as cursor:
                    cursor.execute(self.dialect.settings)
                    return ask(cursor, node)
            except Exception as error:  # drivers raise many types
                return error

        with ThreadPoolExecutor(max_workers=max(1, len(self.nodes))) as pool:
            answers = dict(zip(self.nodes, pool.map(of, self.nodes), strict=True))
        errors = {node: answer for node, answer in answers.items() if isinstance(answer, Exception)}
        if errors and time.monotonic() >= self.deadline:
            raise TimeoutError(brief(next(iter(errors.values()))))
        if table and errors and all(map(self.dialect.refuses, errors.values())):
            raise _TableRefusedError(
                "; ".join(f"{node.name}: {brief(error)}" for node, error in errors.items())
            )
        for node, error in errors.items():
            self.failed[node.name] = brief(error)
            self.nodes.remove(node)
        return {node.name: answer for node, answer in answers.items() if not isinstance(answer, Exception)}


def differing_chunks(chunks: Sequence[Chunks]) -> set[int]:
    """Return the chunks that differ between nodes."""
    every = set[int]().union(*chunks)
    return {chunk for chunk in every if len({item.get(chunk) for item in chunks}) > 1}


def differing_keys(
    key: Sequence[str], rows: Mapping[str, Mapping[tuple[str, ...], tuple[int, ...]]]
) -> list[str]:
    """Return the keys whose rows differ between nodes, in words: "id 7: not on node2".

    Args:
        key: the names of the key's columns.
        rows: for each node, the hashes of its rows by key; the reference first.
    """
    reference = next(iter(rows.values()))
    every = set[tuple[str, ...]]().union(*rows.values())
    messages = []
    for values in sorted(every, key=_numbers_first):
        result = {node: row.get(values) for node, row in rows.items()}
        if len(set(result.values())) < 2:
            continue
        absent = [node for node, hashes in result.items() if hashes is None]
        other = [
            node
            for node, hashes in result.items()
            if hashes is not None and hashes != reference.get(values) and values in reference
        ]
        name = ", ".join(f"{k} {v}" for k, v in zip(key, values, strict=True))
        what = [f"not on {', '.join(absent)}"] if absent else []
        what += [f"other on {', '.join(other)}"] if other else []
        messages.append(f"{name}: {' and '.join(what)}" if what else f"{name}: differs")
    return messages


def _numbers_first(values: tuple[str, ...]) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key with numbers in numeric order, before everything else."""
    return tuple((0, int(value), "") if value.lstrip("-").isdecimal() else (1, 0, value) for value in values)


def _chunks(cursor: Any, dialect: Dialect, shape: Shape) -> Chunks:
    cursor.execute(dialect.chunk_sql(shape))
    return {int(chunk): (int(rows), int(total or 0)) for chunk, rows, total in cursor.fetchall()}


def _rows(
    cursor: Any, dialect: Dialect, shape: Shape, chunks: set[int]
) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Return the hashes of the rows by key; a key has several only in a table without a primary key."""
    cursor.execute(dialect.row_sql(shape, chunks))
    result: dict[tuple[str, ...], list[int]] = {}
    for hashed, *key in cursor.fetchall():
        result.setdefault(tuple(_plain(value) for value in key), []).append(int(hashed))
    return {key: tuple(sorted(hashes)) for key, hashes in result.items()}


def _plain(value: object) -> str:
    if value is None:
        return "NULL"
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return text[1:-1] if text.startswith("'") and text[1:-1].isdecimal() else text


def _whole(chunks: Chunks) -> str:
    """Return the checksum of all rows, in hexadecimal."""
    return f"{sum(total for _, total in chunks.values()) % 2**64:016x}"


def _described(shape: Shape | None) -> str:
    if shape is None:
        return "no such table"
    return "columns " + ", ".join(f"{name} {kind}" for name, kind in shape.columns)
