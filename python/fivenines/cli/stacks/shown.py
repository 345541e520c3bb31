"""Show client stacks, and what came of them."""

from collections.abc import Sequence
from pathlib import Path

from fivenines.analysis.stacks.figures import Gap
from fivenines.analysis.stacks.pools import PoolFigures
from fivenines.analysis.wording import count, milliseconds
from fivenines.cli.output import console
from fivenines.load.stacks.measure import Measured
from fivenines.load.stacks.stack import stacks
from fivenines.report.terminal.narrow import shorter

# Number of kinds of errors that are shown of each stack.
_ERRORS = 3


def show_kinds(wide: bool, as_json: bool) -> None:
    """Print all kinds of stacks."""
    kinds = list(stacks().values())
    if as_json:
        console.as_json(
            [
                {
                    "name": kind.name,
                    "description": kind.description,
                    "driver": kind.driver,
                    "several_hosts": kind.several_hosts,
                    "built": kind.runtime.status().installed,
                    "recommended": dict(kind.recommended),
                    "documentation": kind.documentation,
                }
                for kind in kinds
            ]
        )
        return
    console.table(
        ["several hosts", "built", "recommended settings"],
        [
            [
                "yes" if kind.several_hosts else "no",
                "yes" if kind.runtime.status().installed else "no",
                ", ".join(f"{name}={value}" for name, value in kind.recommended.items()),
            ]
            for kind in kinds
        ],
        names=["recommended settings"],
        groups=[f"{kind.name}: {kind.description}" for kind in kinds],
        wide=wide,
    )


def show(found: Sequence[Measured], as_json: bool, out: Path | None) -> None:
    """Print what came of the stacks."""
    if as_json:
        console.as_json([_document(item) for item in found])
        return
    console.table(
        ["stack", "longest gap", "workers back", "committed", "failed", "in doubt", "twice", "lost"],
        [
            [
                item.name,
                _gap(item.figures.gap),
                f"{item.figures.back} of {len(item.figures.workers)}",
                item.figures.committed,
                item.figures.failed,
                item.figures.in_doubt,
                *(
                    ("?", "?")
                    if item.figures.rows is None
                    else (item.figures.rows.twice, item.figures.rows.lost)
                ),
            ]
            for item in found
        ],
        right=["longest gap", "committed", "failed", "in doubt", "twice", "lost"],
        names=["stack"],
    )
    console.say("")
    for item in found:
        console.say(f"{item.name}: {item.versions}")
        if text := pool_text(item.pool):
            console.say(f"  pool: {text}")
        for stage, code, number in item.figures.errors[:_ERRORS]:
            console.say(f"  {number} x {code} at the stage {stage}")
        if (left := len(item.figures.errors) - _ERRORS) > 0:
            console.say(f"  and {count(left, 'other kind')} of errors")
        if item.figures.rows is not None and (number := item.figures.rows.by_driver):
            console.say(
                f"  {count(number, 'operation')} tried once and committed twice: by the driver itself"
            )
        if item.left:
            console.note(f"CAUTION: {item.name}: {item.left}", "yellow")
        for problem in item.problems[:_ERRORS]:
            console.note(f"error: {item.name}: {problem}", "red")
    if out is not None:
        console.say(f"files in {out}: {', '.join(item.file.name for item in found)}")


def pool_text(pool: PoolFigures) -> str:
    """Return what a pool counted; empty if it counted nothing."""
    parts = []
    if pool.least is not None and pool.most is not None:
        numbers = f"{pool.most}" if pool.least == pool.most else f"{pool.least} to {pool.most}"
        parts.append(f"{numbers} connections open")
    if pool.created is not None:
        parts.append(f"{pool.created} opened")
    if pool.waiting is not None:
        parts.append(f"at most {count(pool.waiting, 'worker')} waiting")
    return ", ".join(parts)


def _gap(gap: Gap) -> str:
    text = milliseconds(gap.length)
    return shorter(f"at least {text}") if gap.open else text


def _document(item: Measured) -> dict[str, object]:
    return {
        "stack": item.name,
        "versions": item.versions,
        **item.figures.as_json(),
        "pool": item.pool.as_json(),
        "table_left": item.left,
        "problems": item.problems,
    }
