"""How settings of servers are spelled: one setting has several names, and two of them may meet.

MariaDB and MySQL take `-` for `_`, `loose_` before an option that may be unknown, and `skip_`, `disable_` and
`enable_` before one that is switched (MySQL 9 reference manual, "Program Option Modifiers"). PostgreSQL takes
any case (manual, 19.1.1). MariaDB takes any case, too, and the beginning of a name that no other option has
(seen in 10.11: `serv=3` sets server_id); MySQL 9.7 takes neither.
"""

from collections.abc import Mapping
from typing import Any

from fivenines.software.base import Family

_LOOSE = "loose_"
_SWITCHES = ("skip_", "disable_", "enable_")

_RENAMED = {
    # what PostgreSQL still takes for another name (guc.c, map_old_guc_names)
    "sort_mem": "work_mem",
    "vacuum_mem": "maintenance_work_mem",
    "ssl_ecdh_curve": "ssl_groups",
    "force_parallel_mode": "debug_parallel_query",
}


def plain(name: str, family: Family | None) -> str:
    """The name of an option as the server's manual writes it, with its `skip_`, `disable_` or `enable_`."""
    if family == "postgresql":
        lower = name.strip().lower()
        return _RENAMED.get(lower, lower)
    return name.strip().lower().replace("-", "_").removeprefix(_LOOSE)


def canonical(name: str, family: Family | None) -> str:
    """The setting that an option of this name sets: alike for all its spellings."""
    found = plain(name, family)
    if family == "postgresql":
        return found
    return next((found.removeprefix(one) for one in _SWITCHES if found.startswith(one)), found)


def is_loose(name: str) -> bool:
    """Whether MariaDB and MySQL ignore the option where they do not know it."""
    return name.strip().lower().replace("-", "_").startswith(_LOOSE)


def layered(family: Family | None, *layers: Mapping[str, Any]) -> dict[str, Any]:
    """Settings, each layer over those before it, whatever the spelling.

    PostgreSQL's come out in lower case: Patroni compares names as they are written.
    """
    found: dict[str, tuple[str, Any]] = {}
    for layer in layers:
        for name, value in layer.items():
            same = canonical(name, family)
            found.pop(same, None)
            found[same] = (plain(name, family) if family == "postgresql" else name, value)
    return dict(found.values())


PLUGINS = ("plugin_load", "plugin_load_add")
"""Options that load plugins; the first would take back what was loaded before it."""


def with_plugins(own: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, so that plugins that are loaded already stay loaded."""
    ours = next((str(value) for name, value in own.items() if plain(name, None) in PLUGINS), "")
    theirs = [str(value) for name, value in given.items() if plain(name, None) in PLUGINS]
    if not ours or not theirs:
        return dict(given)
    others = {name: value for name, value in given.items() if plain(name, None) not in PLUGINS}
    wanted = dict.fromkeys(one for text in (ours, *theirs) for one in text.strip("'\"").split(";"))
    return {**others, PLUGINS[1]: ";".join(one for one in wanted if one)}
