"""Spellings of server settings: one setting has several names, and two of them may collide.

MariaDB and MySQL accept `-` for `_`, `loose_` before an option that may be unknown, and `skip_`, `disable_`
and `enable_` before a switch (MySQL 9 reference manual, "Program Option Modifiers"). PostgreSQL ignores case
(manual, 19.1.1). MariaDB ignores case, too, and accepts unique prefixes of a name (seen in 10.11: `serv=3`
sets server_id); MySQL 9.7 does neither.
"""

import re
from collections.abc import Mapping
from typing import Any

from fivenines.servers import option_file
from fivenines.software.base import Family

_LOOSE = "loose_"
_SWITCHES = ("skip_", "disable_", "enable_")

_RENAMED = {
    # Old names that PostgreSQL still accepts (guc.c, map_old_guc_names).
    "sort_mem": "work_mem",
    "vacuum_mem": "maintenance_work_mem",
    "ssl_ecdh_curve": "ssl_groups",
    "force_parallel_mode": "debug_parallel_query",
}


def plain(name: str, family: Family | None) -> str:
    """Return an option's name as in the server's manual, with its `skip_`, `disable_` or `enable_`."""
    if family == "postgresql":
        lower = name.strip().lower()
        return _RENAMED.get(lower, lower)
    return name.strip().lower().replace("-", "_").removeprefix(_LOOSE)


def canonical(name: str, family: Family | None) -> str:
    """Return the setting that an option of this name sets: the same for all its spellings."""
    option = plain(name, family)
    if family == "postgresql":
        return option
    return next((option.removeprefix(prefix) for prefix in _SWITCHES if option.startswith(prefix)), option)


# Names of one setting in MariaDB 10.11 and later, which are no spellings of each other.
_SAME = {
    "log_slow_query": "slow_query_log",
    "log_slow_query_file": "slow_query_log_file",
    "log_slow_query_time": "long_query_time",
    "log_slow_min_examined_row_limit": "min_examined_row_limit",
    "tx_isolation": "transaction_isolation",
    "tx_read_only": "transaction_read_only",
    "binlog_expire_logs_seconds": "expire_logs_days",
}


def one_setting(name: str, family: Family | None) -> str:
    """Return one name for all names of a setting, also those of before and after it was renamed."""
    same = canonical(name, family)
    if family == "mariadb":
        same = _SAME.get(same, same)
    if family in ("mysql", "ndb"):
        # MySQL 8.0.26 renamed these, and takes both names.
        same = re.sub(r"(?<![a-z])slave(?![a-z])", "replica", same)
        same = re.sub(r"(?<![a-z])master(?![a-z])", "source", same)
    return same


def is_loose(name: str) -> bool:
    """Return whether MariaDB and MySQL ignore the option if they do not know it."""
    return name.strip().lower().replace("-", "_").startswith(_LOOSE)


def layered(family: Family | None, *layers: Mapping[str, Any]) -> dict[str, Any]:
    """Merge layers of settings, in which later ones override earlier ones in any spelling.

    PostgreSQL's names become lower case, as Patroni compares names literally.
    """
    merged: dict[str, tuple[str, Any]] = {}
    for layer in layers:
        for name, value in layer.items():
            same = canonical(name, family)
            merged.pop(same, None)
            merged[same] = (plain(name, family) if family == "postgresql" else name, value)
    return dict(merged.values())


def is_on(value: object) -> bool:
    """Return whether a value switches an option on, as MariaDB and MySQL read it."""
    return str(value).strip().lower() in ("1", "on", "true", "yes")


# Variables with ON and OFF among other words, of which 1 is another (MySQL 9 reference manual, "gtid_mode").
_WORDED = ("gtid_mode",)


def as_option(name: str, value: object) -> str:
    """Return a value as it stands in the configuration of MariaDB, MySQL and NDB."""
    if isinstance(value, float) and value.is_integer():
        # YAML's 1e3: MariaDB and MySQL read 1000.0 as 1000 with an unknown suffix, and 1e3 as 1 with the
        # suffix e, which is 2^60.
        return str(int(value))
    if not isinstance(value, bool):
        return str(value)
    if canonical(name, "mysql") in _WORDED:
        return "ON" if value else "OFF"
    return str(int(value))


# Settings that PostgreSQL takes from initdb, and not from its configuration.
AT_INITDB = ("wal_segment_size", "data_checksums")

# Settings that PostgreSQL writes into its control file, and compares at a standby's start.
IN_CONTROL_FILE = (
    "max_connections",
    "max_worker_processes",
    "max_wal_senders",
    "max_prepared_transactions",
    "max_locks_per_transaction",
    "track_commit_timestamp",
    "wal_level",
    "wal_log_hints",
)

_AT_FIRST_START = ("lower_case_table_names", "innodb_page_size", "innodb_data_file_path")
_OF_TABLES = (
    "character_set_server",
    "collation_server",
    "default_storage_engine",
    "innodb_file_per_table",
    "innodb_default_row_format",
    "explicit_defaults_for_timestamp",
)

# Settings that count when a data directory or its tables are created: later they change nothing, or the
# server does not start with them (manuals on each).
MADE_WITH: dict[Family, tuple[str, ...]] = {
    "mysql": (*_AT_FIRST_START, *_OF_TABLES, "sql_generate_invisible_primary_key"),
    "ndb": (*_AT_FIRST_START, *_OF_TABLES, "sql_generate_invisible_primary_key"),
    "mariadb": (
        *_AT_FIRST_START,
        *_OF_TABLES,
        "innodb_undo_tablespaces",
        "innodb_checksum_algorithm",
        "innodb_compression_default",
    ),
    "postgresql": (*AT_INITDB, "default_table_access_method", "default_toast_compression"),
}


def at_first_start(given: Mapping[str, Any]) -> list[str]:
    """Return the arguments with which MariaDB or MySQL creates a data directory."""
    return [
        f"--{canonical(name, 'mysql').replace('_', '-')}={option_file.meant(as_option(name, value))}"
        for name, value in given.items()
        if canonical(name, "mysql") not in _OF_TABLES
    ]


# Options that load plugins; the first would replace what was loaded before it.
PLUGINS = ("plugin_load", "plugin_load_add")


def with_plugins(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given settings, changed so that loaded plugins stay loaded."""
    ours = next((str(value) for name, value in own.items() if plain(name, None) in PLUGINS), "")
    theirs = [str(value) for name, value in given.items() if plain(name, None) in PLUGINS]
    if not ours or not theirs:
        return dict(given)
    others = {name: value for name, value in given.items() if plain(name, None) not in PLUGINS}
    plugins = dict.fromkeys(plugin for text in (ours, *theirs) for plugin in text.strip("'\"").split(";"))
    return {**others, PLUGINS[1]: ";".join(plugin for plugin in plugins if plugin)}
