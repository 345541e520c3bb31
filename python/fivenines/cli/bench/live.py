"""Format the live lines of a load: one per second, aligned, at most 80 characters wide."""

from collections.abc import Callable

from fivenines.load.bench.generator import Second

# Lines after which a terminal shows the headings again.
HEADER_EVERY = 20

_WIDTHS = {"time": 7, "tps": 9, "qps": 9, "p95 ms": 9, "errors": 8, "in doubt": 10}
_OPEN = {"offered": 9, "backlog": 9}
_LAST = {"conns": 7}

Say = Callable[[str], None]


class LiveLines:
    """Format one line per second. `tps`, `qps`, `p95 ms`, `errors` and `in doubt` cover that second."""

    def __init__(self, say: Say, open_loop: bool, repeat: bool) -> None:
        self._say = say
        self._widths = {**_WIDTHS, **(_OPEN if open_loop else {}), **_LAST}
        self._repeat = repeat
        self._lines = 0
        self._before = (0, 0)

    def __call__(self, event: Second) -> None:
        """Print the line of a second."""
        if self._lines == 0 or (self._repeat and self._lines % HEADER_EVERY == 0):
            self._say("".join(f"{name:>{width}}" for name, width in self._widths.items()))
        self._lines += 1
        cells = self._cells(event)
        self._say("".join(f"{cells[name]:>{width}}" for name, width in self._widths.items()))

    def _cells(self, second: Second) -> dict[str, str]:
        errors, in_doubt = second.errors - self._before[0], second.in_doubt - self._before[1]
        self._before = (second.errors, second.in_doubt)
        return {
            "time": f"{second.t:.0f} s",
            "tps": rate(second.tps),
            "qps": rate(second.qps),
            "p95 ms": ms(second.p95_ms),
            "errors": str(errors),
            "in doubt": str(in_doubt),
            "offered": "-" if second.offered is None else rate(second.offered),
            "backlog": str(second.backlog),
            "conns": str(second.connected),
        }


def ms(value: float | None) -> str:
    """Format milliseconds with about three significant digits."""
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def rate(value: float) -> str:
    """Format a rate per second; without decimals from 100 on."""
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"
