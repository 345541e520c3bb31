"""Turn the options of `fivenines bench` into a plan of the load.

Each error names its option.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from fivenines.base.errors import UsageError
from fivenines.base.spelling import nearest
from fivenines.base.units import format_duration
from fivenines.cli.bench import sysbench as bench_sysbench
from fivenines.cli.bench.options import Options
from fivenines.cli.bench.workload import workload_from
from fivenines.cli.experiments.attended import address
from fivenines.cli.servers import dsn_of_deployment, duration
from fivenines.experiment.validation.allowed import Shape
from fivenines.experiment.validation.load import simple_problem
from fivenines.experiment.validation.mistakes import from_validation
from fivenines.load.bench.plan import Bench, Filling
from fivenines.load.bounds import parse_keepalive
from fivenines.load.dsn import Address, Dsn, parse_addresses, parse_dsn
from fivenines.load.odbc import PREFIX
from fivenines.load.settings import LoadSettings, ReconnectMode
from fivenines.load.steps import RateStep, parse_step
from fivenines.load.work import MOST, WorkSettings, together
from fivenines.load.workloads.settings import WorkloadSettings

DURATION = 10.0
# Defaults of the load, and of filling tables.
CONNECTIONS, THREADS = "8", 4

MOST_CONNECTIONS = 100_000
MOST_THREADS = 256
# Measures that a search can bound.
MEASURES = ("mean", "p50", "p95", "p99", "p99.9")

# Ranges of options that no model checks.
_RANGES = {"threads": (1, MOST_THREADS), "seed": (0, 2**63 - 1)}


@dataclass(frozen=True)
class Asked:
    """The plan of a bench: the load, filling, warm-up and metrics."""

    bench: Bench
    filling: Filling | None
    warmup: float
    metrics: tuple[str, int] | None


def understood(options: Options) -> Asked:
    """Return the plan that the options describe.

    Raises:
        UsageError: an option is wrong, or options contradict each other.
    """
    options = bench_sysbench.with_run(bench_sysbench.with_command(options), MOST_THREADS)
    connections = options.connections or CONNECTIONS
    _in_range(options)
    dsn = parse_dsn(options.dsn or dsn_of_deployment("bench"))
    options = bench_sysbench.without_account(options, dsn)
    workload = _workload(options)
    steps = _connection_steps(connections)
    load = _load(options, dsn, connections.split(",") if steps else [])
    seconds = _seconds(options, workload, load, steps)
    bench = Bench(
        replace(dsn, find=_word("--find", options.find, ("writable", "any")) or dsn.find),
        workload,
        load,
        reads=_reads(options.read, dsn) if options.read else (),
        connections=1 if steps else _connections(connections),
        seconds=seconds,
        transactions=_work(options.transactions),
        bind=_addresses(options.bind),
        search=_search(options.search),
        seed=options.seed,
    )
    _make_sense(options, bench)
    fills = options.prepare or options.command is not None
    filling = Filling(options.threads or THREADS, options.drop, options.command or "") if fills else None
    warmup = duration("--warmup", options.warmup) if options.warmup else 0.0
    return Asked(bench, filling, warmup, address(options.metrics))


def _reads(text: str, dsn: Dsn) -> tuple[Address, ...]:
    """Return the addresses for read-only transactions; the account is that of the DSN."""
    if not text.lower().startswith(PREFIX):
        return parse_addresses(text, dsn.driver)
    reads = parse_dsn(text)
    if dsn.by_odbc and reads.password not in ("", dsn.password):
        raise UsageError("--read: its password differs from that of --dsn. Leave it out")
    return reads.addresses


def _in_range(options: Options) -> None:
    for name, (low, high) in _RANGES.items():
        value = getattr(options, name)
        if value is not None and not low <= value <= high:
            raise UsageError(f"--{name.replace('_', '-')} {value}: must be between {low} and {high}")


def _workload(options: Options) -> WorkloadSettings:
    settings = list(options.settings or [])
    for name, value in (("tables", options.tables), ("table_size", options.table_size)):
        settings += [f"{name}={value}"] if value is not None else []
    return workload_from(
        options.workload or [],
        options.script or [],
        settings,
        options.define or [],
        options.script_options or [],
    )


def _load(options: Options, dsn: Dsn, connection_steps: list[str]) -> LoadSettings:
    """Return the load's settings: from the options, the DSN or the defaults of `LoadSettings`."""
    rate = _rate(options.rate)
    asked: dict[str, Any] = {
        "rate": rate if isinstance(rate, float) else None,
        "steps": rate if isinstance(rate, list) else [],
        "spread": dsn.spread or None,
        "tls": dsn.tls or "prefer",
        "tls_ca": _authority(options, dsn),
        "burst": options.burst,
        "connection_steps": connection_steps,
        "storm": options.storm,
        **_bounds(options, dsn),
    }
    if options.reconnect is not None:
        asked["reconnect"] = _reconnect(options.reconnect)
    for name in ("retries", "read_share"):
        if (value := getattr(options, name)) is not None:
            asked[name] = value
    for name in ("arrivals", "think_distribution", "protocol", "spread", "tls"):
        if (word := getattr(options, name)) is not None:
            asked[name] = _setting(name, word)
    if options.think_time is not None:
        asked["think_time"] = duration("--think-time", options.think_time)
    if options.retry_on is not None:
        asked["retry_on"] = [_setting("retry_on", word.strip()) for word in options.retry_on.split(",")]
    try:
        settings = LoadSettings.model_validate(asked)
    except ValidationError as error:
        found = from_validation(LoadSettings, error.errors())
        raise UsageError("\n".join(_as_option(one.block("")[2:]) for one in found)) from None
    if problems := settings.problems():
        raise UsageError("\n".join(_as_option(problem) for problem in problems))
    return settings


