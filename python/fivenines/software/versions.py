"""Check which versions of server software fit together."""

from collections.abc import Mapping

from fivenines.software.base import Engine


def mismatch(ours: Engine, root: Engine) -> str:
    """Return why an engine's data cannot be served from another root; empty if it can or is unknown.

    The versions must be identical: a newer server can change data so that the older one refuses it, and
    solutions with different versions cannot be compared.

    Args:
        ours: the engine that has written the data.
        root: the engine whose root the nodes use instead, as it has more programs.
    """
    if ours.family != root.family:
        # The server does not come from that root.
        return ""
    ours_version, root_version = ours.server_version(), root.server_version()
    if not ours_version or not root_version or ours_version == root_version:
        return ""
    return (
        f"engine {ours.name} has server version {ours_version}, but engine {root.name} has {root_version}, "
        "as the mirror changed in between: pull both again (`fivenines engines remove` and `pull`)"
    )


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return the engines whose version changed since the start of a run, as text; empty if none."""
    changes = [
        f"{name} was {before[name]}, is {version}"
        for name, version in now.items()
        if before.get(name, version) != version
    ]
    return ", ".join(changes)
