"""`fivenines bench`: the load generator alone, against any running server."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivenines.errors import UsageError

if TYPE_CHECKING:
    from fivenines.load.bench import Bench, Second


def bench(  # noqa: PLR0913  (one parameter for each option)
    *,
    dsn: Annotated[
        str,
        typer.Option(
            help="mysql://user:password@host:port/database, or postgresql://...; without a "
            "password, $MYSQL_PWD or $PGPASSWORD counts.",
            metavar="URL",
        ),
    ],
    workload: Annotated[
        str, typer.Option(help="A workload, as in experiment files.", metavar="KIND")
    ] = "oltp_read_write",
    connections: Annotated[int, typer.Option(min=1, max=100_000, help="Closed loop.")] = 8,
    duration: Annotated[str, typer.Option(help="With a unit, as in 30s, 5m.")] = "10s",
    tables: Annotated[int, typer.Option(min=1, max=1000, help="Number of tables.")] = 4,
    table_size: Annotated[int, typer.Option(min=1, help="Rows in each table.")] = 10_000,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="First make and fill the tables sbtest1, ...")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Keep histograms and time line here.", metavar="DIR")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Put any running server under load, without a lab.

    \b
    fivenines bench --dsn mysql://sbtest:secret@127.0.0.1/sbtest --prepare
    fivenines bench --dsn postgresql://me@db:5432/test --connections 64 --duration 1m
    """
    from fivenines.cli import console
    from fivenines.load import bench as generator

    asked = _asked(dsn, workload, connections, duration, tables, table_size)
    generator.check(asked.dsn, None if prepare else "sbtest1")
    if prepare:
        console.note(f"filling {tables} tables of {table_size} rows")
        generator.prepare(asked)

    def live(second: "Second") -> None:
        console.note(
            f"{second.t:5.0f} s  {second.tps:8.0f} tps  {second.qps:8.0f} qps"
            f"  {second.errors} errors"
        )

    result = generator.load(asked, live, out)
    if as_json:
        latency = asdict(result.latency) if result.latency else None
        console.as_json({"load": result.record, "latency_ms": latency})
    else:
        console.table(["measure", "value"], result.measures(), right=["value"])


def _asked(
    dsn: str, workload: str, connections: int, duration: str, tables: int, table_size: int
) -> "Bench":
    from pydantic import ValidationError

    from fivenines.experiment.mistakes import from_validation
    from fivenines.load.bench import Bench
    from fivenines.load.dsn import parse_dsn
    from fivenines.units import parse_duration
    from fivenines.workloads.oltp import Oltp

    try:
        seconds = parse_duration(duration)
    except ValueError as error:
        raise UsageError(f"--duration: {error}") from None
    if seconds <= 0:
        raise UsageError("--duration: a load of no duration measures nothing")
    asked: dict[str, Any] = {"workload": workload, "tables": tables, "table_size": table_size}
    try:
        settings = Oltp.model_validate(asked)
    except ValidationError as error:
        found = from_validation(Oltp, error.errors())
        raise UsageError("\n".join(one.block("bench") for one in found)) from None
    return Bench(parse_dsn(dsn), settings, connections, seconds)
