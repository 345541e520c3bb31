"""Fit names and values that share a line of a chart by shortening them."""

# The number of characters on a line of a chart, some of them bold.
ROOM = 46


def fitted(name: str, value: str) -> tuple[str, str]:
    """Return the name and the value; without room, the value loses its interval, then the name is cut.

    Tables have both in full.
    """
    if len(name) + len(value) >= ROOM:
        value = value.partition(" (")[0]
    room = ROOM - len(value) - 2
    return (name if len(name) <= room else f"{name[: room - 1].rstrip()}…"), value
