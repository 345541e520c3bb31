"""`fivenines bench`: run the load generator alone, against any running server."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from typing import Any, get_type_hints

import typer

from fivenines.cli.bench.options import Options


def bench(**options: Any) -> None:
    """Run a load against any database server, without a lab.

    \b
    fivenines bench --dsn mysql://sbtest:secret@127.0.0.1/sbtest --prepare
    fivenines bench --rate 100                 on the deployment of `fivenines up`
    fivenines bench --dsn postgresql://me@db/test --workload tatp --prepare \\
        --connections 64 --rate 5000 --duration 60s

    A DSN can name several hosts, a Unix socket and options:

    \b
    mysql://me@h1:3306,h2:3306/db              the writable host
    mysql://me@%2Frun%2Fmysqld%2Fmysqld.sock/db
    postgresql://me@db/test?sslmode=verify-full&sslrootcert=ca.pem
    'odbc:Driver={MariaDB Unicode};Server=db;Port=3306;Database=test;UID=me'
    odbc:DSN=name                              any ODBC driver of odbcinst.ini
    noop://                                    no server: test the generator

    If the DSN has no password, $MYSQL_PWD, $PGPASSWORD or $ODBC_PWD is used.

    Progress goes to stderr, one line per second (with --rate also the backlog).
    Results go to stdout as tables or JSON. Ctrl-C ends the load and keeps its results.

    Exit codes: 0 the load ran, possibly with errors, which are shown;
    1 it failed, most transactions failed, or --check found a violation;
    2 wrong options; 130 interrupted.
    """
    from fivenines.cli.bench.run import run

    code = run(Options(**options))
    if code:
        raise typer.Exit(code)


def _signature() -> Signature:
    """Return the options as a signature, from which Typer reads them."""
    types = get_type_hints(Options, include_extras=True)
    return Signature(
        [
            Parameter(
                field.name,
                Parameter.KEYWORD_ONLY,
                default=Parameter.empty if field.default is MISSING else field.default,
                annotation=types[field.name],
            )
            for field in fields(Options)
        ]
    )


bench.__signature__ = _signature()  # type: ignore[attr-defined]
