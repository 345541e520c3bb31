"""Settings of servers that are not the user's to set, with the reason: by the kind of server.

They differ between nodes, or they say where fivenines finds a server, its files and its words. What a
solution reserves beside them stands with its own settings (`SolutionSettings.reserved`).
"""

from collections.abc import Mapping

from fivenines.servers.spelled import canonical
from fivenines.software.base import Family

_ADDRESS = "each node has an address of its own in the lab, and clients, proxies and checks come by it"
_FILES = "each node keeps its files in a folder of its own, where fivenines looks for them"
_NUMBER = "it must differ between the nodes, so fivenines gives each node its own"
_ACCOUNT = "fivenines starts each server under an account of the lab"
_ROLE = "it depends on the node's role, and changes with it"
_LOADED = "it is fixed when a data directory is made, and all data sets have UTF8 and locale C"
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
    "grant_tables": "with it the server checks no account, and MySQL lets in no client from the network",
    "read_only": _ROLE,
    "super_read_only": _ROLE,
    "offline_mode": "clients of the load could not log in",
    "transaction_read_only": "the load could not write",
    "set_variable": "no server has had it since MySQL 5.5: write the setting under its own name",
    "defaults_file": _DIRECTIVE,
    "defaults_extra_file": _DIRECTIVE,
    "help": "the server would print its options and end",
    "validate_config": "the server would check its options and end",
    "initialize": "fivenines makes the data directories",
    "initialize_insecure": "fivenines makes the data directories",
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
        "it is about restoring a backup, and standbys here follow their primary",
    ),
    "synchronous_standby_names": "it names the nodes that a commit waits for, which fivenines keeps to the "
    "roles",
    "default_transaction_read_only": "the load could not write",
    "data_directory_mode": _FILES,
    **dict.fromkeys(("include", "include_dir", "include_if_exists"), _DIRECTIVE),
    **dict.fromkeys(("server_encoding", "lc_collate", "lc_ctype"), _LOADED),
    **dict.fromkeys(("block_size", "wal_block_size", "segment_size"), _COMPILED),
}

RESERVED: dict[Family, Mapping[str, str]] = {
    "mariadb": _MYSQL_FAMILY,
    "mysql": _MYSQL_FAMILY,
    "ndb": _MYSQL_FAMILY,
    "postgresql": _POSTGRES,
}
"""The reasons by the canonical name (`servers.spelled`)."""

PROVIDER = "wsrep_provider_options"

BINARY_LOG = "the nodes replicate by their binary logs, which fivenines names and looks for"
"""Why a solution that replicates has `log_bin` to itself."""


def by_key(key: str) -> str:
    """The reason for a setting that a key of the solution sets."""
    return f"the solution sets it by its own key, which reports name: write `{key}`"


def refused(given: Mapping[str, object], family: Family | None, own: Mapping[str, str]) -> dict[str, str]:
    """The settings that are not the user's to set, as the user spells them, with reason and remedy.

    Args:
        given: settings as in the server's configuration file.
        family: of the server.
        own: what the solution reserves, by canonical names.
    """
    known = {**(RESERVED.get(family, {}) if family else {}), **own}
    found: dict[str, str] = {}
    first: dict[str, str] = {}
    for name, value in given.items():
        same = canonical(name, family)
        if reason := known.get(same) or _abbreviated(same, family, known) or _log(same, value, family):
            remedy = "" if "write " in reason else "; leave it out"
            found[name] = f"{reason}{remedy}"
        elif same in first and same not in ADDED:
            found[name] = f"it is the same setting as {first[same]}: leave one of them out"
        first.setdefault(same, name)
    return found


ADDED = ("plugin_load", "plugin_load_add")
"""Options of which a server takes several."""

_WHOLE = ("log_bin", "slow_query_log", "general_log", "init", "log")
"""Names that begin as reserved ones do, and are names of their own."""

_SHORTEST = 3


def _abbreviated(same: str, family: Family | None, known: Mapping[str, str]) -> str:
    """Why MariaDB, which completes the beginning of a name, must not be given this one."""
    if family != "mariadb" or len(same) < _SHORTEST or same in _WHOLE:
        return ""
    longer = next((one for one in known if one.startswith(same)), "")
    return f"MariaDB takes it for {longer}: {known[longer]}" if longer else ""


def _log(same: str, value: object, family: Family | None) -> str:
    """Why a binary log must not be called so; empty otherwise."""
    if family == "postgresql" or same != "log_bin" or isinstance(value, bool):
        return ""
    if str(value).strip().lower() in ("0", "1", "on", "off", "true", "false", "yes", "no"):
        return f"the server takes {value!r} for the name of the log's files: write true or false"
    return ""
