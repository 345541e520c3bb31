"""What the pool of a SQLAlchemy engine counts."""

from collections.abc import Callable
from typing import Any

import sqlalchemy


def counters(engine: sqlalchemy.Engine) -> Callable[[], dict[str, int]]:
    """Return a function that returns the counters of an engine's pool."""
    # A list grows by one item at a time, whichever threads append to it.
    created: list[None] = []

    def connected(*_: Any) -> None:
        created.append(None)

    sqlalchemy.event.listen(engine, "connect", connected)

    def counted() -> dict[str, int]:
        idle = engine.pool.checkedin()
        return {"open": idle + engine.pool.checkedout(), "idle": idle, "created": len(created)}

    return counted
