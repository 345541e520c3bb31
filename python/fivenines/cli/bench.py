"""`fivenines bench`: the load generator alone, against any running server."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from typing import Any, get_type_hints

import typer

from fivenines.cli.bench_options import Options


def bench(**options: Any) -> None:
    """Put any running server under load, without a lab.

    \b
    fivenines bench --dsn mysql://sbtest:secret@127.0.0.1/sbtest --prepare
    fivenines bench --rate 100                 what `fivenines up` brought up
    fivenines bench --dsn postgresql://me@db/test --workload tatp --prepare \\
        --connections 64 --rate 5000 --duration 60s

    A DSN may name several hosts, a unix socket, and options:

    \b
    mysql://me@h1:3306,h2:3306/db              the one that takes writes
    mysql://me@%2Frun%2Fmysqld%2Fmysqld.sock/db
    postgresql://me@db/test?sslmode=verify-full&sslrootcert=ca.pem
    'odbc:Driver={MariaDB Unicode};Server=db;Port=3306;Database=test;UID=me'
    odbc:DSN=name                              ODBC: any driver of odbcinst.ini
    noop://                                    no server: the generator alone

    Without a password in it, $MYSQL_PWD, $PGPASSWORD or $ODBC_PWD counts.

    Each second a line goes to stderr, with --rate also the backlog.
    In the end tables, or JSON, go to stdout.
    Ctrl-C ends the load early and keeps its figures.

    Exit codes: 0 the load ran, perhaps with errors, which are shown;
    1 it failed, most transactions failed, or --check found a violation;
    2 a mistake in the options; 130 broken off.
    """
    from fivenines.cli.bench_run import run

    code = run(Options(**options))
    if code:
        raise typer.Exit(code)


def _signature() -> Signature:
    """The options as typer reads them from a function."""
    types = get_type_hints(Options, include_extras=True)
    return Signature(
        [
            Parameter(
                one.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if one.default is MISSING else one.default,
                annotation=types[one.name],
            )
            for one in fields(Options)
        ]
    )


bench.__signature__ = _signature()  # type: ignore[attr-defined]
