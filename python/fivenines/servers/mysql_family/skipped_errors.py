"""Values of slave_skip_errors and replica_skip_errors: errors that a replica ignores.

Sources: MySQL 9 reference manual, "Replica Server Options and Variables"; MariaDB documentation, "Replication
and Binary Log System Variables". Seen in MariaDB 10.11: `all` is shown as all numbers from 0, cut with `...`.
"""

import re
from typing import Literal

_WORDS = {"ddl_exist_errors": (1007, 1008, 1050, 1051, 1054, 1060, 1061, 1068, 1091, 1146)}
_CUT = "..."


def compared(asked: str, now: str) -> Literal["differs"] | None:
    """Return whether a server's value differs from the requested one; None: it is in effect."""
    cut = now.endswith(_CUT)
    shown = _numbers(now.removesuffix(_CUT))
    if asked.strip().lower() == "all":
        everything = cut and shown == list(range(len(shown)))
        return None if now.lower() == "all" or everything else "differs"
    wanted = _numbers(asked)
    # A cut value shows the lowest numbers.
    return None if (wanted[: len(shown)] if cut else wanted) == shown else "differs"


def _numbers(text: str) -> list[int]:
    """Return the numbers of a list of numbers and words, each once and in order."""
    numbers: set[int] = set()
    for part in re.split(r"[,\s]+", text.lower()):
        numbers.update((int(part),) if part.isdecimal() else _WORDS.get(part, ()))
    return sorted(numbers)
