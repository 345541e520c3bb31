"""The chapter on distance: speed over the round trip between sites, and bytes on the wire."""

from collections.abc import Sequence

from fivenines.analysis.measures.measures import title
from fivenines.analysis.replication.distance import Place, Wire, places, wires
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.wording import count, listed, mean_with_interval, milliseconds, number
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance.speed import SPEEDS, Measure
from fivenines.report.charts.basic import Line
from fivenines.report.charts.distance import over_distance
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import Names
from fivenines.report.html.figures import SPREAD, Figure
from fivenines.report.html.section import Drawer, Section, explained, in_row
from fivenines.report.table import Table, right
from fivenines.report.terminal.summary import spread


def chapter(data: Data) -> Section:
    """Return the cost of the distance between sites."""
    drawn = figures(data)
    table = wire_table(data)
    wire = Drawer("Bytes on the wire between sites", [table])
    shown, others = in_row(drawn, "The other conditions")
    texts = [drawn[0].finding] if drawn else []
    if table.rows and not drawn:
        texts = ["The table shows the bytes that each transaction sends between the sites."]
    how = [explained(LEGEND)] if drawn else []
    return Section("distance", "Distance", texts, [], shown, [*others, wire, *how])


LEGEND = (
    "Both axes are logarithmic: on a straight falling line, each tenfold distance costs the same factor."
    " Lines join the means of the trials; bands are their 95 % intervals. A network without latency is at the"
    " left end, at 0."
)

_DRAWN = SPEEDS[:2]


def figures(data: Data) -> list[Figure]:
    """Return charts of speed over the round trip; [] with fewer than two round trips."""
    groups: dict[tuple[str, int, str], list[Place]] = {}
    for place in places(data.run, data.done):
        key = place.cell.key
        groups.setdefault((key.workload, key.connections, key.fault), []).append(place)
    return [
        _figure(group, measure, data.names)
        for group in groups.values()
        if len({place.rtt_ms for place in group}) > 1
        for measure in _DRAWN
        if all(measure.get(place.cell).n for place in group)
    ]


def wire_table(data: Data) -> Table:
    """Return the bytes between the sites for each successful transaction."""
    columns = [
        "Cell",
        title("wire_bytes_per_transaction"),
        "Frames per transaction",
        "Bytes each way",
        "Dropped by a full queue",
        "Dropped by loss",
    ]
    rows = [_wire_row(data.names.full(cell.key), wire) for cell, wire in wires(data.run, data.done)]
    caption = (
        "Traffic between sites for each successful transaction of the load, including the ledger's writes and"
        " the servers' own messages"
    )
    return Table(caption, columns, rows, 1, right(columns, "Cell", "Bytes each way"))


def _wire_row(name: str, wire: Wire) -> list[str]:
    ways = [f"{source} to {target} {number(each)}" for (source, target), each in wire.ways.items()]
    return [
        name,
        mean_with_interval(wire.bytes),
        mean_with_interval(wire.frames),
        ", ".join(ways),
        number(wire.dropped_queue),
        number(wire.dropped_loss),
    ]


def _figure(group: Sequence[Place], measure: Measure, names: Names) -> Figure:
    key = group[0].cell.key
    several = [key.workload] if names.workloads > 1 else []
    several += [count(key.connections, "connection")] if names.connections > 1 else []
    several += [f"fault {key.fault}"] if names.faults > 1 else []
    title = ": ".join(filter(None, [f"{measure.title} against distance", ", ".join(several)]))
    series = _series(group, measure, names)
    columns = ["Solution", "Round trip", *SPREAD]
    rows = [
        [line.name, milliseconds(rtt), *spread(summary, measure.milli)]
        for line in series
        for rtt, summary in line.points
    ]
    return Figure(
        title,
        _finding(series, measure),
        to_svg(over_distance(series, measure.axis)),
        Table(f"{title} ({measure.axis})", columns, rows, 2, right(columns, "Solution")),
    )


def _series(group: Sequence[Place], measure: Measure, names: Names) -> list[Line]:
    points: dict[str, list[tuple[float, Summary]]] = {name: [] for name in names.styles}
    for place in group:
        points[place.cell.key.solution].append((place.rtt_ms, measure.get(place.cell)))
    return [Line(name, names.styles[name], some) for name, some in points.items() if some]


def _finding(series: Sequence[Line], measure: Measure) -> str:
    """Return the change of each solution's figure from the shortest to the longest round trip."""
    parts = []
    for line in series:
        (near, first), (far, last) = line.points[0], line.points[-1]
        if far > near and first.mean and last.mean is not None:
            ratio = last.mean / first.mean
            parts.append((near, far, line.name, ratio))
    if not parts:
        return ""
    near, far = parts[0][:2]
    order = sorted(parts, key=lambda part: part[3], reverse=not measure.milli)
    changes = listed([f"{name} {_times(ratio)}" for _, _, name, ratio in order])
    whole, _, part = measure.title.lower().partition(", ")
    what = f"{part} of the {whole}" if part else whole
    return f"From {milliseconds(near)} to {milliseconds(far)}, the {what} changes by: {changes}."


def _times(ratio: float) -> str:
    if ratio < 0.1:
        return f"a factor of 1/{number(1 / ratio)}"
    return f"a factor of {number(ratio)}"
