"""Chapter `deaths`: what many deaths on one cluster cost, and whether fresh clusters show the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fivenines.analysis.availability.deaths_in_turn import Death, Deaths, Order, clustered, order
from fivenines.analysis.cells import CellResult
from fivenines.analysis.decision.judging import share_bounds, share_text
from fivenines.analysis.statistics.equivalence import same
from fivenines.analysis.statistics.means import Summary
from fivenines.analysis.statistics.quotients import Quotient
from fivenines.analysis.wording import MINUS, NOTHING, count, mean_with_interval, milliseconds, percent
from fivenines.report.chapters.data import Data
from fivenines.report.groups import Names
from fivenines.report.html.section import Section, explained
from fivenines.report.sentences.answer import Answer
from fivenines.report.table import Table, right

TITLE = "Deaths in turn on one cluster"

# Two means within this margin count as the same.
MARGIN = 0.1

LEGEND = (
    "A server dies again and again in one trial, each time after the cluster has recovered. A death counts if"
    " it was verified, the nodes of all deaths before were members again, and as many nodes were writable as"
    " before the first. Outage, writes: the interval is that of the clusters' means, as deaths of one cluster"
    " may depend on each other. Trend: change from the first death to the last by a straight line."
    " Neighbours: correlation of one outage with the next. p: how often a random order of the deaths shows as"
    " much. With lost rows: deaths in which an acknowledged row was lost, with the 95 % interval of their"
    " share (Clopper and Pearson). A row belongs to the death before whose recovery it was acknowledged."
    " Fresh: the same fault on clusters of their own, in the same run; the outage counts as the same if the"
    " 95 % interval of the ratio, either way, is within 10 % (two one-sided tests)."
)


@dataclass(frozen=True)
class Turns:
    """The deaths of a cell's trials, and the cell with the same fault on fresh clusters, if there is one."""

    cell: CellResult
    clusters: Sequence[Deaths]
    fresh: CellResult | None

    @property
    def deaths(self) -> list[Death]:
        """Return all deaths that count."""
        return [death for one in self.clusters for death in one.deaths]

    @property
    def judged(self) -> list[int]:
        """Return the lost rows of each death of which they are known."""
        return [death.lost for death in self.deaths if death.lost is not None]

    @property
    def losing(self) -> int:
        """Return the number of deaths with lost rows."""
        return sum(lost > 0 for lost in self.judged)

    @property
    def outage(self) -> Summary:
        """Return the outage of writes, a sample of the clusters' means."""
        return clustered(self.clusters)

    @cached_property
    def effect(self) -> Order | None:
        """Return the effects of the order of deaths; None: not known."""
        return order(self.clusters)

    @property
    def longest(self) -> tuple[float, bool] | None:
        """Return the longest outage in ms, and whether writes were possible again; None: not measured."""
        known = [(death.outage_ms, death.back) for death in self.deaths if death.outage_ms is not None]
        return max(known, default=None)

    @property
    def quotient(self) -> Quotient | None:
        """Return the outage by that of fresh clusters; None without any."""
        if self.fresh is None:
            return None
        sample = self.fresh.faults[0].writes.summary
        return Quotient(self.outage, sample) if sample.n else None


def turns(cells: Sequence[CellResult]) -> list[Turns]:
    """Return the cells whose trials have several deaths."""
    found = []
    for cell in cells:
        clusters = [trial.deaths for trial in cell.trials if trial.deaths is not None]
        if any(one.deaths for one in clusters):
            found.append(Turns(cell, clusters, _fresh(cell, cells)))
    return found


def _fresh(cell: CellResult, cells: Sequence[CellResult]) -> CellResult | None:
    """Return the cell that differs in the fault only, which is the same one and single."""
    labels = {fault.label for fault in cell.faults}
    alike = (one for one in cells if one.key.without_fault == cell.key.without_fault)
    return next((one for one in alike if len(one.faults) == 1 and {one.faults[0].called} == labels), None)


def chapter(data: Data) -> Section:
    """Return the deaths in turn; empty if no trial has several."""
    found = turns(data.done)
    if not found:
        return Section("deaths", TITLE)
    tables = [turn_table(found, data.names), fresh_table(found, data.names)]
    return Section("deaths", TITLE, [], [one for one in tables if one.rows], [], [explained(LEGEND)])


