"""Whether the parameters of a PostgreSQL server are in effect: pg_settings, read back and compared.

The rule for values that the server changes: a number is rounded to a multiple of the parameter's unit, as
1500us to 2ms where the unit is ms. All else is a difference, and so is what is rounded to 0. Sources: manual,
19.1.1 (units, rounding, words of booleans), 53.25 (pg_settings), 53.9 (pg_db_role_setting).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal

from fivenines.servers.in_effect import Asked, Finding, Kind

QUESTION = (
    "SELECT lower(name), reset_val, coalesce(unit, ''), vartype, source, pending_restart, "
    "coalesce(sourcefile, '') FROM pg_settings"
)
OF_ROLES = (
    "SELECT coalesce(rolname, ''), coalesce(datname, ''), unnest(setconfig) FROM pg_db_role_setting "
    "LEFT JOIN pg_roles r ON r.oid = setrole LEFT JOIN pg_database d ON d.oid = setdatabase"
)
IN_FILES = "SELECT lower(name), setting FROM pg_file_settings WHERE applied ORDER BY seqno"

_BYTES = {"B": 1, "kB": 2**10, "8kB": 2**13, "MB": 2**20, "16MB": 2**24, "GB": 2**30, "TB": 2**40}
_MICROSECONDS = {"us": 1, "ms": 10**3, "s": 10**6, "min": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|0x[0-9a-fA-F]+)\s*([a-zA-Z]*)")
_WORDS = {
    "on": "on",
    "true": "on",
    "yes": "on",
    "1": "on",
    "off": "off",
    "false": "off",
    "no": "off",
    "0": "off",
}
_OLD_WORDS = {
    ("wal_level", "archive"): "replica",
    ("wal_level", "hot_standby"): "replica",
    ("wal_compression", "on"): "pglz",
    ("log_min_messages", "debug"): "debug2",
    ("client_min_messages", "debug"): "debug2",
}
"""Values that the server takes and shows as another word (guc_tables.c)."""

_ANY_CASE = ("datestyle", "client_encoding", "timezone", "log_timezone", "default_text_search_config")
"""Texts that the server shows in its own case."""

# PostgreSQL reads a whole number with a 0 in front as octal (manual, 19.1.1), also where a user can only have
# meant a decimal one. Octal is meant in the modes of files alone: 0640.
_OCTAL = re.compile(r"[+-]?0[0-7]+")
_MODES = ("log_file_mode", "unix_socket_permissions", "data_directory_mode")

_OUR_SESSION = ("client", "session")


@dataclass(frozen=True)
class Parameter:
    """A row of pg_settings."""

    value: str
    unit: str = ""
    kind: str = "string"
    source: str = "configuration file"
    pending: bool = False
    file: str = ""


@dataclass
class Observed:
    """What a server says of itself.

    Attributes:
        parameters: by name in lower case.
        of_roles: role, database and `name=value` of each setting that sessions of them begin with.
        in_files: what its configuration files say, of which the session that asks has values of its own.
    """

    parameters: Mapping[str, Parameter]
    of_roles: Sequence[tuple[str, str, str]] = ()
    in_files: Mapping[str, str] = field(default_factory=dict)


def findings(place: str, asked: Asked, observed: Observed) -> list[Finding]:
    """The parameters that are not in effect as they were asked for, or not observed."""
    found: list[Finding] = []
    for name, value in asked.items():
        wanted = ("on" if value else "off") if isinstance(value, bool) else str(value)
        found += _of_parameter(place, name, wanted, observed)
    return found


def _of_parameter(place: str, name: str, wanted: str, observed: Observed) -> list[Finding]:
    known = observed.parameters.get(name.lower())
    if known is None:
        return [_without_a_row(place, name, wanted, observed)]
    now = known.value
    if known.source in _OUR_SESSION:
        now = observed.in_files.get(name.lower(), now)
    found = []
    kind = compared(name.lower(), wanted, now, known)
    if kind is not None:
        why = _why(wanted, now, known, kind)
        found.append(Finding(place, name, wanted, _with_unit(now, known), kind, why))
    elif known.pending:
        why = "its file has changed since, and that takes a restart"
        found.append(Finding(place, name, wanted, _with_unit(now, known), "differs", why))
    for role, database, text in observed.of_roles:
        other, _, value = text.partition("=")
        if other.lower() == name.lower() and compared(other, wanted, value, known) is not None:
            who = " of ".join(one for one in (role, database) if one)
            why = f"ALTER ROLE or ALTER DATABASE gives it to sessions of {who}"
            found.append(Finding(place, name, wanted, value, "differs", why))
    return found


def _without_a_row(place: str, name: str, wanted: str, observed: Observed) -> Finding:
    """Judge a name that pg_settings does not have: one of a library, or of the application."""
    prefix = name.lower().partition(".")[0]
    if any(one.startswith(f"{prefix}.") for one in observed.parameters):
        why = f"the library of {prefix} has no parameter of this name"
        return Finding(place, name, wanted, "no effect", "differs", why)
    why = "no loaded library defines it: only SQL can read it, by current_setting()"
    return Finding(place, name, wanted, "", "unobserved", why)


def compared(name: str, wanted: str, now: str, known: Parameter) -> Kind | None:
    """None: it is in effect."""
    if wanted == now:
        return None
    if known.kind == "bool":
        return None if _bool(wanted) == _bool(now) else "differs"
    if known.kind == "integer" and _OCTAL.fullmatch(wanted.strip()):
        is_meant = name in _MODES or int(wanted, 8) == int(wanted)
        return None if is_meant and int(wanted, 8) == in_unit(now, known.unit) else "differs"
    if known.kind in ("integer", "real"):
        return _compared_numbers(wanted, now, known)
    if known.kind == "enum":
        word = _OLD_WORDS.get((name, _WORDS.get(wanted.lower(), wanted.lower())), wanted.lower())
        same = word == now.lower() or _WORDS.get(word, word) == _WORDS.get(now.lower(), now.lower())
        return None if same else "differs"
    if name in _ANY_CASE:
        wanted, now = wanted.lower(), now.lower()
    one, other = ([part.strip().strip('"') for part in text.split(",")] for text in (wanted, now))
    partly = name == "datestyle" and set(one) <= set(other)
    return None if one == other or partly else "differs"


def _bool(text: str) -> str:
    """on or off; the beginning of a word is enough (manual, 19.1.1)."""
    lower = text.strip().lower()
    if lower in _WORDS:
        return _WORDS[lower]
    return next((value for word, value in _WORDS.items() if lower and word.startswith(lower)), lower)


def _compared_numbers(wanted: str, now: str, known: Parameter) -> Kind | None:
    has = in_unit(now, known.unit)
    if has is not None and in_unit(wanted, known.unit) == has:
        return None
    # 0 is no small value but another meaning: 400ms of wal_receiver_status_interval sends no status at all.
    return "adjusted" if has and _is_rounded(wanted, now, known) else "differs"


def _is_rounded(wanted: str, now: str, known: Parameter) -> bool:
    exact = in_unit(wanted, known.unit)
    if known.kind != "integer" or exact is None:
        return False
    return exact.quantize(Decimal(1), ROUND_HALF_EVEN) == in_unit(now, known.unit)


def in_unit(text: str, unit: str) -> Decimal | None:
    """A number in the parameter's own unit, as `256MB` in units of 8kB; None: it is none."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    number = Decimal(int(match[1], 16)) if match[1].startswith("0x") else Decimal(match[1])
    if not match[2] or not unit:
        return number if not match[2] else None
    for units in (_BYTES, _MICROSECONDS):
        if match[2] in units and _scale(unit, units) is not None:
            return number * units[match[2]] / Decimal(_scale(unit, units) or 1)
    return None


