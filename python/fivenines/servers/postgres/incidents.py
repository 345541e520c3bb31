"""Deadlocks, lock waits and checkpoints in PostgreSQL's log.

Lines of PostgreSQL 15 to 18 (manual, "Error Reporting and Logging": log_lock_waits, log_checkpoints).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from fivenines.base.errors import brief
from fivenines.servers.incidents import Incident, LogReader
from fivenines.servers.postgres.log_format import SETTINGS, LogFormat, log_format
from fivenines.servers.sql import Sql

_WAITED = re.compile(r"process \d+ (?:still waiting for|acquired) (\w+) on (.+) after ([\d.]+) ms$")
_CHECKPOINT = re.compile(r"checkpoint complete: .*sync=([\d.]+) s, total=([\d.]+) s")


def log_reader(settings: Mapping[str, str]) -> LogReader:
    """Return the log reader for a server with these settings from pg_settings."""
    form = log_format(settings)
    return LogReader(partial(incidents, form=form), form.unseen)


def log_reader_of(sql: Sql) -> LogReader:
    """Return the log reader for a server as configured now; without its settings, one that reads nothing."""
    names = ", ".join(f"'{name}'" for name in SETTINGS)
    statement = f"SELECT name, setting FROM pg_settings WHERE name IN ({names})"
    try:
        return log_reader(dict(sql.query(statement)))
    except Exception as error:  # drivers raise what they like
        why = f"its settings could not be read: {brief(error)}"
        return replace(log_reader({}), unseen=why)


def incidents(lines: Iterable[str], form: LogFormat) -> Iterator[Incident]:
    """Yield the incidents in lines of PostgreSQL's log, and skip all other lines."""
    if form.line is None:
        return
    for line in lines:
        match = form.line.match(line.rstrip("\n"))
        if match is None:
            continue
        try:
            unix_ms = form.moment(match)
        except ValueError:  # no such day
            continue
        text = match["text"]
        if match["level"] == "ERROR" and text.startswith("deadlock detected"):
            yield Incident(unix_ms, "deadlock", 0.0, "")
        elif waited := _WAITED.match(text):
            yield Incident(unix_ms, "lock wait", float(waited[3]), f"{waited[1]} on {waited[2]}")
        elif checkpoint := _CHECKPOINT.match(text):
            detail = f"sync {checkpoint[1]} s"
            yield Incident(unix_ms, "checkpoint", 1000 * float(checkpoint[2]), detail)
