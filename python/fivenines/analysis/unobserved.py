"""Figures that servers did not show during a trial, in words."""

from collections.abc import Iterable

from fivenines.analysis.wording import listed
from fivenines.results.records import Unobserved


def unobserved_in_words(items: Iterable[Unobserved]) -> list[str]:
    """Return a text for each figure and reason, with all nodes that miss it."""
    nodes: dict[tuple[str, str], list[str]] = {}
    for item in items:
        nodes.setdefault((item.what, item.why), []).append(item.node)
    return [f"{listed(names)}: {what}: {why}" for (what, why), names in nodes.items()]