def _scale(unit: str, units: Mapping[str, int]) -> int | None:
    """A unit of pg_settings, as 8kB or 1MB, in the smallest of its kind."""
    match = re.fullmatch(r"(\d*)([a-zA-Z]+)", unit)
    if match is None or match[2] not in units:
        return None
    return int(match[1] or 1) * units[match[2]]


def _with_unit(value: str, known: Parameter) -> str:
    if not known.unit or not value.lstrip("-").isdigit():
        return value
    count, unit = re.fullmatch(r"(\d*)(.*)", known.unit).groups()  # type: ignore[union-attr]
    return f"{int(value) * int(count or 1)}{unit}" if int(value) > 0 else value


def _why(wanted: str, now: str, known: Parameter, kind: Kind) -> str:
    if _is_rounded(wanted, now, known):
        rounded = f"rounded to its unit, {known.unit or 'whole numbers'}"
        return rounded if kind == "adjusted" else f"{rounded}, and 0 has a meaning of its own"
    if known.kind == "integer" and _OCTAL.fullmatch(wanted.strip()):
        return "PostgreSQL reads a number with a 0 in front as octal: write it without"
    if known.pending:
        return "its file has changed since, and that takes a restart"
    if known.file.endswith("postgresql.auto.conf"):
        return "ALTER SYSTEM sets it in postgresql.auto.conf"
    words = {
        "command line": "the command line of the server sets it",
        "default": "no configuration file of the server sets it",
        "override": "the server overrides it",
        "environment variable": "the environment of the server sets it",
    }
    return words.get(known.source, f"it comes from {known.file or known.source}")