def turn_answers(cells: Sequence[CellResult]) -> list[Answer]:
    """Return the sentences of each cell with deaths in turn: effects of the order first, then lost rows."""
    found = turns(cells)
    ordered = [text for one in found if (text := _order_sentence(one))]
    losing = sorted(found, key=lambda one: not one.losing)
    return [Answer("In turn", text, "deaths") for text in (*ordered, *map(_loss_sentence, losing)) if text]


def _loss_sentence(one: Turns) -> str:
    if not one.judged:
        return ""
    deaths = f"{count(len(one.judged), 'death')} in turn on {count(len(one.clusters), 'cluster')}"
    if not one.losing:
        _, high = share_bounds(0, len(one.judged))
        share = f"at most {percent(100 * high)} % of such deaths lose one (95 %)"
        return f"{one.cell.called}: no acknowledged row lost in {deaths}; {share}."
    rows = f"{count(sum(one.judged), 'acknowledged row')} lost in {one.losing} of {deaths}"
    share = f"{share_text(one.losing, len(one.judged))} of such deaths lose rows (95 %)"
    return f"{one.cell.called}: {rows}, at most {max(one.judged)} at once; {share}."


def _order_sentence(one: Turns) -> str:
    effect = one.effect
    if effect is None or not effect.seen:
        return ""
    return (
        f"{one.cell.called}: the outages of deaths in turn depend on their order (trend "
        f"{percent(100 * effect.trend, signed=True)} %, neighbours {_minus(effect.likeness)}), so they do "
        "not stand for deaths of fresh clusters."
    )


def turn_table(cells: Sequence[Turns], names: Names) -> Table:
    """Return a row for each cell: clusters, deaths, outage, effects of the order, lost rows."""
    columns = [
        *("Cell", "Clusters", "Deaths", "Not counted", "Outage, writes", "Longest", "Trend, p"),
        *("Neighbours, p", "With lost rows", "Share, 95 % interval", "Lost rows"),
    ]
    rows = []
    for one in cells:
        effect, longest = one.effect, one.longest
        known = bool(one.judged)
        rows.append(
            [
                names.full(one.cell.key),
                str(len(one.clusters)),
                str(len(one.deaths)),
                str(sum(each.planned - len(each.deaths) for each in one.clusters)),
                mean_with_interval(one.outage, milli=True),
                NOTHING if longest is None else _longest(*longest),
                NOTHING
                if effect is None
                else f"{percent(100 * effect.trend, signed=True)} %, {effect.trend_p:.2f}",
                NOTHING if effect is None else f"{_minus(effect.likeness)}, {effect.likeness_p:.2f}",
                str(one.losing) if known else NOTHING,
                share_text(one.losing, len(one.judged)),
                str(sum(one.judged)) if known else NOTHING,
            ]
        )
    return Table(TITLE, columns, rows, 1, right(columns, "Cell"))


def fresh_table(cells: Sequence[Turns], names: Names) -> Table:
    """Return a row for each cell with the same fault on fresh clusters."""
    columns = ["Cell", "In turn", "Fresh", "Fresh clusters", "Ratio, 95 % interval", "Same within 10 %"]
    rows = []
    for one in cells:
        quotient = one.quotient
        if quotient is None:
            continue
        ratio = quotient.interval()
        ends = "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.2f} to {ratio.high:.2f})"
        verdict = same(quotient, MARGIN)
        rows.append(
            [
                names.full(one.cell.key),
                mean_with_interval(quotient.a, milli=True),
                mean_with_interval(quotient.b, milli=True),
                str(quotient.b.n),
                NOTHING if ratio.estimate is None else f"{ratio.estimate:.2f}{ends}",
                "not decided" if verdict is None else ("yes" if verdict else "no"),
            ]
        )
    return Table("In turn, and on fresh clusters", columns, rows, 1, right(columns, "Cell"))


def _longest(ms: float, back: bool) -> str:
    return milliseconds(ms) if back else f"at least {milliseconds(ms)}"


def _minus(value: float) -> str:
    return f"{value:+.2f}".replace("-", MINUS)
