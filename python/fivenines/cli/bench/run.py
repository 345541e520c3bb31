"""Run `fivenines bench`: prepare, warm up, load, check, show."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from fivenines.base.errors import FiveninesError
from fivenines.base.units import about
from fivenines.cli.bench import result as bench_result
from fivenines.cli.bench.asked import Asked, understood
from fivenines.cli.bench.fill import fill
from fivenines.cli.bench.live import LiveLines, rate
from fivenines.cli.bench.options import Options
from fivenines.cli.output import console
from fivenines.load import invariants
from fivenines.load.bench import generator, key_range, reach
from fivenines.load.bench.generator import Listener
from fivenines.load.bench.outcome import Outcome, read_outcome
from fivenines.load.bench.plan import Bench
from fivenines.load.commands import script_help_command
from fivenines.load.workloads.mix import Mix
from fivenines.load.workloads.script import Script
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.results.layout import LATENCY
from fivenines.results.load_summary import LOAD_SUMMARY
from fivenines.results.records import InvariantCheck

INTERRUPTED = 130
SUMMARY = "summary.csv"


class NothingWorkedError(FiveninesError):
    """Too few transactions succeeded for results."""


def run(options: Options) -> int:
    """Run the bench that the options describe and return its exit code.

    Raises:
        FiveninesError: the bench failed, or the options are wrong.
    """
    asked = understood(options)
    if _asks_for_help(asked.bench.workload):
        return _script_help(asked.bench.workload)
    say = _silent if options.quiet else console.note
    dsn = reach.with_dialect(asked.bench.dsn, options.dialect or "")
    asked = replace(asked, bench=replace(asked.bench, dsn=dsn))
    for note in (*dsn.notes, *asked.bench.workload.notes()):
        console.note(f"note: {note}")
    address = reach.first_answering(dsn)
    reach.check_files(dsn)
    if asked.filling is not None:
        address = reach.for_writes(asked.bench, address)
        reach.check_standbys(asked.bench, address)
        fill(asked.bench, address, asked.filling, quiet=options.quiet)
        if asked.bench.seconds == 0 or asked.filling.command:
            return 0
    with generator.folder(options.out) as out:
        if asked.warmup and not _warmed_up(asked, say):
            return INTERRUPTED
        outcome, checks = _measured(asked, options, out, say)
        if outcome.interrupted:
            console.note("")  # ends the line of the terminal's ^C
        bench_result.write_csv(outcome, out / SUMMARY)
        _show(asked.bench, outcome, checks, options)
        unserved = _unserved(out, outcome)
    if outcome.nothing_worked is not None:
        reason = generator.without_password(outcome.nothing_worked, asked.bench.dsn)
        raise NothingWorkedError(
            f"no transaction succeeded on {asked.bench.dsn}: {reason}{generator.hint(reason)}"
        )
    if unserved is not None:
        reason = generator.without_password(unserved, asked.bench.dsn)
        raise NothingWorkedError(
            f"{reason}{generator.hint(reason)}\n    the results above do not describe the database"
        )
    if any(check.status == "violated" for check in checks):
        console.note("error: an invariant of the data is violated, see above", "red")
        return 1
    return INTERRUPTED if outcome.interrupted else 0


def _unserved(out: Path, outcome: Outcome) -> str | None:
    """Return why the results are invalid although transactions succeeded; None if they are valid."""
    if outcome.interrupted:  # possibly before the first result
        return None
    from fivenines.analysis.availability.served import seconds_of, why_not  # noqa: PLC0415  (loads slowly)

    seconds = seconds_of(out / "timeline.csv")
    return why_not(seconds, outcome.record, 0.0, outcome.seconds * 1000)


def _asks_for_help(workload: WorkloadSettings) -> bool:
    """Return whether a Lua script shall list its options, as in `-- --help`."""
    return isinstance(workload, Script) and "help" in workload.options


def _script_help(workload: WorkloadSettings) -> int:
    command = script_help_command(workload)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


def headline(bench: Bench, outcome: Outcome) -> list[str]:
    """Return two lines: the workload and server, and how the load was run."""
    loop = "closed loop"
    if bench.search:
        loop = f"search for the rate with {bench.search}"
    elif bench.load.steps:
        loop = f"open loop, {len(bench.load.steps)} rates"
    elif bench.load.rate is not None:
        loop = f"open loop, {rate(bench.load.rate)}/s {bench.load.arrivals}"
    many = f"{bench.connections} connections"
    if steps := bench.load.connection_steps:
        many = ", ".join(step.partition("@")[0] for step in steps) + " connections"
    interrupted = ", interrupted" if outcome.interrupted else ""
    server = f"{_name(bench.workload)} on {bench.dsn}"
    return [server, f"{many}, {loop}, {outcome.seconds:.1f} s{interrupted}"]


def _measured(
    asked: Asked, options: Options, out: Path, say: Callable[[str], None]
) -> tuple[Outcome, list[InvariantCheck]]:
    bench, driver = asked.bench, asked.bench.dsn.driver
    demanded = bench.workload.invariants() if options.check and driver != "noop" else []
    if options.check and not demanded:
        console.note(f"nothing to check: {_name(bench.workload)} has no invariants for this server")
    connect = partial(reach.primary, bench)
    if driver != "noop" and (text := key_range.caution(connect, bench.workload)):
        console.note(f"CAUTION: {text}", "yellow")
    written = driver in invariants.WRITTEN
    before = invariants.count_before(connect, demanded) if written else {}
    with _listening(asked, out, say) as listener:
        ended = generator.run(bench, out, listener)
    outcome = read_outcome(out, ended.record, bench.workload, ended.interrupted)
    if not demanded or driver == "noop":
        return outcome, []
    say("checking the data")
    try:
        return outcome, invariants.check_after(connect, driver, demanded, before, ended.record)
    except KeyboardInterrupt:  # the results of the load are kept without the check
        return outcome, invariants.unknown(demanded, "interrupted")


@contextmanager
def _listening(asked: Asked, out: Path, say: Callable[[str], None]) -> Iterator[Listener]:
    """Return the receiver of live figures: the terminal and, if wanted, Prometheus."""
    lines = _lines(asked.bench, say)
    if asked.metrics is None:
        yield lines
        return
    from fivenines.load.bench.metrics import LoadCollector, offered  # noqa: PLC0415  (only here)

    collector = LoadCollector(out, {"workload": _name(asked.bench.workload)})

    def both(event: generator.Second) -> None:
        lines(event)
        collector.feed(event)

    with offered(collector, *asked.metrics) as url:
        say(f"metrics: {url}")
        yield both


def _lines(bench: Bench, say: Callable[[str], None]) -> LiveLines:
    open_loop = bench.load.rate is not None or bool(bench.load.steps) or bool(bench.search)
    return LiveLines(say, open_loop, repeat=sys.stderr.isatty())


def _warmed_up(asked: Asked, say: Callable[[str], None]) -> bool:
    """Run the warm-up; return whether it completed."""
    say(f"warming up for {about(asked.warmup)}")
    constant = asked.bench.load.model_copy(
        update={"burst": False, "steps": [], "connection_steps": [], "storm": False}
    )
    bench = replace(asked.bench, seconds=asked.warmup, transactions=None, search="", load=constant)
    with TemporaryDirectory(prefix="fivenines-bench-") as out:
        ended = generator.run(bench, Path(out), _lines(bench, say))
    if ended.interrupted:
        console.note("interrupted during the warm-up: there are no results")
    else:
        say("measuring")
    return not ended.interrupted


def _show(bench: Bench, outcome: Outcome, checks: Sequence[InvariantCheck], options: Options) -> None:
    files = _files(options.out)
    if options.as_json:
        found = [check.model_dump(mode="json") for check in checks]
        console.as_json({**outcome.as_json(), "checks": found, "files": files})
        return
    bench_result.show(outcome, headline(bench, outcome))
    if checks:
        bench_result.show_checks(checks)
    if files:
        console.say("")
        console.say(f"files in {options.out}: {', '.join(Path(file).name for file in files)}")


def _files(out: Path | None) -> list[str]:
    if out is None:
        return []
    names = (LOAD_SUMMARY, LATENCY, "timeline.csv", SUMMARY)
    return [str(out / name) for name in names if (out / name).is_file()]


def _name(workload: WorkloadSettings) -> str:
    """Return the kinds of the workloads or the names of the scripts."""
    if isinstance(workload, Mix):
        return " + ".join(_name(part.workload) for part in workload.parts)
    if isinstance(workload, Script):
        return " + ".join(Path(entry).name for entry in workload.files)
    return workload.workload


def _silent(_text: str) -> None:
    """Print nothing, for --quiet."""
