"""Drawings of a run's last report, kept in its folder: a chart that is the same is not drawn again.

Most of the time of a report of kept figures went into drawing. One file has all drawings of the last report,
by what they were drawn from, so that nothing has to be thrown away; see `results.cache` for when it is
believed.
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
    """Those of the last report, and those of this one, by what they were drawn from."""

    before: dict[str, str]
    used: dict[str, str] = field(default_factory=dict)


_current: ContextVar[_Drawings | None] = ContextVar("drawings", default=None)


@contextmanager
def kept_drawings(run: Path) -> Iterator[None]:
    """While inside, charts that the run's last report had are not drawn again."""
    place = run / layout.CACHE / _NAME
    # what draws is the library alone; what is made of its drawings is made anew each time
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
    """The chart as SVG, as the library draws it."""
    drawings = _current.get()
    if drawings is None:
        return vl_convert.vegalite_to_svg(chart)
    name = blake2b(json.dumps(chart, sort_keys=True).encode(), digest_size=20).hexdigest()
    found = drawings.used.get(name) or drawings.before.get(name)
    drawings.used[name] = found or vl_convert.vegalite_to_svg(chart)
    return drawings.used[name]
