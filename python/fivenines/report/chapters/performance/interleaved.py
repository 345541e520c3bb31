"""The chapter on interleaved comparisons: solutions deployed together, and loaded in turn."""

from collections.abc import Mapping, Sequence

from fivenines.analysis.measures.measures import title
from fivenines.analysis.performance.interleaved import (
    RESPONSE,
    THROUGHPUT,
    InterleavedResult,
    Observed,
    Pair,
    Side,
    difference,
    interleaved_results,
)
from fivenines.analysis.performance.interleaved_ratio import STRONG, Ratio
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.wording import (
    DURATION,
    NOTHING,
    SPEED,
    Words,
    clause,
    count,
    listed,
    milliseconds,
    number,
    percent,
    span,
)
from fivenines.report.chapters.data import Data
from fivenines.report.chapters.performance.speed import alone
from fivenines.report.charts import basic as charts
from fivenines.report.charts import theme
from fivenines.report.charts.svg import to_svg
from fivenines.report.groups import names_of_keys
from fivenines.report.html.figures import Figure
from fivenines.report.html.section import Drawer, Section, explained, folded, in_row
from fivenines.report.sentences.answer import Answer
from fivenines.report.table import Table, right
from fivenines.results.records import CellKey
from fivenines.results.store import Run


def chapter(data: Data) -> Section:
    """Return the results of the interleaved comparisons."""
    shown, others = in_row(figures(data.blocks), "The other conditions")
    drawers = [*others, *folded(ratio_table(data.blocks))]
    drawers.append(Drawer("Each solution while it was loaded", [side_table(data.blocks)]))
    drawers += alone(data) if data.blocks else []
    drawers += [explained(*how)] if (how := texts(data.blocks)) else []
    return Section("interleaved", TITLE, [], [], shown, drawers)


TITLE = "Speed, interleaved"

LEGEND = (
    "All solutions run at the same time, and one at a time is loaded, in short windows in random order, so"
    " that all meet the same conditions. Circles: ratio of two windows of one round. Vertical line: mean of"
    " all rounds. Bar: its 95 % interval. At 1, the dashed line, there is no difference."
)

MEASURES = {
    THROUGHPUT: "Transactions per second",
    "mean": "Mean response time",
    "p50": "Median response time",
    "p95": "p95 response time",
    "p99": "p99 response time",
}

# Above this CPU use of idle solutions, as a share of the machine's cores, the report has a caution.
_NOTICEABLE = 0.05


def interleaved_answers(run: Run) -> list[Answer]:
    """Return which solution is faster and by how much, with cautions; [] without blocks."""
    results = interleaved_results(run)
    answers = [Answer("Speed", text, "interleaved") for one in results for text in _speed(one, results)]
    cautions = [_caution(one, results, run.manifest.machine.cores) for one in results]
    return answers + [Answer("Caution", text, "trust", minor=True) for texts in cautions for text in texts]


def texts(results: Sequence[InterleavedResult]) -> list[str]:
    """Return how the comparison was measured; [] without blocks."""
    if not results:
        return []
    one = results[0]
    blocks, rounds = sum(r.complete for r in results), sum(r.rounds for r in results)
    return [
        LEGEND,
        f"{count(rounds, 'round')} in {count(blocks, 'block')}; windows of {milliseconds(one.window_ms)},"
        f" of which the first {milliseconds(one.skip_ms)} are left out. Connections stay open; the load runs"
        " alone. The interval comes from batches of neighbouring rounds, corrected for autocorrelation.",
    ]


def figures(results: Sequence[InterleavedResult]) -> list[Figure]:
    """Return charts of the ratio of throughputs of each pair, with a circle for each round."""
    return [_figure(one, results) for one in results if any(p.ratios for p in one.pairs)]


def ratio_table(results: Sequence[InterleavedResult]) -> Table:
    """Return each pair by each measure."""
    columns = ["Solutions", "Measure", "Ratio", "95 % interval", "Rounds", "Blocks"]
    rows = [
        [_names(pair, one, results), MEASURES[name], *_figures(ratio)]
        for one in results
        for pair in one.pairs
        for name, ratio in pair.ratios.items()
    ]
    caption = "Ratios of solutions, from neighbouring windows"
    return Table(caption, columns, rows, 2, frozenset({2, 3, 4, 5}))


