"""Galera's provider options: options of group communication, and checks of what it would refuse.

Sources: Galera Cluster documentation, "Galera Parameters"; bounds of the timeouts as Galera 26.4 checks them
at its start (gcomm, `evs::Proto`).
"""

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fivenines.base.units import format_duration, format_size
from fivenines.servers.mysql_family.provider_options import WORDS, number, pairs, seconds
from fivenines.servers.spelled import canonical
from fivenines.solutions.reserved import PROVIDER

if TYPE_CHECKING:
    from fivenines.solutions.galera.settings import GaleraSettings


def group_options(settings: "GaleraSettings", segment: int | None) -> dict[str, str]:
    """Return the options of a member (node or arbiter), without those left to Galera.

    `segment`: the number of its site, None with one site.
    """
    chosen: dict[str, str | None] = {
        "evs.suspect_timeout": _period(settings.suspect_timeout),
        "evs.inactive_timeout": _period(settings.inactive_timeout),
        "evs.keepalive_period": _period(_keepalive(settings)),
        "evs.inactive_check_period": _period(max(0.1, min(0.5, settings.suspect_timeout / 8))),
        "evs.join_retrans_period": _period(settings.join_retrans_period),
        "evs.install_timeout": _period(settings.install_timeout),
        "evs.send_window": _number(settings.send_window),
        "evs.user_send_window": _number(settings.user_send_window),
        "gcs.fc_limit": _number(settings.fc_limit),
        "gcs.fc_factor": _number(settings.fc_factor),
        "gcs.fc_single_primary": "YES" if settings.fc_single_primary else None,
        "gmcast.segment": _number(segment),
    }
    return {name: value for name, value in chosen.items() if value is not None}


def in_bytes(size: int) -> str:
    """Format a size as Galera reads and shows it: 128M."""
    return f"{size // 2**20}M" if size % 2**20 == 0 else str(size)


def as_text(options: Mapping[str, str]) -> str:
    """Format options for wsrep_provider_options and garbd."""
    return "; ".join(f"{name}={value}" for name, value in options.items())


# Options that a key of the solution sets.
_KEYS = {
    "evs.suspect_timeout": "suspect_timeout",
    "evs.inactive_timeout": "inactive_timeout",
    "evs.keepalive_period": "keepalive_period",
    "evs.join_retrans_period": "join_retrans_period",
    "evs.install_timeout": "install_timeout",
    "evs.send_window": "send_window",
    "evs.user_send_window": "user_send_window",
    "gcs.fc_limit": "fc_limit",
    "gcs.fc_factor": "fc_factor",
    "gcs.fc_single_primary": "fc_single_primary",
    "gcs.fc_master_slave": "fc_single_primary",
    "gcache.size": "gcache",
}

# Options that differ between nodes, or that fivenines sets when it bootstraps a cluster.
_OWN = (
    "base_host",
    "base_port",
    "base_dir",
    "gmcast.listen_addr",
    "gmcast.group",
    "gmcast.peer_addr",
    "ist.recv_addr",
    "ist.recv_bind",
    "gcache.dir",
    "gcache.name",
    "pc.bootstrap",
    "pc.recovery",
)


def absorbed(data: dict[str, Any]) -> dict[str, Any]:
    """Move the user's provider options to the solution's keys, where it has one.

    An option that is set in both places stays in both, for `option_problems`.
    """
    server = data.get("server")
    if not isinstance(server, dict):
        return data
    written = next((setting for setting in server if is_provider(setting)), None)
    if written is None or not isinstance(server[written], str):
        return data
    options, moved = pairs(server[written]), {}
    for name, value in options:
        key = _KEYS.get(name, "")
        if key and key not in data and [setting for setting, _ in options].count(name) == 1:
            with contextlib.suppress(ValueError):
                moved[name] = (key, _as_key(key, value))
    left = "; ".join(f"{name}={value}" for name, value in options if name not in moved)
    others = {setting: value for setting, value in server.items() if setting != written}
    return {**data, **dict(moved.values()), "server": {**others, **({written: left} if left else {})}}


def is_provider(name: str) -> bool:
    """Return whether a setting contains the provider options."""
    return canonical(name, "mariadb") == PROVIDER


def option_problems(text: str, *, segments: bool) -> str:
    """Return what is wrong with the user's wsrep_provider_options; empty if nothing."""
    given = pairs(text)
    names = [name for name, _ in given]
    problems = [_key_problem(name, value) for name, value in given if name in _KEYS]
    problems += [
        f"{name}={value}: a semicolon separates options, not a comma"
        for name, value in given
        if "," in value and "=" in value and name not in _KEYS
    ]
    problems += [f"{name} is set by fivenines: leave it out" for name in names if name in _OWN]
    problems += [f"{name} has no value: write {name}=…" for name, value in given if not value]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1 and name not in _KEYS)
    problems += [f"{name} is set twice: leave one of them out" for name in twice]
    if segments and "gmcast.segment" in names:
        problems.append("gmcast.segment differs between sites: set `segments: true` instead")
    return "; ".join(dict.fromkeys(problems))


def _key_problem(name: str, value: str) -> str:
    """Return why an option that a key sets could not be moved to the key."""
    key = _KEYS[name]
    if value:
        try:
            _as_key(key, value)
        except ValueError:
            return f"{name}={value}: {_form(key, value)}"
    return f"{name} is set by the solution's key {key}: write it once, as `{key}`"


def _form(key: str, value: str) -> str:
    if "," in value:
        return "a semicolon separates options, not a comma"
    if key.endswith(("_timeout", "_period")):
        return "Galera reads periods of ISO 8601, as PT2S or PT0.5S"
    if key == "gcache":
        return "Galera reads a number with one of the letters K, M, G and T, as 2G"
    return "Galera reads yes or no" if key == "fc_single_primary" else "Galera reads a number"


def _as_key(key: str, value: str) -> object:
    if key.endswith(("_timeout", "_period")):
        return format_duration(seconds(value))
    if key == "gcache":
        return format_size(round(number(value)))
    if key == "fc_single_primary":
        if value.lower() not in WORDS:
            raise ValueError(value)
        return WORDS[value.lower()]
    size = number(value)
    return size if key == "fc_factor" else round(size)


def timing_problems(settings: "GaleraSettings") -> list[str]:
    """Return settings that Galera would refuse at its start, or that would have no effect."""
    keepalive, problems = _keepalive(settings), []
    if settings.inactive_timeout < settings.suspect_timeout:
        problems.append("inactive_timeout must not be shorter than suspect_timeout")
    if keepalive > settings.suspect_timeout / 3:
        problems.append(
            "keepalive_period must be at most a third of suspect_timeout, which is "
            f"{settings.suspect_timeout:g}s"
        )
    install = settings.install_timeout
    if install is not None and not 2 * keepalive <= install <= settings.inactive_timeout:
        problems.append(
            f"install_timeout must be between two keepalive periods ({2 * keepalive:g}s) and "
            f"inactive_timeout ({settings.inactive_timeout:g}s)"
        )
    # Galera's own defaults are 4 and 2.
    if (settings.user_send_window or 2) > (settings.send_window or 4):
        problems.append("user_send_window must not be larger than send_window")
    return problems


def _keepalive(settings: "GaleraSettings") -> float:
    # Galera requires at least three probes of silent peers, and at least 0.1 s between them.
    return settings.keepalive_period or min(1.0, settings.suspect_timeout / 4)


def _period(seconds: float | None) -> str | None:
    return None if seconds is None else f"PT{seconds:g}S"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"
