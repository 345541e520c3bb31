"""Whether the options of a MariaDB or MySQL server are in effect: its variables, read back and compared.

The rule for values that the server changes. A size may be rounded: down to a multiple of its block (MySQL 9
reference manual, "Server System Variables": "rounded down to the nearest multiple of the block size"), and
innodb_buffer_pool_size up to a multiple of the chunk size times the instances ("Configuring InnoDB Buffer
Pool Size"). 0 or -1 may stand for a value that the server chooses. open_files_limit may be raised to what the
other settings need. All else is a difference, also where the server warns of it in its log, as it does of
values out of range and of a max_connections that has too few files.
"""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

from fivenines.servers import option_file
from fivenines.servers.in_effect import Asked, Finding, Kind
from fivenines.servers.mysql_family import skipped_errors
from fivenines.servers.mysql_family.provider_options import parsed, same_option
from fivenines.servers.spelled import PLUGINS, as_option, canonical, is_loose, plain

_UNITS: dict[str, int] = {one: int(2 ** (10 * power)) for power, one in enumerate("KMGTPE", start=1)}
# Both servers read the first letter of a suffix only (mysys/my_getopt.c, eval_num_suffix): 256MB is 256M.
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)(?:([KMGTPE])(?:i?B)?)?", re.IGNORECASE)
_ON = ("1", "on", "true", "yes", "")
_OFF = ("0", "off", "false", "no")

_BLOCKS = (128, 512, 1024, 2048, 4096, 8192, 16384, 65536, 2**20)
_SIZES = ("_size", "_packet", "_stack", "_capacity", "_ram", "_length", "_limit")
_POOL = "innodb_buffer_pool_size"
_FILES = "open_files_limit"
_CHOSEN = (
    _FILES,
    "innodb_open_files",
    "innodb_buffer_pool_instances",
    "back_log",
    "host_cache_size",
    "thread_cache_size",
    "innodb_buffer_pool_chunk_size",
    "innodb_buffer_pool_size_max",
    "innodb_thread_concurrency",
    "thread_pool_size",
    "innodb_purge_threads",
)
"""Where 0 or -1 lets the server choose."""

_ALIASES = {
    "transaction_isolation": ("transaction_isolation", "tx_isolation"),
    "transaction_read_only": ("transaction_read_only", "tx_read_only"),
    "tmpdir": ("tmpdir",),
    "timezone": ("time_zone",),
    "default_time_zone": ("time_zone",),
    "language": ("lc_messages_dir",),
    "character_set_client_handshake": (),
}
"""Options whose variables have other names."""

_ENUMERATED = {
    "transaction_isolation": ("READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"),
    "binlog_format": ("MIXED", "STATEMENT", "ROW"),
    "completion_type": ("NO_CHAIN", "CHAIN", "RELEASE"),
    "gtid_mode": ("OFF", "OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"),
    "query_cache_type": ("OFF", "ON", "DEMAND"),
    "event_scheduler": ("OFF", "ON", "DISABLED"),
    "concurrent_insert": ("NEVER", "AUTO", "ALWAYS"),
    "delay_key_write": ("OFF", "ON", "ALL"),
    "slave_exec_mode": ("STRICT", "IDEMPOTENT"),
}
"""What a number stands for (MySQL 9 reference manual, "Server System Variables")."""

_SETS = (
    "sql_mode",
    "optimizer_switch",
    "log_output",
    "tls_version",
    "old_mode",
    "log_slow_filter",
    "log_slow_verbosity",
    "slave_type_conversions",
    "replica_type_conversions",
)
_SKIPPED_ERRORS = ("slave_skip_errors", "replica_skip_errors")
_EXPANDED = ("ANSI", "TRADITIONAL", "ORACLE", "MSSQL", "DB2", "POSTGRESQL", "MAXDB")
"""Modes that the server shows together with what they stand for."""

_IN_THE_LOG = {_FILES: ("max_open_files",)}
"""What the log calls a variable otherwise."""

_NO_VARIABLE = ("performance_schema_instrument",)


