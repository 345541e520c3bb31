"""The options of `fivenines bench`, with their help.

Allowed values and defaults are defined by the models that they fill: `LoadSettings` and the workloads.
"""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer


def _workloads(incomplete: str) -> list[str]:
    """Return the workloads that complete a word in the shell."""
    from fivenines.cli.bench.workload import kinds

    return [name for name in kinds() if name.startswith(incomplete)]


def _option(panel: str, metavar: str, text: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, metavar=metavar or None, rich_help_panel=panel, **more)


# Options of each panel of the help.
_server, _workload, _load, _failures, _results = (
    partial(_option, panel) for panel in ("Server", "Workload", "Load", "Failures", "Results")
)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command line, with one attribute per option."""

    dsn: Annotated[
        str | None,
        _server(
            "URL",
            "Server, account and database, as above; default: $FIVENINES_DSN, else the running deployment.",
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
            "Percentage of read-only transactions sent to --read; default 100. Example: --read-share 80",
        ),
    ] = None
    find: Annotated[
        str | None,
        _server(
            "WHICH",
            "Which of several hosts to use: writable, or any (for proxies); default "
            "writable, any for one host. Example: --find any",
        ),
    ] = None
    dialect: Annotated[
        str | None,
        _server(
            "NAME",
            "SQL dialect of an ODBC server with an unknown name: mysql, postgres, soliddb, oracle, "
            "sqlserver, db2. Example: --dialect mysql",
        ),
    ] = None
    spread: Annotated[
        str | None,
        _server(
            "HOW", "Host that a connection tries first: first, all (in turn), random. Example: --spread all"
        ),
    ] = None
    tls: Annotated[
        str | None,
        _server(
            "MODE",
            "TLS mode: disable, prefer (default), require, verify-ca, verify-full. Example: --tls require",
        ),
    ] = None
    bind: Annotated[
        str | None,
        _server(
            "ADDRESSES",
            "Source addresses, used in turn: each has about 28,000 ports. Example: --bind 10.0.0.5,10.0.0.6",
        ),
    ] = None
    tls_ca: Annotated[
        Path | None, _server("FILE", "CA certificate for verify-ca and verify-full. Example: --tls-ca ca.pem")
    ] = None
    workload: Annotated[
        list[str] | None,
        _workload(
            "KIND[@WEIGHT]",
            "Workload to run; default oltp_read_write. Can be repeated to mix by weight. "
            "Example: --workload oltp_read_only@4 --workload tatp@1",
            autocompletion=_workloads,
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        _workload(
            "KEY=VALUE",
            "Setting of the workload, as in experiment files; with several workloads, "
            "KIND.KEY. Example: --set subscribers=20000 --set mix=r20w80",
            "--set",
        ),
    ] = None
    tables: Annotated[
        int | None, _workload("N", "Number of tables of oltp_*; default 4. Example: --tables 10")
    ] = None
    table_size: Annotated[
        int | None, _workload("ROWS", "Rows in each table; default 10000. Example: --table-size 1000000")
    ] = None
    script: Annotated[
        list[str] | None,
        _workload(
            "FILE[@WEIGHT]",
            "Custom transactions: pgbench SQL, or sysbench .lua with its options at the end. Example: "
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
            "Create and fill the workload's tables first, unless they exist. "
            "Example: --workload tpcc --set warehouses=10 --prepare --duration 0s",
            "--prepare",
        ),
    ] = False
    drop: Annotated[
        bool,
        _workload(
            "", "With --prepare, drop existing tables of these names. Example: --prepare --drop", "--drop"
        ),
    ] = False
    command: Annotated[
        str | None,
        _workload(
            "NAME",
            "Run this command of a Lua script and no load: cleanup, or one that the script defines. "
            "Example: --script tpcc.lua --command check",
        ),
    ] = None
    threads: Annotated[
        int | None,
        _workload(
            "N",
            "Number of connections with which --prepare fills the tables. Example: --prepare --threads 8",
            show_default="4",
        ),
    ] = None
    connections: Annotated[
        str | None,
        _load(
            "N",
            "Number of connections, each running one transaction at a time; or steps. Example: "
            "--connections 8@10s,64@10s,512@10s",
            show_default="8",
        ),
    ] = None
    rate: Annotated[
        str | None,
        _load(
            "RATE",
            "Total transactions per second (open loop: response times count from the "
            "intended start); or steps. Example: --rate 1000@10s,2000@10s",
        ),
    ] = None
    arrivals: Annotated[
        str | None,
        _load(
            "HOW",
            "Distribution of intended starts: constant (default) or poisson. Example: "
            "--rate 5000 --arrivals poisson",
        ),
    ] = None
    search: Annotated[
        str | None,
        _load(
            "PNN=TIME", "Find the highest rate whose response times meet a bound. Example: --search p99=20ms"
        ),
    ] = None
    think_time: Annotated[
        str | None,
        _load("TIME", "Pause of each connection between transactions. Example: --think-time 100ms"),
    ] = None
    think_distribution: Annotated[
        str | None,
        _load("HOW", "Pauses: constant (default) or exponential. Example: --think-distribution exponential"),
    ] = None
    protocol: Annotated[
        str | None,
        _load(
            "HOW",
            "How to execute statements: prepared (default) once per connection; extended: parsed at "
            "each execution, as needed behind a transaction pooler (PostgreSQL); simple: those of SQL files "
            "as text with the values in it. "
            "Example: --protocol extended",
        ),
    ] = None
    burst: Annotated[
        bool,
        _load(
            "",
            "Open all connections of the load at once at its start, and measure how long it takes; default: "
            "a few at a time. Example: --burst --connections 4000",
            "--burst",
        ),
    ] = False
    storm: Annotated[
        bool,
        _load(
            "",
            "With a sequence of --connections: open all new connections of each step at once. "
            "Example: --storm --connections 4000@10s,40000@20s",
            "--storm",
        ),
    ] = False
    duration: Annotated[
        str | None,
        _load(
            "TIME",
            "Duration of the load; default 10s, the sum of the steps, or until --transactions "
            "are done. Example: --duration 5m",
        ),
    ] = None
    transactions: Annotated[
        str | None,
        _load(
            "N",
            "Fixed work: end after N successful transactions in total, or after each=N per connection; given "
            "up after 30 s without any. "
            "Example: --transactions 100000",
        ),
    ] = None
    warmup: Annotated[
        str | None, _load("TIME", "Warm-up period, excluded from the results. Example: --warmup 30s")
    ] = None
    seed: Annotated[
        int,
        _load("N", "Seed of all random numbers: the same seed gives the same statements. Example: --seed 42"),
    ] = 1
    retries: Annotated[
        int | None,
        _failures(
            "N",
            "Retry a failed transaction up to N times; default 0. Response times span all attempts. "
            "Example: --retries 3",
        ),
    ] = None
    retry_on: Annotated[
        str | None,
        _failures(
            "CLASSES",
            "Failures to retry after; default deadlock,conflict,lock_timeout. Example: "
            "--retries 3 --retry-on deadlock",
        ),
    ] = None
    reconnect: Annotated[
        str | None,
        _failures(
            "WHEN",
            "When to reconnect; default: never (session). transaction: after each one; query: also after "
            "each single statement; random: now and then; N: after N transactions. Example: --reconnect 100",
        ),
    ] = None
    answer_timeout: Annotated[
        str | None,
        _failures(
            "TIME",
            "Close a connection after this time without an answer; default 30s, or none. "
            "Example: --answer-timeout 2s",
        ),
    ] = None
    connect_timeout: Annotated[
        str | None,
        _failures(
            "TIME", "Timeout for connecting and logging in; default 10s. Example: --connect-timeout 2s"
        ),
    ] = None
    keepalive: Annotated[
        str | None,
        _failures(
            "TIMES",
            "TCP keepalive: idle time before the first probe, interval, number of "
            "probes; default 15s,15s,9, or off. Example: --keepalive 5s,1s,3",
        ),
    ] = None
    check: Annotated[
        bool,
        _failures(
            "",
            "Check the invariants of the workload's data after the load. Example: --workload tpcc --check",
            "--check",
        ),
    ] = False
    out: Annotated[
        Path | None,
        _results(
            "DIR",
            "Write load.json, latency.hlog (HdrHistogram), timeline.csv and summary.csv to a folder. "
            "Example: --out results/monday",
        ),
    ] = None
    as_json: Annotated[
        bool, _results("", "Print JSON for scripts. Example: --json > result.json", "--json")
    ] = False
    metrics: Annotated[
        str | None,
        _results("[HOST:]PORT", "Serve Prometheus metrics during the load. Example: --metrics 9187"),
    ] = None
    quiet: Annotated[bool, _results("", "Show no live lines.", "--quiet", "-q")] = False
    script_options: Annotated[
        list[str] | None,
        typer.Argument(help="After --: options of a Lua script.", metavar="[-- SCRIPT-OPTIONS]", hidden=True),
    ] = None
