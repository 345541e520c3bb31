"""`fivenines workers`: check the machines of a Ray cluster before trials run on them."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.cli.options import AsJson
from fivenines.cli.program import Command, Group

if TYPE_CHECKING:
    from fivenines.campaign.workers.checked import Checked
    from fivenines.campaign.workers.ray_cluster import Node
    from fivenines.campaign.workers.remote import Introduction

app = typer.Typer(
    help="Check the machines of a Ray cluster.", cls=Group, no_args_is_help=True, rich_markup_mode="rich"
)


@app.command("check", cls=Command)
def check(
    on: Annotated[
        str,
        typer.Option(
            help="Address of the cluster. Example: --on ray://head:10001", metavar="ray://HOST:PORT"
        ),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Calibrate with few repetitions (90 seconds).")
    ] = False,
    no_calibration: Annotated[
        bool, typer.Option("--no-calibration", help="Run only the checks of `fivenines doctor`.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run `doctor` and `calibrate` on every machine of a Ray cluster, in parallel.

    \b
    fivenines workers check --on ray://head:10001 --quick
    fivenines workers check --on ray://head:10001 --no-calibration

    If a machine has several Ray nodes, only one of them calibrates.

    Exit code 1: a machine cannot run experiments, or is not reachable.
    """
    from fivenines.base.units import about
    from fivenines.campaign.calibration.base import chosen
    from fivenines.cli.experiments.parallel import connected
    from fivenines.cli.output import console

    cluster = connected(on)
    nodes = cluster.nodes()
    introductions = cluster.introductions(nodes)
    calibrates = set() if no_calibration else _first_of_each_machine(introductions)
    seconds = sum(kind.seconds[quick] for kind in chosen("")) if calibrates else 5.0
    console.note(f"{_count(len(nodes))}, about {about(seconds)}")
    failures: dict[str, str] = {}
    found: dict[str, Checked] = {}
    for name, result in _asked(cluster, nodes, calibrates, quick):
        if isinstance(result, str):
            failures[name] = result
        else:
            found[name] = result
        if not as_json:
            _show(name, introductions[name], result)
    bad = [name for name, one in found.items() if one.failed] + list(failures)
    if as_json:
        console.as_json(
            {
                "ok": not bad,
                "machines": [
                    {"name": name, **introductions[name].machine.model_dump(), **_plain(one)}
                    for name, one in found.items()
                ],
                "unreachable": failures,
            }
        )
    else:
        _conclude(len(nodes), bad)
    if bad:
        raise typer.Exit(1)


def _asked(
    cluster: Any, nodes: "Sequence[Node]", calibrates: set[str], quick: bool
) -> "Iterator[tuple[str, Checked | str]]":
    """Yield the checks of each machine, or why it is not reachable, as they arrive."""
    from fivenines.base.errors import FiveninesError
    from fivenines.campaign.workers.checked import checked

    answers = []
    # Nodes that do not calibrate answer quickly.
    for calibrate in (False, True):
        these = [node for node in nodes if (node.name in calibrates) is calibrate]
        answers += cluster.ask(these, checked, calibrate=calibrate, quick=quick)
    for answer in answers:
        try:
            yield answer.node.name, answer.get()
        except FiveninesError as error:
            yield answer.node.name, str(error)


def _first_of_each_machine(introductions: "dict[str, Introduction]") -> set[str]:
    """Return one node per machine: two calibrations on one machine would disturb each other."""
    first: dict[str, str] = {}
    for name, introduction in introductions.items():
        first.setdefault(introduction.boot, name)
    return set(first.values())


def _show(name: str, said: "Introduction", result: "Checked | str") -> None:
    from fivenines.cli.machine import doctor
    from fivenines.cli.output import console

    machine = said.machine
    size = f"{machine.memory_bytes / 2**30:.0f} GiB"
    console.say(f"{name}: {machine.cores} processors, {size}, {machine.os}, {machine.cpu}", "bold")
    if isinstance(result, str):
        console.say(f"FAILED   {result}", "red")
        return
    doctor.show([one for one in result.checks if one.state not in ("ok", "absent")])
    for step in result.steps:
        for line in step.out:
            console.say(f"OUT      {line.planted}: {line.measured} ({line.bounds})", "yellow")
        if step.failure:
            console.say(f"OUT      {step.title}: {step.failure}", "yellow")
    right = sum(one.state == "ok" for one in result.checks)
    measured = f", {len(result.steps)} calibrators ran" if result.steps else ""
    console.say(f"         {right} of {len(result.checks)} checks passed{measured}")


def _plain(one: "Checked") -> dict[str, Any]:
    return {
        "checks": [asdict(check) for check in one.checks],
        "calibration": [step.model_dump(mode="json") for step in one.steps],
    }


def _conclude(count: int, bad: list[str]) -> None:
    from fivenines.analysis.wording import listed
    from fivenines.cli.output import console

    if bad:
        console.say(f"No experiment can run on {listed(bad)}, see above.", "bold")
    else:
        console.say(f"Ready: experiments can run on {_count(count)}.", "bold")


def _count(machines: int) -> str:
    from fivenines.analysis.wording import count

    return count(machines, "machine")