def _setting(name: str, word: str) -> str | None:
    """Return the word if it is a value of this setting of the load."""
    shape = Shape.of_field(LoadSettings, name)
    known = [value for option in (shape.item() or shape).options() for value in option.values()]
    return _word(f"--{name.replace('_', '-')}", word, known)


def _bounds(options: Options, dsn: Dsn) -> dict[str, Any]:
    """Return the timeouts of clients that the options or the DSN set."""
    asked: dict[str, Any] = {}
    if (answer := options.answer_timeout) is not None:
        asked["answer_timeout"] = None if answer == "none" else _wait("--answer-timeout", answer)
    elif dsn.answer_timeout:
        asked["answer_timeout"] = dsn.answer_timeout
    if dsn.tcp_user_timeout:
        asked["tcp_user_timeout"] = dsn.tcp_user_timeout
    if options.connect_timeout is not None:
        asked["connect_timeout"] = _wait("--connect-timeout", options.connect_timeout)
    elif dsn.connect_timeout:
        asked["connect_timeout"] = dsn.connect_timeout
    if keepalive := options.keepalive or dsn.keepalive:
        try:
            asked["keepalive"] = parse_keepalive(keepalive)
        except ValueError as error:
            raise UsageError(f"--keepalive {keepalive}: {error}") from None
    return asked


def _make_sense(options: Options, bench: Bench) -> None:
    """Check combinations of options."""
    by_odbc = bench.dsn.by_odbc
    problems = {
        "--tls: with ODBC, the driver encrypts. Set its keyword in the DSN instead": by_odbc
        and bool(options.tls or options.tls_ca),
        "--bind: with ODBC, the driver chooses the address. Leave it out": by_odbc and bool(options.bind),
        "--keepalive: with ODBC, the driver sets it. Use its keyword in the DSN instead": by_odbc
        and options.keepalive is not None,
        "--protocol extended: only the native PostgreSQL protocol supports unnamed statements. Leave it "
        "out": bench.load.protocol == "extended"
        and (by_odbc or bench.dsn.driver not in ("postgres", "noop")),
        "--read: write ODBC DSNs for both --dsn and --read, or for neither": bool(bench.reads)
        and by_odbc != any(address.odbc for address in bench.reads),
        "--drop: has no effect without --prepare. Add --prepare": options.drop and not options.prepare,
        "--command: only a Lua script has commands. Add --script FILE.lua": options.command is not None
        and not bench_sysbench.runs_lua(options),
        "--command: --prepare runs the command prepare. Write one of the two": options.command is not None
        and options.prepare,
        "--retry-on: has no effect without retries. Add --retries N": options.retry_on is not None
        and not options.retries,
        "--search: finds the rate itself. Leave --rate out": bool(bench.search) and options.rate is not None,
        "--search: needs a constant number of --connections. Write one number": bool(bench.search)
        and bool(bench.load.connection_steps),
        "--rate and --connections: only one of the two can have steps": bool(bench.load.steps)
        and bool(bench.load.connection_steps),
        "--transactions: a search decides its own length. Leave --transactions out": bool(bench.search)
        and bench.transactions is not None,
        "--transactions: each=N needs a constant number of --connections. Write one number": bool(
            bench.load.connection_steps and bench.transactions and bench.transactions.each
        ),
        "--think-time: has no effect with --search. Leave it out": bool(bench.search)
        and bool(bench.load.think_time),
        "--burst: has no effect with --search. Leave it out": bool(bench.search) and bench.load.burst,
        "--read-share: has no effect without --read. Add --read HOSTS": options.read_share is not None
        and not bench.reads,
        "--duration 0s: measures nothing. Add --prepare to only fill tables": bench.seconds == 0
        and not options.prepare,
    }
    for problem, applies in problems.items():
        if applies:
            raise UsageError(problem)
    if bench.load.protocol == "simple" and (reason := simple_problem(bench.workload)):
        raise UsageError(f"--protocol: {reason}")


