"""Cache the drawings of a run's last report in its folder, so that equal charts are not drawn again.

Drawing takes most of the time of a report with cached figures. One file has all drawings of the last report,
by a hash of their specification; `results.cache` decides whether it is valid.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

import vl_convert

from fivenines.report.charts.drawing import Drawing
from fivenines.results import cache, layout

_NAME = "drawings"


@dataclass
class _Drawings:
    """The drawings of the last report and of this one, by a hash of their specification."""

    before: dict[str, str]
    used: dict[str, str] = field(default_factory=dict)


_current: ContextVar[_Drawings | None] = ContextVar("drawings", default=None)


@contextmanager
def drawing_cache(run: Path) -> Iterator[None]:
    """Reuse the drawings of the run's last report within this context."""
    place = run / layout.CACHE / _NAME
    # Drawings depend only on the library: everything else is applied after the cache.
    key = blake2b(f"vl-convert {version('vl-convert-python')}".encode(), digest_size=20).hexdigest()
    data = cache.read(place, key)
    drawings = _Drawings(json.loads(data) if data else {})
    token = _current.set(drawings)
    try:
        yield
    finally:
        _current.reset(token)
    if drawings.used.keys() != drawings.before.keys():
        cache.write(place, key, json.dumps(drawings.used).encode())


def drawn(chart: Drawing) -> str:
    """Return the chart as the library's SVG."""
    drawings = _current.get()
    if drawings is None:
        return vl_convert.vegalite_to_svg(chart)
    name = blake2b(json.dumps(chart, sort_keys=True).encode(), digest_size=20).hexdigest()
    cached = drawings.used.get(name) or drawings.before.get(name)
    drawings.used[name] = cached or vl_convert.vegalite_to_svg(chart)
    return drawings.used[name]
