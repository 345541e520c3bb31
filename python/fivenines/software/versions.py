"""Which versions of server software go together, and what to say where they do not."""

from collections.abc import Mapping

from fivenines.software.base import Engine


def mismatch(ours: Engine, root: Engine) -> str:
    """Why an engine's data cannot be served from another root; empty if they can, or nothing is known.

    They must be of the very same version: a newer server may change data that the older one then refuses, and
    solutions on different versions could not be compared.

    Args:
        ours: the engine that has written the data.
        root: the engine whose root the nodes have instead, as it carries more.
    """
    if ours.family != root.family:
        # the server does not come from that root
        return ""
    wanted, found = ours.server_version(), root.server_version()
    if not wanted or not found or wanted == found:
        return ""
    return (
        f"engine {ours.name} has the server {wanted}, engine {root.name} has {found}: fetch both again "
        "(`fivenines engines remove` and `pull`), as the mirror has moved on in between"
    )


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Which engines have another version than when a run began, in words; empty if none has."""
    found = [
        f"{name} was {before[name]}, is {version}"
        for name, version in now.items()
        if before.get(name, version) != version
    ]
    return ", ".join(found)
