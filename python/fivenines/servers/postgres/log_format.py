"""The format of PostgreSQL's log according to its settings: position of the time, and omissions.

Source: manual, "Error Reporting and Logging" (`log_line_prefix`, `log_min_messages`, `log_destination`).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

# Settings that determine the format of the log.
SETTINGS = (
    "log_line_prefix",
    "log_timezone",
    "log_destination",
    "logging_collector",
    "log_min_messages",
    "lc_messages",
    "log_lock_waits",
    "log_checkpoints",
    "deadlock_timeout",
)

# The values that fivenines configures.
CONFIGURED = {
    "log_line_prefix": "%m [%p] ",
    "log_timezone": "GMT",
    "log_destination": "stderr",
    "logging_collector": "off",
    "log_min_messages": "warning",
    "lc_messages": "C",
    "log_lock_waits": "on",
    "log_checkpoints": "on",
    "deadlock_timeout": "1000",
}

_ESCAPE = re.compile(r"%(-?\d+)?([a-zA-Z%])")
_DAY = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
_TIMES = {"m": rf"(?P<m>{_DAY}\.\d+) [^ ]+", "t": rf"(?P<t>{_DAY}) [^ ]+", "n": r"(?P<n>\d+\.\d+)"}
_NUMBERS = {"p": r"\d+", "l": r"\d+", "x": r"\d+", "P": r"\d*", "Q": r"-?\d+", "%": "%"}
# Values of log_min_messages at which an ERROR is not written, and those at which LOG is not written either
# (manual, "log_min_messages": LOG has a rank of its own there).
_QUIET = ("fatal", "panic", "log")
_SILENT = ("fatal", "panic")

# Waits for locks are logged after this time; longer ones are rare.
_USUAL_WAIT_MS = 1000.0


@dataclass(frozen=True)
class LogFormat:
    """The format of log lines.

    Attributes:
        line: pattern of a line with the groups `level` and `text`, and those that `moment` reads; None: no
            line
            can be read.
        moment: returns milliseconds since 1970 of a matching line.
        unseen: what the log omits, and why; empty: nothing is missing.
    """

    line: re.Pattern[str] | None
    moment: Callable[[re.Match[str]], float]
    unseen: str = ""


def log_format(settings: Mapping[str, str]) -> LogFormat:
    """Return the format of a server's log with these settings from pg_settings."""
    values = {**CONFIGURED, **settings}
    prefix, zone = values["log_line_prefix"], _zone(values["log_timezone"])
    if why := _unreadable(values, zone):
        return LogFormat(None, lambda _match: 0.0, f"deadlocks, lock waits and checkpoints: {why}")
    pattern = re.compile(f"{_pattern(prefix)}(?P<level>ERROR|LOG):  (?:[0-9A-Z]{{5}}: )?(?P<text>.*)")
    return LogFormat(pattern, lambda match: _unix_ms(match, zone or UTC), _partly(values))


def _unreadable(values: Mapping[str, str], zone: tzinfo | None) -> str:
    """Return why no line can be read."""
    if values["logging_collector"] == "on":
        return "logging_collector = on writes the log elsewhere"
    if "stderr" not in values["log_destination"]:
        return f"log_destination = {values['log_destination']} is not read"
    times = [match[2] for match in _ESCAPE.finditer(values["log_line_prefix"])]
    if not any(time in _TIMES for time in times):
        return "log_line_prefix has no time (%m, %t or %n)"
    if zone is None:
        return f"log_timezone = {values['log_timezone']} is not a known time zone"
    if not values["lc_messages"].startswith(("C", "POSIX", "en")) and values["lc_messages"]:
        return f"lc_messages = {values['lc_messages']} translates the log"
    return ""


def _partly(values: Mapping[str, str]) -> str:
    """Return what is missing in a log that can be read."""
    omissions = []
    if values["log_min_messages"] in _SILENT:
        return f"deadlocks, lock waits and checkpoints: log_min_messages = {values['log_min_messages']}"
    if values["log_min_messages"] in _QUIET:
        omissions.append(f"deadlocks: log_min_messages = {values['log_min_messages']}")
    if values["log_lock_waits"] == "off":
        omissions.append("lock waits: log_lock_waits = off")
    elif float(values["deadlock_timeout"]) > _USUAL_WAIT_MS:
        omissions.append(f"lock waits of less than deadlock_timeout = {values['deadlock_timeout']} ms")
    if values["log_checkpoints"] == "off":
        omissions.append("checkpoints: log_checkpoints = off")
    return "; ".join(omissions)


def _pattern(prefix: str) -> str:
    """Return the regular expression of a prefix; the server's own processes leave out what follows %q."""
    parts: list[str] = []
    position = optional = 0
    for match in _ESCAPE.finditer(prefix):
        parts.append(re.escape(prefix[position : match.start()]))
        position = match.end()
        padding, letter = match.groups()
        if letter == "q":
            parts.append("(?:")
            optional += 1
            continue
        # Each time only once, as group names must be unique.
        known = _TIMES.get(letter) if not any(f"(?P<{letter}>" in part for part in parts) else None
        body = known or _NUMBERS.get(letter, ".*?")
        parts.append(f" *{body} *" if padding else body)
    parts.append(re.escape(prefix[position:]))
    return "".join(parts) + ")?" * optional


def _unix_ms(match: re.Match[str], zone: tzinfo) -> float:
    groups = match.groupdict()
    if groups.get("n"):
        return 1000 * float(groups["n"])
    text = groups.get("m") or f"{groups['t']}.0"
    when = datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=zone)
    return when.timestamp() * 1000


def _zone(name: str) -> tzinfo | None:
    if name.upper() in ("GMT", "UTC", "ETC/UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None
