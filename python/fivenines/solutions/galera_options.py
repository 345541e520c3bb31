"""Galera's provider options: what its group communication is told, and what it would refuse.

Sources: Galera Cluster documentation, "Galera Parameters"; bounds of the timeouts as Galera 26.4 checks
them at its start (gcomm, `evs::Proto`).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fivenines.solutions.galera import GaleraSettings


def group_options(settings: "GaleraSettings", segment: int | None) -> dict[str, str]:
    """Options of a member of the group, be it a node or the arbiter; without those left to Galera.

    `segment` is the number of its site, None where all are in one.
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


def as_text(options: Mapping[str, str]) -> str:
    """As wsrep_provider_options and garbd take them."""
    return "; ".join(f"{name}={value}" for name, value in options.items())


def timing_problems(settings: "GaleraSettings") -> list[str]:
    """What Galera would refuse at its start, or what would never come to effect."""
    keepalive, found = _keepalive(settings), []
    if settings.inactive_timeout < settings.suspect_timeout:
        found.append("inactive_timeout must not be shorter than suspect_timeout")
    if keepalive > settings.suspect_timeout / 3:
        found.append(
            "keepalive_period must be at most a third of suspect_timeout, which is "
            f"{settings.suspect_timeout:g}s"
        )
    install = settings.install_timeout
    if install is not None and not 2 * keepalive <= install <= settings.inactive_timeout:
        found.append(
            f"install_timeout must be between two keepalive periods ({2 * keepalive:g}s) and "
            f"inactive_timeout ({settings.inactive_timeout:g}s)"
        )
    # Galera's own defaults are 4 and 2
    if (settings.user_send_window or 2) > (settings.send_window or 4):
        found.append("user_send_window must not be larger than send_window")
    return found


def _keepalive(settings: "GaleraSettings") -> float:
    # Galera refuses to probe silent peers less than three times, or more often than every 0.1 s
    return settings.keepalive_period or min(1.0, settings.suspect_timeout / 4)


def _period(seconds: float | None) -> str | None:
    return None if seconds is None else f"PT{seconds:g}S"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"
