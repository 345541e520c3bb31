"""Check that PostgreSQL's settings let standbys follow: a primary starts with any of them."""

from collections.abc import Mapping

from fivenines.servers.spelled import canonical

_LEVELS = ("replica", "logical", "archive", "hot_standby")
_SENDERS = ("max_wal_senders", "max_replication_slots")


def problems_with_streaming(
    server: Mapping[str, object], standbys: int, *, slots: bool
) -> dict[tuple[str, ...], str]:
    """Return settings with which no standby can follow, by their keys, with the reason and a remedy.

    Args:
        server: the user's settings.
        standbys: number of standbys.
        slots: whether each follows by a replication slot.
    """
    found: dict[tuple[str, ...], str] = {}
    for name, value in server.items():
        setting = canonical(name, "postgresql")
        if setting == "wal_level" and str(value).strip("'").lower() not in _LEVELS:
            found[("server", name)] = f"{value}: standbys cannot follow with it: write replica or logical"
        if setting in _SENDERS[: 1 + slots] and str(value).isdigit() and int(str(value)) < standbys:
            found[("server", name)] = f"{value}: {standbys} standbys need one each: write {standbys} or more"
    return found
