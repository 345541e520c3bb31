"""The options of `fivenines bench`: the one list of them, with their help.

What they may say, and what holds where they say nothing, is in the models that they fill: `LoadSettings` and
the settings of workloads.
"""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer


def _workloads(incomplete: str) -> list[str]:
    """Kinds of workloads, for the shell's completion."""
    from fivenines.cli.bench_workload import kinds

    return [name for name in kinds() if name.startswith(incomplete)]


def _option(panel: str, metavar: str, text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, metavar=metavar or None, rich_help_panel=panel, **more)


# Options of each panel of the help.
_server, _workload, _load, _failures, _results = (
    partial(_option, panel) for panel in ("Server", "Workload", "Load", "Failures", "Results")
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command line, an attribute for each option."""

    dsn: Annotated[
        str | None,
        _server(
            "URL",
            "Server, account and database, see the examples above; or $FIVENINES_DSN; default: what is up.",
            envvar="FIVENINES_DSN",
            show_envvar=False,
        ),
    ] = None
    read: Annotated[
        str | None, _server("HOSTS", "Servers for read-only transactions. Example: --read h2:3306,h3:3306")
    ] = None
    read_share: Annotated[
        float | None,
        _server(
            "PERCENT",
            "Percentage of read-only transactions that go there; default all. Example: --read-share 80",
        ),
    ] = None
    find: Annotated[
        str | None,
        _server(
            "WHICH",
            "Of several hosts take the one that is writable, or any (proxies); default "
            "writable, any for one host. Example: --find any",
        ),
    ] = None
    dialect: Annotated[
        str | None,
        _server(
            "NAME",
            "SQL of a server by ODBC, where its name does not tell: mysql, postgres, soliddb, oracle, "
            "sqlserver, db2. Example: --dialect mysql",
        ),
    ] = None
    spread: Annotated[
        str | None,
        _server(
            "HOW",
            "Host that connections try first: first, all (one after the other), random. "
            "Example: --spread all",
        ),
    ] = None
    tls: Annotated[
        str | None,
        _server(
            "MODE", "disable, prefer (default), require, verify-ca, verify-full. Example: --tls verify-full"
        ),
    ] = None
    bind: Annotated[
        str | None,
        _server(
            "ADDRESSES",
            "Addresses of this machine to connect from, in turn: each has 28,000 ports. Example: "
            "--bind 10.0.0.5,10.0.0.6",
        ),
    ] = None
    tls_ca: Annotated[
        Path | None, _server("FILE", "Authority that verify-* trusts. Example: --tls-ca ca.pem")
    ] = None
    workload: Annotated[
        list[str] | None,
        _workload(
            "KIND[@WEIGHT]",
            "What to run; default oltp_read_write. Repeated, transactions are drawn by weight. "
            "Example: --workload oltp_read_only@4 --workload tatp@1",
            autocompletion=_workloads,
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        _workload(
            "KEY=VALUE",
            "A setting of the workload, as in experiment files; of one of several as "
            "KIND.KEY. Example: --set subscribers=20000 --set mix=r20w80",
            "--set",
        ),
    ] = None
    tables: Annotated[int | None, _workload("N", "Tables of oltp_*; default 4. Example: --tables 10")] = None
    table_size: Annotated[
        int | None, _workload("ROWS", "Rows in each; default 10000. Example: --table-size 1000000")
    ] = None
    script: Annotated[
        list[str] | None,
        _workload(
            "FILE[@WEIGHT]",
            "Custom transactions: pgbench's SQL, or sysbench's .lua with its options at the end. Example: "
            "--script my.sql@3 --script oltp_read_only.lua -- --tables=4",
        ),
    ] = None
    define: Annotated[
        list[str] | None,
        _workload("NAME=VALUE", "Value of :NAME in .sql scripts. Example: --define scale=10"),
    ] = None
    prepare: Annotated[
        bool,
        _workload(
            "",
            "First make and fill the workload's tables, if they are not there yet. "
            "Example: --workload tpcc --set warehouses=10 --prepare --duration 0s",
            "--prepare",
        ),
    ] = False
    drop: Annotated[
        bool, _workload("", "Drop tables of these names before. Example: --prepare --drop", "--drop")
    ] = False
    threads: Annotated[
        int | None,
        _workload("N", "Connections that fill tables. Example: --prepare --threads 8", show_default="4"),
    ] = None
    connections: Annotated[
        str | None,
        _load(
            "N",
            "Connections, each running one transaction after the other; or steps. Example: "
            "--connections 8@10s,64@10s,512@10s",
            show_default="8",
        ),
    ] = None
    rate: Annotated[
        str | None,
        _load(
            "RATE",
            "Transactions per second of all connections together (open loop: response times "
            "count from the intended start); or steps. Example: --rate 1000@10s,2000@10s",
        ),
    ] = None
    arrivals: Annotated[
        str | None,
        _load(
            "HOW",
            "How intended starts are spread: constant (default) or poisson. Example: "
            "--rate 5000 --arrivals poisson",
        ),
    ] = None
    search: Annotated[
        str | None,
        _load("PNN=TIME", "Look for the highest rate that keeps a percentile. Example: --search p99=20ms"),
    ] = None
    think_time: Annotated[
        str | None, _load("TIME", "Pause of a connection between transactions. Example: --think-time 100ms")
    ] = None
    think_distribution: Annotated[
        str | None,
        _load("HOW", "constant (default) or exponential pauses. Example: --think-distribution exponential"),
    ] = None
    protocol: Annotated[
        str | None,
        _load(
            "HOW",
            "How statements are executed: prepared (default) once for each connection, or extended: parsed "
            "with each execution, behind a pooler that changes the server between two transactions "
            "(PostgreSQL). Example: --protocol extended",
        ),
    ] = None
    burst: Annotated[
        bool,
        _load(
            "",
            "Connect all at once at the start, and measure it. Example: --burst --connections 4000",
            "--burst",
        ),
    ] = False
    storm: Annotated[
        bool,
        _load(
            "",
            "Where connections rise in steps, make all new ones at once. Example: --storm "
            "--connections 4000@10s,40000@20s",
            "--storm",
        ),
    ] = False
    duration: Annotated[
        str | None,
        _load(
            "TIME",
            "How long; default 10s, with steps their sum, with --transactions until they are "
            "done. Example: --duration 5m",
        ),
    ] = None
    transactions: Annotated[
        str | None,
        _load(
            "N",
            "Fixed work: end when so many are done, of all connections together, or each=N of each; what "
            "fails is done by another. Example: --transactions 100000",
        ),
    ] = None
    warmup: Annotated[str | None, _load("TIME", "First so long without figures. Example: --warmup 30s")] = (
        None
    )
    seed: Annotated[
        int, _load("N", "Of all random numbers: the same seed, the same statements. Example: --seed 42")
    ] = 1
    retries: Annotated[
        int | None,
        _failures(
            "N",
            "Try a failed transaction again so often; default 0. Its time spans all attempts. "
            "Example: --retries 3",
        ),
    ] = None
    retry_on: Annotated[
        str | None,
        _failures(
            "CLASSES",
            "After which failures; default deadlock,conflict,lock_timeout. Example: "
            "--retries 3 --retry-on deadlock",
        ),
    ] = None
    reconnect: Annotated[
        str | None,
        _failures(
            "WHEN",
            "A new connection: session (never, the default), transaction (after each), query (also after "
            "each statement outside of one), random (drawn for each), or after N. Example: --reconnect 100",
        ),
    ] = None
    answer_timeout: Annotated[
        str | None,
        _failures(
            "TIME",
            "Give a connection up after so long without an answer; default 30s, or none. "
            "Example: --answer-timeout 2s",
        ),
    ] = None
    connect_timeout: Annotated[
        str | None,
        _failures("TIME", "Bound on connecting and logging in; default 10s. Example: --connect-timeout 2s"),
    ] = None
    keepalive: Annotated[
        str | None,
        _failures(
            "TIMES",
            "TCP keepalive: silence before the first question, time between two, and how "
            "many; default 15s,15s,9, or off. Example: --keepalive 5s,1s,3",
        ),
    ] = None
    check: Annotated[
        bool,
        _failures(
            "",
            "Afterwards ask the server whether the data are as the workload demands. "
            "Example: --workload tpcc --check",
            "--check",
        ),
    ] = False
    out: Annotated[
        Path | None,
        _results(
            "DIR",
            "Keep load.json, latency.hlog (HdrHistogram), timeline.csv and summary.csv. "
            "Example: --out results/monday",
        ),
    ] = None
    as_json: Annotated[
        bool, _results("", "Print JSON for scripts. Example: --json > result.json", "--json")
    ] = False
    metrics: Annotated[
        str | None, _results("[HOST:]PORT", "Offer Prometheus metrics while it runs. Example: --metrics 9187")
    ] = None
    quiet: Annotated[bool, _results("", "No live lines.", "--quiet", "-q")] = False
    script_options: Annotated[
        list[str] | None,
        typer.Argument(
            help="Behind --: the own options of a Lua script.", metavar="[-- SCRIPT-OPTIONS]", hidden=True
        ),
    ] = None
