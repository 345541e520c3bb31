"""The options of `fivenines bench`: the one list of them, with their help.

What they may say, and what holds where they say nothing, is in the models that they fill: `LoadSettings` and
the settings of workloads.
"""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

_SERVER = "Server"
_WORKLOAD = "Workload"
_LOAD = "Load"
_FAILURES = "Failures"
_RESULTS = "Results"


def _workloads(incomplete: str) -> list[str]:
    """Kinds of workloads, for the shell's completion."""
    from fivenines.cli.bench_workload import kinds

    return [name for name in kinds() if name.startswith(incomplete)]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command line, an attribute for each option."""

    dsn: Annotated[
        str,
        typer.Option(
            help="Server, account and database, see the examples above; or $FIVENINES_DSN.",
            metavar="URL",
            envvar="FIVENINES_DSN",
            show_envvar=False,
            rich_help_panel=_SERVER,
        ),
    ]
    read: Annotated[
        str | None,
        typer.Option(
            help="Servers for read-only transactions. Example: --read h2:3306,h3:3306",
            metavar="HOSTS",
            rich_help_panel=_SERVER,
        ),
    ] = None
    read_share: Annotated[
        float | None,
        typer.Option(
            help="Percentage of read-only transactions that go there; default all. "
            "Example: --read-share 80",
            metavar="PERCENT",
            rich_help_panel=_SERVER,
        ),
    ] = None
    find: Annotated[
        str | None,
        typer.Option(
            help="Of several hosts take the one that is writable, or any (proxies); default "
            "writable, any for one host. Example: --find any",
            metavar="WHICH",
            rich_help_panel=_SERVER,
        ),
    ] = None
    spread: Annotated[
        str | None,
        typer.Option(
            help="Host that connections try first: first, all (one after the other), random. "
            "Example: --spread all",
            metavar="HOW",
            rich_help_panel=_SERVER,
        ),
    ] = None
    tls: Annotated[
        str | None,
        typer.Option(
            help="disable, prefer (default), require, verify-ca, verify-full. Example: "
            "--tls verify-full",
            metavar="MODE",
            rich_help_panel=_SERVER,
        ),
    ] = None
    tls_ca: Annotated[
        Path | None,
        typer.Option(
            help="Authority that verify-* trusts. Example: --tls-ca ca.pem",
            metavar="FILE",
            rich_help_panel=_SERVER,
        ),
    ] = None
    workload: Annotated[
        list[str] | None,
        typer.Option(
            help="What to run; default oltp_read_write. Repeated, transactions are drawn by weight. "
            "Example: --workload oltp_read_only@4 --workload tatp@1",
            metavar="KIND[@WEIGHT]",
            autocompletion=_workloads,
            rich_help_panel=_WORKLOAD,
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A setting of the workload, as in experiment files; of one of several as "
            "KIND.KEY. Example: --set subscribers=20000 --set mix=r20w80",
            metavar="KEY=VALUE",
            rich_help_panel=_WORKLOAD,
        ),
    ] = None
    tables: Annotated[
        int | None,
        typer.Option(
            help="Tables of oltp_*; default 4. Example: --tables 10",
            metavar="N",
            rich_help_panel=_WORKLOAD,
        ),
    ] = None
    table_size: Annotated[
        int | None,
        typer.Option(
            help="Rows in each; default 10000. Example: --table-size 1000000",
            metavar="ROWS",
            rich_help_panel=_WORKLOAD,
        ),
    ] = None
    script: Annotated[
        list[str] | None,
        typer.Option(
            help="Own transactions: .sql, or sysbench's .lua with its options at the end. Example: "
            "--script my.sql@3 --script oltp_read_only.lua -- --tables=4",
            metavar="FILE[@WEIGHT]",
            rich_help_panel=_WORKLOAD,
        ),
    ] = None
    define: Annotated[
        list[str] | None,
        typer.Option(
            help="Value of :NAME in .sql scripts. Example: --define scale=10",
            metavar="NAME=VALUE",
            rich_help_panel=_WORKLOAD,
        ),
    ] = None
    prepare: Annotated[
        bool,
        typer.Option(
            "--prepare",
            help="First make and fill the workload's tables, if they are not there yet. "
            "Example: --workload tpcc --set warehouses=10 --prepare --duration 0s",
            rich_help_panel=_WORKLOAD,
        ),
    ] = False
    drop: Annotated[
        bool,
        typer.Option(
            "--drop",
            help="Drop tables of these names before. Example: --prepare --drop",
            rich_help_panel=_WORKLOAD,
        ),
    ] = False
    threads: Annotated[
        int | None,
        typer.Option(
            help="Connections that fill tables. Example: --prepare --threads 8",
            metavar="N",
            show_default="4",
            rich_help_panel=_WORKLOAD,
        ),
    ] = None
    connections: Annotated[
        str | None,
        typer.Option(
            help="Connections, each running one transaction after the other; or steps. Example: "
            "--connections 8@10s,64@10s,512@10s",
            metavar="N",
            show_default="8",
            rich_help_panel=_LOAD,
        ),
    ] = None
    rate: Annotated[
        str | None,
        typer.Option(
            help="Transactions per second of all connections together (open loop: response times "
            "count from the intended start); or steps. Example: --rate 1000@10s,2000@10s",
            metavar="RATE",
            rich_help_panel=_LOAD,
        ),
    ] = None
    arrivals: Annotated[
        str | None,
        typer.Option(
            help="How intended starts are spread: constant (default) or poisson. Example: "
            "--rate 5000 --arrivals poisson",
            metavar="HOW",
            rich_help_panel=_LOAD,
        ),
    ] = None
    search: Annotated[
        str | None,
        typer.Option(
            help="Look for the highest rate that keeps a percentile. Example: --search p99=20ms",
            metavar="PNN=TIME",
            rich_help_panel=_LOAD,
        ),
    ] = None
    think_time: Annotated[
        str | None,
        typer.Option(
            help="Pause of a connection between transactions. Example: --think-time 100ms",
            metavar="TIME",
            rich_help_panel=_LOAD,
        ),
    ] = None
    think_distribution: Annotated[
        str | None,
        typer.Option(
            help="constant (default) or exponential pauses. Example: --think-distribution "
            "exponential",
            metavar="HOW",
            rich_help_panel=_LOAD,
        ),
    ] = None
    burst: Annotated[
        bool,
        typer.Option(
            "--burst",
            help="Connect all at once at the start, and measure it. Example: --burst "
            "--connections 4000",
            rich_help_panel=_LOAD,
        ),
    ] = False
    duration: Annotated[
        str | None,
        typer.Option(
            help="How long; default 10s, with steps their sum, with --transactions until they are "
            "done. Example: --duration 5m",
            metavar="TIME",
            rich_help_panel=_LOAD,
        ),
    ] = None
    transactions: Annotated[
        int | None,
        typer.Option(
            help="Stop after so many. Example: --transactions 100000",
            metavar="N",
            rich_help_panel=_LOAD,
        ),
    ] = None
    warmup: Annotated[
        str | None,
        typer.Option(
            help="First so long without figures. Example: --warmup 30s",
            metavar="TIME",
            rich_help_panel=_LOAD,
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(
            help="Of all random numbers: the same seed, the same statements. Example: --seed 42",
            metavar="N",
            rich_help_panel=_LOAD,
        ),
    ] = 1
    retries: Annotated[
        int | None,
        typer.Option(
            help="Try a failed transaction again so often; its time spans all attempts. "
            "Example: --retries 3",
            metavar="N",
            rich_help_panel=_FAILURES,
        ),
    ] = None
    retry_on: Annotated[
        str | None,
        typer.Option(
            help="After which failures; default deadlock,conflict,lock_timeout. Example: "
            "--retries 3 --retry-on deadlock",
            metavar="CLASSES",
            rich_help_panel=_FAILURES,
        ),
    ] = None
    reconnect: Annotated[
        int | None,
        typer.Option(
            help="A new connection after so many transactions; 0: never. Example: --reconnect 100",
            metavar="N",
            rich_help_panel=_FAILURES,
        ),
    ] = None
    answer_timeout: Annotated[
        str | None,
        typer.Option(
            help="Give a connection up after so long without an answer; default 30s, or none. "
            "Example: --answer-timeout 2s",
            metavar="TIME",
            rich_help_panel=_FAILURES,
        ),
    ] = None
    connect_timeout: Annotated[
        str | None,
        typer.Option(
            help="Bound on connecting and logging in; default 10s. Example: --connect-timeout 2s",
            metavar="TIME",
            rich_help_panel=_FAILURES,
        ),
    ] = None
    keepalive: Annotated[
        str | None,
        typer.Option(
            help="TCP keepalive: silence before the first question, time between two, and how "
            "many; default 15s,15s,9, or off. Example: --keepalive 5s,1s,3",
            metavar="TIMES",
            rich_help_panel=_FAILURES,
        ),
    ] = None
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Afterwards ask the server whether the data are as the workload demands. "
            "Example: --workload tpcc --check",
            rich_help_panel=_FAILURES,
        ),
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(
            help="Keep load.json, latency.hlog (HdrHistogram), timeline.csv and summary.csv. "
            "Example: --out results/monday",
            metavar="DIR",
            rich_help_panel=_RESULTS,
        ),
    ] = None
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print JSON for scripts. Example: --json > result.json",
            rich_help_panel=_RESULTS,
        ),
    ] = False
    metrics: Annotated[
        str | None,
        typer.Option(
            help="Offer Prometheus metrics while it runs. Example: --metrics 9187",
            metavar="[HOST:]PORT",
            rich_help_panel=_RESULTS,
        ),
    ] = None
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="No live lines.", rich_help_panel=_RESULTS),
    ] = False
    script_options: Annotated[
        list[str] | None,
        typer.Argument(
            help="Behind --: the own options of a Lua script.",
            metavar="[-- SCRIPT-OPTIONS]",
            hidden=True,
        ),
    ] = None