def side_table(results: Sequence[InterleavedResult]) -> Table:
    """Return each solution's figures while it was loaded, and its resource use while loaded and idle."""
    columns = [
        "Solution",
        title("tps"),
        "Mean response",
        title("latency_p95"),
        "Failed",
        "CPU, loaded",
        "CPU, idle",
        "Writes, idle",
        "Overrun",
    ]
    rows = [_side_row(side, _label(one, results)) for one in results for side in one.sides]
    caption = (
        "Each solution while it was loaded, and resources of its hosts while it was loaded and idle (CPU in"
        " cores; writes to storage as a share of those under load). Overrun: longest time for which its"
        " transactions continued after a window"
    )
    return Table(caption, columns, rows, 1, right(columns, "Solution"))


def broken_texts(run: Run) -> list[str]:
    """Return broken and missing blocks with their reasons."""
    done = {one.record.id for one in run.blocks if one.complete}
    broken = [
        f"{one.record.id}, attempt {one.record.attempt}, broken: {one.record.reason}"
        for one in run.blocks
        if not one.complete
    ]
    missing = [one.id for one in run.manifest.blocks if one.id not in done]
    if missing:
        ids = ", ".join(missing)
        broken.append(f"{count(len(missing), 'planned block')} not complete: {ids}.")
    return broken


def pair_figures(results: Sequence[InterleavedResult]) -> list[dict[str, object]]:
    """Return the ratios for other programs."""
    return [
        {
            "a": pair.a.model_dump(),
            "b": pair.b.model_dump(),
            "metric": name,
            "ratio": ratio.ratio,
            "low": ratio.low,
            "high": ratio.high,
            "rounds": ratio.rounds,
            "blocks": ratio.blocks,
            "df": ratio.df,
            "blocks_apart": ratio.apart,
            "differs": ratio.differs if ratio.low is not None else None,
        }
        for one in results
        for pair in one.pairs
        for name, ratio in pair.ratios.items()
    ]


def _label(one: InterleavedResult, results: Sequence[InterleavedResult]) -> str:
    """Return the group's workload, connections and network, if they vary."""
    return names_of_keys([each.sides[0].key for each in results]).label(one.sides[0].key)


def _speed(one: InterleavedResult, results: Sequence[InterleavedResult]) -> list[str]:
    """Compare the fastest solution with each other one, by throughput and by response time."""
    best, *others = one.ranked
    prefix = f"{label}: " if (label := _label(one, results)) else ""
    pairs = [one.pair(best.key, other.key) for other in others]
    clauses = [_clause(pair, THROUGHPUT, SPEED) for pair in pairs]
    rates = [number(side.tps) for side in (best, *others)]
    sentences = [
        f"{prefix}{best.key.solution} is {listed(clauses)}: {rates[0]} transactions per second against "
        f"{listed(rates[1:])}, interleaved (means of all windows; ratios of neighbouring windows)."
    ]
    for name in ("mean", "p95"):
        clauses = [_clause(pair, name, DURATION) for pair in pairs if name in pair.ratios]
        if clauses:
            what = f"{prefix}the {'mean' if name == 'mean' else '95th percentile of the'} response time"
            sentences.append(f"{what[0].upper()}{what[1:]} of {best.key.solution} is {listed(clauses)}.")
    return sentences


def _clause(pair: Pair, name: str, words: Words) -> str:
    return clause(pair.b.solution, difference(pair.ratios[name]), words)


