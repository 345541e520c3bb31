"""The summary of a load, `load.json`: written by the load generator at its end, kept in each trial's record.

The record keeps the document as it was written, so that evidence is never lost. Everything that reads a
load takes the typed `LoadSummary`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import PlainSerializer, PlainValidator, ValidationError

from fivenines.base.errors import FiveninesError
from fivenines.results.load_parts import (
    ClientBounds,
    Connects,
    ErrorEntry,
    GeneratorUse,
    Inserted,
    Part,
    RequestedWork,
    Schedule,
    Search,
    Step,
    Transactions,
    Turn,
    TypeCounts,
    Work,
)

# The file's name in the folder of a load.
LOAD_SUMMARY = "load.json"

# The program that makes the load, unless the summary names another one.
OURS = "fivenines"

# Numbers in the summary of every program that makes a load.
_REQUIRED = ("duration_s", "queries", "transactions.ok", "transactions.failed", "transactions.in_doubt")

_P = TypeVar("_P", bound=Part)


@dataclass(frozen=True)
class LoadSummary:
    """The result of a load over its whole duration.

    Absent or damaged parts of a stored summary have their defaults, so that records of any age can be read.

    Attributes:
        document: the JSON object as it was written; empty: no load has ended.
        program: the program that made the load.
        program_version: its version; empty for fivenines itself.
        connections: number of connections.
        connections_without_success: connections that met failures and never a success.
        started_monotonic_ns: t = 0 of the load in ns of CLOCK_MONOTONIC; 0: not recorded.
        started_unix_ns: the same moment in ns since 1970; None: not recorded.
        duration_s: seconds from the start to the end of the load.
        stopped_s: when it stopped starting transactions, in s from its start; else its end.
        transactions: ended transactions.
        expected: transactions that ended without effect, as the workload's specification demands of some.
        retries: attempts after the first.
        types: counts of each type of transaction; None: not counted by type.
        rows: inserted rows; None: the workload does not count them.
        queries: number of queries.
        connects_ok: number of successful connects; None: not counted.
        connects_failed: number of failed connects.
        connects: details of the connects; None: not measured.
        schedule: schedule of starts; None: not recorded.
        completed: whether all fixed work was done; None: the load has no fixed work.
        requested: the fixed work, and when it was done; None: the load has none.
        work: how fixed work ended; None: the load has none.
        bounds: time-outs of the clients.
        steps: steps of the schedule, or none.
        search: result of a search for a rate; None: no search.
        windows: windows of a load that takes turns with others.
        errors: failures by source, class and code, in the order of the document.
        script_errors: failures that a script counted by itself; None: none counted.
        statements: number of statements by their names.
        client: what the load generator used; None: not recorded.
    """

    document: Mapping[str, Any] = field(default_factory=dict, repr=False)
    program: str = OURS
    program_version: str = ""
    connections: int = 0
    connections_without_success: int = 0
    started_monotonic_ns: int = 0
    started_unix_ns: int | None = None
    duration_s: float = 0.0
    stopped_s: float = 0.0
    transactions: Transactions = field(default_factory=Transactions)
    expected: int = 0
    retries: int = 0
    types: tuple[TypeCounts, ...] | None = None
    rows: Inserted | None = None
    queries: int = 0
    connects_ok: int | None = None
    connects_failed: int = 0
    connects: Connects | None = None
    schedule: Schedule | None = None
    completed: bool | None = None
    requested: RequestedWork | None = None
    work: Work | None = None
    bounds: ClientBounds = field(default_factory=ClientBounds)
    steps: tuple[Step, ...] = ()
    search: Search | None = None
    windows: tuple[Turn, ...] = ()
    errors: tuple[ErrorEntry, ...] = ()
    script_errors: int | None = None
    statements: Mapping[str, int] = field(default_factory=dict)
    client: GeneratorUse | None = None

    @property
    def foreign(self) -> bool:
        """Return whether another program than fivenines made the load."""
        return self.program != OURS

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "LoadSummary":
        """Parse a stored summary; absent or damaged parts have their defaults."""
        duration = _number(document, "duration_s") or 0.0
        stopped = _number(document, "stopped_s")
        started = _integer(document, "started_unix_ns")
        completed = document.get("completed")
        counters = document.get("script_counters")
        return cls(
            document=document,
            program=str(document.get("program") or OURS),
            program_version=str(document.get("program_version") or ""),
            connections=_integer(document, "connections") or 0,
            connections_without_success=_integer(document, "connections_without_success") or 0,
            started_monotonic_ns=_integer(document, "started_monotonic_ns") or 0,
            started_unix_ns=started,
            duration_s=duration,
            stopped_s=duration if stopped is None else stopped,
            transactions=_part(Transactions, document.get("transactions")) or Transactions(),
            expected=_integer(document, "expected") or 0,
            retries=_integer(document, "retries") or 0,
            types=_parts(TypeCounts, types) if isinstance(types := document.get("types"), list) else None,
            rows=_part(Inserted, document.get("rows")),
            queries=_integer(document, "queries") or 0,
            connects_ok=_integer(document, "connects_ok"),
            connects_failed=_integer(document, "connects_failed") or 0,
            connects=_part(Connects, document.get("connects")),
            schedule=_part(Schedule, document.get("schedule")),
            completed=completed if isinstance(completed, bool) else None,
            requested=_part(RequestedWork, document.get("work") or None),
            # The keys of fixed work are those of the document itself.
            work=_part(Work, document),
            bounds=_bounds(document.get("bounds")),
            steps=_parts(Step, document.get("steps")),
            search=_part(Search, document.get("search") or None),
            windows=_parts(Turn, document.get("windows")),
            errors=_errors(document.get("errors")),
            script_errors=_integer(counters, "error") if isinstance(counters, dict) else None,
            statements=_counts(document.get("statements")),
            client=_part(GeneratorUse, document.get("client")),
        )

    @classmethod
    def read(cls, file: Path) -> "LoadSummary":
        """Read the summary that a load has just written.

        Raises:
            FiveninesError: the file is absent or no JSON object, lacks a number that each load has, or has a
                part that cannot be read; the message names the file and the key.
        """
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise FiveninesError(f"{file} has no result of a load: {error}") from error
        if not isinstance(document, dict):
            raise FiveninesError(f"{file} has no result of a load: it contains no JSON object")
        for key in _REQUIRED:
            if not _is_number(_at(document, key)):
                raise FiveninesError(f"{file} has no number {key!r}: {_OTHER_VERSION}")
        summary = cls.of(document)
        if unread := [key for key in _PARTS if _extent(document.get(key)) > _extent(getattr(summary, key))]:
            raise FiveninesError(f"{file} has a part {unread[0]!r} that cannot be read: {_OTHER_VERSION}")
        return summary


_OTHER_VERSION = "the load generator is of another version than fivenines; reinstall fivenines"

# The keys of parts. A stored summary may lack them; one that has just been written must not lose any.
_PARTS = ("types", "rows", "connects", "schedule", "steps", "search", "windows", "client")


def _extent(part: object) -> int:
    """Return the length of a list, and for another part whether there is one."""
    return len(part) if isinstance(part, list | tuple) else int(bool(part))


def _at(document: Mapping[str, Any], path: str) -> object:
    value: object = document
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(document: Mapping[str, Any], key: str) -> float | None:
    value = document.get(key)
    return float(value) if isinstance(value, int | float) else None


def _integer(document: Mapping[str, Any], key: str) -> int | None:
    value = document.get(key)
    return value if isinstance(value, int) else None


def _part(model: type[_P], value: object) -> _P | None:
    try:
        return model.model_validate(value)
    except ValidationError:
        return None


def _parts(model: type[_P], values: object) -> tuple[_P, ...]:
    result = [_part(model, value) for value in values] if isinstance(values, list) else []
    return tuple(item for item in result if item is not None)


def _bounds(value: object) -> ClientBounds:
    if not isinstance(value, dict):
        return ClientBounds()
    return ClientBounds(_number(value, "answer_timeout_s"), _number(value, "connect_timeout_s"))


def _counts(value: object) -> dict[str, int]:
    items = value.items() if isinstance(value, dict) else ()
    return {str(name): count for name, count in items if isinstance(count, int)}


def _errors(values: object) -> tuple[ErrorEntry, ...]:
    result = []
    for entry in values if isinstance(values, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("count"), int):
            kind, code, message = (str(entry.get(name, "")) for name in ("class", "code", "message"))
            first, last = (_number(entry, name) for name in ("first_ms", "last_ms"))
            source = str(entry.get("source", "load"))
            result.append(ErrorEntry(source, kind, code, message, entry["count"], first, last))
    return tuple(result)


def _stored(value: object) -> LoadSummary:
    if isinstance(value, LoadSummary):
        return value
    if not isinstance(value, dict):
        raise ValueError("the summary of a load is a JSON object")
    return LoadSummary.of(value)


def _document(summary: LoadSummary) -> dict[str, Any]:
    return dict(summary.document)


# A summary within a record, which is stored as the document that was written.
StoredSummary = Annotated[
    LoadSummary, PlainValidator(_stored), PlainSerializer(_document, return_type=dict[str, Any])
]
