"""Settings of servers that users cannot set, with the reason, by kind of server.

They differ between nodes, or fivenines needs them to find a server, its files and its log. Settings that a
solution reserves in addition are defined with its settings (`SolutionSettings.reserved`).
"""

import re
from collections.abc import Mapping

from fivenines.servers import option_file
from fivenines.servers.spelled import canonical, is_on, one_setting
from fivenines.software.base import Family

_ADDRESS = "each node has its own address in the lab, which clients, proxies and checks use"
_FILES = "each node keeps its files in its own folder, where fivenines looks for them"
_NUMBER = "it must differ between the nodes, so fivenines sets it for each node"
_ACCOUNT = "fivenines starts each server under an account of the lab"
_ROLE = "it depends on the node's role, and changes with it"
_LOADED = "it is fixed when a data directory is created, and all data sets have UTF8 and locale C"
_COMPILED = "it is compiled into the server"
_DIRECTIVE = "it reads another file: write the settings themselves"

_MYSQL_FAMILY: dict[str, str] = {
    **dict.fromkeys(
        (
            "bind_address",
            "port",
            "extra_port",
            "networking",
            "admin_address",
            "admin_port",
            "mysqlx_bind_address",
            "mysqlx_port",
            "report_host",
            "report_port",
        ),
        _ADDRESS,
    ),
    **dict.fromkeys(
        (
            "datadir",
            "basedir",
            "socket",
            "mysqlx_socket",
            "pid_file",
            "log_error",
            "relay_log",
            "relay_log_basename",
            "relay_log_index",
            "relay_log_info_file",
            "log_bin_index",
            "log_basename",
            "general_log_file",
            "slow_query_log_file",
            "innodb_data_home_dir",
            "innodb_log_group_home_dir",
            "innodb_undo_directory",
            "master_info_file",
            "chroot",
            "init_file",
        ),
        _FILES,
    ),
    "server_id": _NUMBER,
    "server_uuid": _NUMBER,
    "user": _ACCOUNT,
    "grant_tables": "with it the server checks no account, and MySQL accepts no client from the network",
    "read_only": _ROLE,
    "super_read_only": _ROLE,
    "offline_mode": "clients of the load could not log in",
    **dict.fromkeys(("transaction_read_only", "innodb_read_only"), "the load could not write"),
    **dict.fromkeys(
        (
            "binlog_do_db",
            "binlog_ignore_db",
            *(
                f"replicate_{what}"
                for what in (
                    "do_db",
                    "do_table",
                    "ignore_db",
                    "ignore_table",
                    "rewrite_db",
                    "wild_do_table",
                    "wild_ignore_table",
                )
            ),
        ),
        "replicas would not have all tables: their missing rows would count as lost",
    ),
    "set_variable": "it was removed in MySQL 5.5: write the setting under its own name",
    "defaults_file": _DIRECTIVE,
    "defaults_extra_file": _DIRECTIVE,
    "help": "the server would print its options and end",
    "validate_config": "the server would check its options and end",
    "initialize": "fivenines creates the data directories",
    "initialize_insecure": "fivenines creates the data directories",
}

_POSTGRES: dict[str, str] = {
    **dict.fromkeys(("listen_addresses", "port"), _ADDRESS),
    **dict.fromkeys(
        (
            "unix_socket_directories",
            "unix_socket_group",
            "unix_socket_permissions",
            "hba_file",
            "ident_file",
            "data_directory",
            "config_file",
            "external_pid_file",
        ),
        _FILES,
    ),
    **dict.fromkeys(
        ("primary_conninfo", "primary_slot_name", "synchronized_standby_slots"),
        "it names the node's primary, which changes with each failover",
    ),
    **dict.fromkeys(
        (
            "restore_command",
            "archive_cleanup_command",
            "recovery_end_command",
            "recovery_target",
            "recovery_target_action",
            "recovery_target_inclusive",
            "recovery_target_lsn",
            "recovery_target_name",
            "recovery_target_time",
            "recovery_target_timeline",
            "recovery_target_xid",
        ),
        "it is for restoring a backup, but standbys here follow their primary",
    ),
    "synchronous_standby_names": "it names the nodes that a commit waits for, which fivenines adapts to "
    "the roles",
    "default_transaction_read_only": "the load could not write",
    "data_directory_mode": _FILES,
    **dict.fromkeys(("include", "include_dir", "include_if_exists"), _DIRECTIVE),
    **dict.fromkeys(("server_encoding", "lc_collate", "lc_ctype"), _LOADED),
    **dict.fromkeys(("block_size", "wal_block_size", "segment_size"), _COMPILED),
}