def _caution(one: InterleavedResult, results: Sequence[InterleavedResult], cores: int) -> list[str]:
    prefix = f"{label}: " if (label := _label(one, results)) else ""
    texts = []
    if any(ratio.apart for pair in one.pairs for ratio in pair.ratios.values()):
        texts.append(
            f"{prefix}the blocks differ by more than their windows explain, so the deployment matters. The"
            " intervals are those between blocks; more blocks narrow them."
        )
    r = max((pair.ratios[THROUGHPUT].remembered for pair in one.pairs), default=0.0)
    if r > STRONG:
        texts.append(
            f"{prefix}one solution was faster for several rounds in a row (correlation {number(r)}), as on an"
            " overloaded machine. The interval may be too narrow: stop other processes, or run more blocks."
        )
    idle = [(side.key.solution, side.cpu[1]) for side in one.sides]
    busy = [(name, cpu) for name, cpu in idle if cpu is not None and cpu > _NOTICEABLE * cores]
    if busy:
        used = listed([f"{name} {number(cpu)} cores" for name, cpu in busy])
        texts.append(
            f"{prefix}idle solutions were not idle ({used} while others were loaded). This slows all of them,"
            " and deferred work of one may fall into the windows of another."
        )
    if names := _windows("in", {side.key: side.empty for side in one.sides}):
        texts.append(
            f"{prefix}whole windows passed without a successful transaction ({names}). Such a window counts"
            " as half a transaction, so the ratio depends on how often that happened."
        )
    if names := _windows("after", {side.key: side.late for side in one.sides}):
        texts.append(
            f"{prefix}transactions continued into the measured part of the next window ({names}): lengthen"
            " `interleaved.skip`."
        )
    return [f"{text[0].upper()}{text[1:]}" for text in texts]


def _windows(when: str, numbers: Mapping[CellKey, int]) -> str:
    """Return "a in 3 windows and b in 1 window", without solutions with none."""
    return listed([f"{key.solution} {when} {count(n, 'window')}" for key, n in numbers.items() if n])


def _figure(one: InterleavedResult, results: Sequence[InterleavedResult]) -> Figure:
    label = _label(one, results)
    title = f"Ratio of throughputs: {label}" if label else "Ratio of throughputs"
    rows = []
    for pair in one.pairs:
        ratio = pair.ratios[THROUGHPUT]
        summary = Summary(ratio.rounds, ratio.ratio, ci_low=ratio.low, ci_high=ratio.high)
        name = f"{pair.a.solution} / {pair.b.solution}"
        dots = [(value, "trial") for value in _rounds(one, pair)]
        rows.append(charts.Dot(name, theme.NEUTRAL, summary, dots, _with_interval(ratio)))
    ratios = "; ".join(f"{row.name}: {row.value}" for row in rows)
    finding = f"{ratios}. Dashed: no difference."
    table = ratio_table([one])
    return Figure(title, finding, to_svg(charts.dots(rows, "times as many", alike=1.0)), table)


def _rounds(one: InterleavedResult, pair: Pair) -> list[float]:
    """Return the ratio of throughputs of each round."""
    places = {side.key: n for n, side in enumerate(one.sides)}
    ratios = []
    for block in one.windows:
        turns = {(window.round, window.side): window for window in block if window.round}
        for number_ in sorted({window.round for window in block if window.round}):
            a, b = (turns.get((number_, places[key])) for key in (pair.a, pair.b))
            if a and b and a.ok and b.ok:
                ratios.append(a.tps / b.tps)
    return ratios


def _names(pair: Pair, one: InterleavedResult, results: Sequence[InterleavedResult]) -> str:
    names = f"{pair.a.solution} / {pair.b.solution}"
    return ", ".join(filter(None, [names, _label(one, results)]))


def _figures(ratio: Ratio) -> list[str]:
    return [number(ratio.ratio), _interval(ratio), str(ratio.rounds), str(ratio.blocks)]


def _interval(ratio: Ratio) -> str:
    if ratio.low is None or ratio.high is None:
        return NOTHING
    return span(ratio.low, ratio.high)


def _with_interval(ratio: Ratio) -> str:
    return f"{number(ratio.ratio)} ({_interval(ratio)})"


def _side_row(side: Side, label: str) -> list[str]:
    name = ", ".join(part for part in (side.key.solution, label) if part)
    times = [side.latency.get(which) for which in (RESPONSE[0], "p95")]
    return [
        name,
        number(side.tps),
        *(NOTHING if t is None else milliseconds(t) for t in times),
        number(side.failed),
        *(NOTHING if cpu is None else number(cpu) for cpu in side.cpu),
        _share(side.written),
        milliseconds(side.after),
    ]


def _share(loaded_and_idle: Observed) -> str:
    loaded, idle = loaded_and_idle
    return f"{percent(100 * idle / loaded)} %" if loaded and idle is not None else NOTHING