def _seconds(
    options: Options, workload: WorkloadSettings, load: LoadSettings, steps: Sequence[RateStep]
) -> float | None:
    """Return the load's duration in seconds; None: until its work is done."""
    asked = None if options.duration is None else duration("--duration", options.duration)
    all_steps = [*steps, *(parse_step(text) for text in load.steps)]
    if all_steps:
        total = sum(step.seconds for step in all_steps)
        if asked is not None and abs(asked - total) > 1e-6:
            raise UsageError(f"--duration: the steps take {format_duration(total)} in total. Leave it out")
        return total
    if asked is not None:
        return asked
    bounded = workload.ends_itself or options.transactions is not None or options.search is not None
    return None if bounded else DURATION


def _rate(text: str | None) -> float | list[str] | None:
    """Parse a rate, or the steps of `LoadSettings`."""
    if text is None:
        return None
    if "@" in text:
        steps = [part.strip() for part in text.split(",")]
        for step in steps:
            _step(step, "--rate", "1000@10s,2000@10s")
        return steps
    if not re.fullmatch(r"\d{1,8}(\.\d{1,6})?", text, re.ASCII) or not 0 < float(text) <= 1e7:
        raise UsageError(
            f"--rate {text}: write transactions per second, as 5000, or steps, as 1000@10s,2000@10s"
        )
    return float(text)


def _connection_steps(text: str) -> tuple[RateStep, ...]:
    if "@" not in text:
        return ()
    steps = tuple(_step(part, "--connections", "8@10s,64@10s") for part in text.split(","))
    for step in steps:
        _connections(f"{step.rate:.15g}")
    return steps


def _connections(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST_CONNECTIONS):
        raise UsageError(
            f"--connections {text}: write a number from 1 to {MOST_CONNECTIONS}, or steps, as 8@10s,64@10s"
        )
    return int(text)


def _step(text: str, option: str, example: str) -> RateStep:
    try:
        return parse_step(text)
    except ValueError:
        raise UsageError(f"{option}: {text.strip()!r} is not a step. Write steps as {example}") from None


def _work(text: str | None) -> WorkSettings | None:
    """Parse fixed work: `5000` for all connections together, or `each=5000`."""
    if text is None:
        return None
    word, equals, number = text.rpartition("=")
    count = int(number[:16]) if number.isascii() and number.isdecimal() else 0
    if (word, equals) not in {("", ""), ("each", "=")} or not 1 <= count <= MOST:
        raise UsageError(
            f"--transactions {text}: write a whole number from 1 to {MOST}, as 5000, or each=5000 for "
            "each connection"
        )
    return WorkSettings(each=count) if word else together(count)


def _reconnect(text: str) -> str | int:
    """Parse a reconnect mode, or a number of transactions."""
    if text.isascii() and text.isdecimal():
        return int(text[:12])
    return _word("--reconnect", text, (*get_args(ReconnectMode), "N")) or text


def _addresses(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    found = tuple(part.strip() for part in text.split(","))
    for part in found:
        try:
            ip_address(part)
        except ValueError:
            raise UsageError(f"--bind: {part!r} is not an address; write 10.0.0.5,10.0.0.6") from None
    return found


def _search(text: str | None) -> str:
    """Return the bound of a search in the form that the load generator reads."""
    if text is None:
        return ""
    measure, equals, limit = (part.strip() for part in text.partition("="))
    if not equals or measure not in MEASURES:
        raise UsageError(
            f"--search {text}: write a measure and its bound, as p99=20ms. Measures: {', '.join(MEASURES)}"
        )
    seconds = duration("--search", limit)
    if seconds <= 0:
        raise UsageError("--search: the bound must be above 0, as p99=20ms")
    return f"{measure}={format_duration(seconds)}"


def _wait(option: str, text: str) -> float:
    seconds = duration(option, text)
    if seconds <= 0:
        raise UsageError(f"{option} {text}: must be more than 0, as 2s")
    return seconds


def _word(option: str, word: str | None, known: Sequence[str]) -> str | None:
    if word is None or word in known:
        return word
    raise UsageError(f"{option} {word}: must be one of {', '.join(known)}{nearest(word, known)}")


def _authority(options: Options, dsn: Dsn) -> str | None:
    if options.tls_ca is None and options.tls and not options.tls.startswith("verify"):
        return None  # The option overrides the DSN.
    file = str(options.tls_ca) if options.tls_ca is not None else dsn.tls_ca
    if file and not Path(file).is_file():
        name = "sslrootcert of the DSN:" if options.tls_ca is None else "--tls-ca"
        raise UsageError(f"{name} {file}: the file does not exist")
    return file or None


def _as_option(problem: str) -> str:
    """Rewrite a message about a setting as one about the option."""
    key, colon, rest = problem.partition(":")
    return f"--{key.replace('_', '-')}{colon}{rest}"