@dataclass
class Observed:
    """What a server says of itself.

    Attributes:
        variables: by name in lower case.
        sources: where each value comes from, in words; of those of which the server says it.
        libraries: those of the plugins that are active.
        plugins: whether each plugin is active, by its name.
        warnings: the lines of its log that warn.
    """

    variables: Mapping[str, str]
    sources: Mapping[str, str] = field(default_factory=dict)
    libraries: frozenset[str] = frozenset()
    plugins: Mapping[str, bool] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def findings(place: str, asked: Asked, observed: Observed) -> list[Finding]:
    """The options that are not in effect as they were asked for, or not observed."""
    found: list[Finding] = []
    for name, value in asked.items():
        found += _of_option(place, name, _unquoted(name, value), observed)
    return found


def _of_option(place: str, name: str, asked: str, observed: Observed) -> list[Finding]:
    option = plain(name, "mysql")
    if option in PLUGINS:
        return _of_plugins(place, name, asked, observed)
    if canonical(name, "mysql") == "wsrep_provider_options":
        return _of_provider(place, name, asked, observed)
    variable, wanted = _variable(option, asked, observed.variables)
    if not variable:
        if canonical(name, "mysql") in observed.plugins:
            return _of_plugin(place, name, asked, observed)
        return [_unknown(place, name, asked, option, observed)]
    now = observed.variables[variable]
    kind = _compared(variable, wanted, now, observed.variables)
    if kind is None:
        return []
    return [Finding(place, name, asked, now, kind, _why(variable, option, kind, observed))]


def _variable(option: str, asked: str, known: Mapping[str, str]) -> tuple[str, str]:
    """The variable that an option sets, and the value that it should have; none where it sets none."""
    for one in _ALIASES.get(option, (option,)):
        if one in known:
            return one, asked
    base = canonical(option, "mysql")
    if base != option and base in known:
        off = option.startswith(("skip_", "disable_"))
        return base, _negated(asked) if off else (asked or "1")
    begun = [one for one in known if one.startswith(option)] if len(option) > 3 else []
    return (begun[0], asked) if len(begun) == 1 else ("", asked)


def _negated(asked: str) -> str:
    return "1" if asked.lower() in _OFF else "0"


def _unquoted(name: str, value: object) -> str:
    return option_file.meant(as_option(name, value))


def _compared(variable: str, asked: str, now: str, known: Mapping[str, str]) -> Kind | None:
    """None: it is in effect."""
    if asked.lower() == now.lower():
        return None
    words = _ENUMERATED.get(variable, ())
    if asked.isdigit() and int(asked) < len(words):
        asked = words[int(asked)]
    if variable == "log_bin":
        # its option has the name of the files
        return "differs" if (now.lower() in _ON) is (asked.lower() in _OFF) else None
    if now.lower() in (*_ON[:-1], *_OFF) and asked.lower() in (*_ON, *_OFF):
        return None if (asked.lower() in _ON) is (now.lower() in _ON) else "differs"
    if variable in (*_SETS, *_SKIPPED_ERRORS):
        return (_compared_sets if variable in _SETS else skipped_errors.compared)(asked, now)
    one, other = number(asked), number(now)
    if one is not None and other is not None:
        return _compared_numbers(variable, one, other, known)
    # the number of a word, which only the server knows
    return "unobserved" if one is not None and now else _compared_texts(asked, now)


def _compared_texts(asked: str, now: str) -> Kind | None:
    return None if _texts(asked) & _texts(now) else "differs"


