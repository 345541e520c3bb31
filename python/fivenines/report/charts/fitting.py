"""Names and values that share a line of a chart: what has no room is shortened, never drawn over."""

ROOM = 46
"""So many letters stand beside each other on a line of a chart, bold ones among them."""


def fitted(name: str, value: str) -> tuple[str, str]:
    """The name at the left and the value at the right: the value without its interval, then the name cut.

    Tables have both in full.
    """
    if len(name) + len(value) >= ROOM:
        value = value.partition(" (")[0]
    room = ROOM - len(value) - 2
    return (name if len(name) <= room else f"{name[: room - 1].rstrip()}…"), value