# The reasons by canonical name (`servers.spelled`).
RESERVED: dict[Family, Mapping[str, str]] = {
    "mariadb": _MYSQL_FAMILY,
    "mysql": _MYSQL_FAMILY,
    "ndb": _MYSQL_FAMILY,
    "postgresql": _POSTGRES,
}

PROVIDER = "wsrep_provider_options"

# Why a solution that replicates reserves `log_bin`.
BINARY_LOG = "the nodes replicate by their binary logs, which fivenines names and looks for"


def by_key(key: str) -> str:
    """Return the reason for a setting that a key of the solution sets."""
    return f"the solution has a key for it, which reports show: write `{key}`"


def refused(given: Mapping[str, object], family: Family | None, own: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that users cannot set, as the user spells them, with reason and remedy.

    Args:
        given: settings as in the server's configuration file.
        family: of the server.
        own: what the solution reserves, by canonical names.
    """
    known = {**(RESERVED.get(family, {}) if family else {}), **own}
    reasons: dict[str, str] = {}
    first: dict[str, str] = {}
    for name, value in given.items():
        same, one = canonical(name, family), one_setting(name, family)
        if (
            reason := _no_name(name)
            or known.get(same)
            or known.get(one)
            or _abbreviated(same, family, known)
            or _by_value(same, value, family)
        ):
            remedy = "" if "write " in reason else "; leave it out"
            reasons[name] = f"{reason}{remedy}"
        elif one in first and same not in ADDED:
            reasons[name] = f"it is the same setting as {first[one]}: leave one of them out"
        first.setdefault(one, name)
    return reasons


_NAME = re.compile(r"[A-Za-z_][\w.$-]*")


def _no_name(name: str) -> str:
    """Return why a line of a pasted configuration is not a setting; empty if it is one."""
    if name.lstrip().startswith(("!include", "[")):
        return f"{_DIRECTIVE}, without the names of groups"
    return "" if _NAME.fullmatch(name.strip()) else "it is not the name of a setting"


# Options that may be repeated.
ADDED = ("plugin_load", "plugin_load_add")

# Names that begin like reserved ones, but are separate options.
_WHOLE = ("log_bin", "slow_query_log", "general_log", "init", "log")

_SHORTEST = 3


def _abbreviated(same: str, family: Family | None, known: Mapping[str, str]) -> str:
    """Return why a name must not be used that MariaDB completes to a reserved one."""
    if family != "mariadb" or len(same) < _SHORTEST or same in _WHOLE:
        return ""
    longer = next((name for name in known if name.startswith(same)), "")
    return f"MariaDB reads it as {longer}: {known[longer]}" if longer else ""


# Settings of MariaDB and MySQL that are times. A name with `_period` may be a number of transactions
# (gtid_executed_compression_period).
_TIMES = re.compile(r"\w+_(?:timeout|time|seconds|days|interval|delay|lifetime|usec)")
# Suffixes of sizes other than M are no units of time: there the factor is meant, as in 1G for a long time.
_WITH_UNIT = re.compile(r"(\d+)(?:\.\d+)?\s*(?![KGTPEkgtpe]$)([A-Za-z]+)")


def _by_value(same: str, value: object, family: Family | None) -> str:
    """Return why a setting cannot have this value; empty if it can."""
    if family == "postgresql":
        return ""
    if _TIMES.fullmatch(same) and (match := _WITH_UNIT.fullmatch(option_file.meant(str(value)).strip())):
        read = f", and would read {match[1]}m as {int(match[1]) * 2**20}" if match[2][0] in "mM" else ""
        return f"the server has no units of time{read}: write a number in the unit of its manual"
    if same == "innodb_dedicated_server" and is_on(value):
        return (
            "each node would size its memory as if it were alone on this machine, and only where no size is "
            "set: write innodb_buffer_pool_size and innodb_redo_log_capacity"
        )
    if same != "log_bin" or isinstance(value, bool):
        return ""
    if str(value).strip().lower() in ("0", "1", "on", "off", "true", "false", "yes", "no"):
        return f"the server reads {value!r} as the name of the log's files: write true or false"
    return ""