def number(text: str) -> Decimal | None:
    """A number with a suffix as these servers take it, 256M; None: it is none."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    with contextlib.suppress(InvalidOperation):
        return Decimal(match[1]) * _UNITS.get((match[2] or "").upper(), 1)
    return None


def _compared_numbers(variable: str, asked: Decimal, now: Decimal, known: Mapping[str, str]) -> Kind | None:
    if asked == now:
        return None
    if variable in _CHOSEN and asked <= 0 < now:
        return "adjusted"
    if variable == _FILES and now > asked:
        return "adjusted"
    if variable == _POOL:
        chunk = number(known.get("innodb_buffer_pool_chunk_size", "0")) or Decimal(0)
        instances = number(known.get("innodb_buffer_pool_instances", "1")) or Decimal(1)
        return "adjusted" if 0 < now - asked < max(chunk * instances, Decimal(2**20)) else "differs"
    rounded = any(now > 0 and now == asked // block * block for block in _BLOCKS)
    return "adjusted" if rounded and variable.endswith(_SIZES) else "differs"


def _compared_sets(asked: str, now: str) -> Kind | None:
    wanted = {one.strip().upper() for one in asked.split(",") if one.strip()}
    has = {one.strip().upper() for one in now.split(",") if one.strip()}
    if wanted and all("=" in one for one in wanted):
        return None if wanted - {"DEFAULT"} <= has else "differs"
    if wanted & set(_EXPANDED):
        return None if wanted <= has else "differs"
    return None if wanted == has else "differs"


def _texts(value: str) -> set[str]:
    """A value as the server may write it: without slashes at the end, utf8 as either of two."""
    plain_text = value.lower().rstrip("/")
    return {re.sub(r"^utf8(?=$|_)", one, plain_text) for one in ("utf8mb3", "utf8mb4")}


def _of_plugins(place: str, name: str, asked: str, observed: Observed) -> list[Finding]:
    wanted = [one.rpartition("=")[2].strip() for one in re.split(r"[;:]", asked) if one.strip()]
    libraries = {one.removesuffix(".so") for one in observed.libraries}
    missing = [one for one in wanted if one.removesuffix(".so") not in libraries]
    if not missing:
        return []
    why = _warned(missing[0], observed)
    return [Finding(place, name, asked, f"no {', '.join(missing)}", "differs", why)]


def _of_plugin(place: str, name: str, asked: str, observed: Observed) -> list[Finding]:
    """A plugin that its own name switches, as mysqlx."""
    plugin = canonical(name, "mysql")
    off = plain(name, "mysql").startswith(("skip_", "disable_"))
    wanted = (asked.lower() in _OFF) is off
    if wanted is observed.plugins[plugin]:
        return []
    now = "ACTIVE" if observed.plugins[plugin] else "DISABLED"
    return [Finding(place, name, asked, now, "differs", "the state of the plugin")]


def _of_provider(place: str, name: str, asked: str, observed: Observed) -> list[Finding]:
    now = parsed(observed.variables.get("wsrep_provider_options", ""))
    found = []
    for key, value in parsed(asked).items():
        what = f"{name}: {key}"
        if key not in now:
            found.append(Finding(place, what, value, "", "unobserved", "the provider does not show it"))
        elif not same_option(value, now[key]):
            found.append(Finding(place, what, value, now[key], "differs", "the provider has another value"))
    return found


def _unknown(place: str, name: str, asked: str, option: str, observed: Observed) -> Finding:
    if is_loose(name):
        why = "the server does not know it, and the name begins with loose"
        return Finding(place, name, asked, "", "unobserved", why)
    said = _warned(option, observed)
    if said and option not in _NO_VARIABLE:
        return Finding(place, name, asked, "nothing of this name", "differs", said)
    return Finding(place, name, asked, "", "unobserved", "no variable shows it")


def _why(variable: str, option: str, kind: Kind, observed: Observed) -> str:
    names = (variable, option, *_IN_THE_LOG.get(variable, ()))
    said = next(filter(None, (_warned(one, observed) for one in names)), "")
    source = observed.sources.get(variable, "")
    if kind == "adjusted":
        return said or "by a rule of its manual"
    if kind == "unobserved":
        return "the server shows a word for the number"
    return said or source


def _warned(name: str, observed: Observed) -> str:
    """What the log says of an option; empty if nothing."""
    pattern = re.compile(rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])")
    for line in reversed(observed.warnings):
        if pattern.search(line.lower().replace("-", "_")):
            return f"its log says: {line[:200]}"
    return ""
