"""`fivenines stacks`: measure what a failover is to applications, with their drivers and pools."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from pathlib import Path
from typing import Annotated

import typer

from fivenines.cli.options import AsJson, Wide
from fivenines.cli.program import Command, Group

app = typer.Typer(
    help="Measure the outage that applications have, with their drivers and pools.",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.command("list", cls=Command)
def list_(wide: Wide = False, as_json: AsJson = False) -> None:
    """List the client stacks, their recommended settings, and whether they are built.

    \b
    fivenines stacks list
    fivenines stacks list --wide
    """
    from fivenines.cli.stacks.shown import show_kinds

    show_kinds(wide, as_json)


@app.command(cls=Command)
def build(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of stacks; default: all.", metavar="[STACK...]")
    ] = None,
) -> None:
    """Fetch the packages of client stacks into the cache; `stacks run` does so on demand.

    \b
    fivenines stacks build
    fivenines stacks build psycopg-pool
    """
    from fivenines.cli.stacks.run import built
    from fivenines.load.stacks.stack import stack, stacks

    built([stack(name) for name in names] if names else list(stacks().values()))


@app.command(cls=Command)
def doctor(as_json: AsJson = False) -> None:
    """Check that the programs of the client stacks start on this machine.

    \b
    fivenines stacks doctor

    Exit codes: 0 all that are built start; 1 one does not.
    """
    from fivenines.cli.stacks.doctor import doctor as check_all

    if code := check_all(as_json):
        raise typer.Exit(code)


@app.command(cls=Command)
def run(  # noqa: PLR0913, PLR0917  (each is an option of the command line)
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Stacks to run, each with its defaults, or with the settings that its documentation "
            "recommends.",
            metavar="[STACK[:recommended]...]",
        ),
    ] = None,
    dsn: Annotated[
        str | None,
        typer.Option(
            help="Servers, account and database, as for `bench`; default: $FIVENINES_DSN, else the running "
            "deployment.",
            metavar="URL",
            envvar="FIVENINES_DSN",
            show_envvar=False,
        ),
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            help="A stack of your own: a program that writes the line protocol. Can be repeated. "
            "Example: --program 'shop=./shop-stack'",
            metavar="NAME=COMMAND",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Setting of driver or pool. Can be repeated. Example: --set psycopg-pool.pool.timeout=2",
            metavar="STACK.KEY=VALUE",
        ),
    ] = None,
    duration: Annotated[
        str, typer.Option(help="Time to run. Example: --duration 2m", metavar="TIME")
    ] = "60s",
    workers: Annotated[
        int, typer.Option(help="Workers of each stack, which share its pool.", min=1, max=64)
    ] = 4,
    think: Annotated[
        str, typer.Option(help="Pause of a worker between two transactions.", metavar="TIME")
    ] = "100ms",
    repeat: Annotated[
        bool,
        typer.Option(
            "--repeat", help="Repeat operations that failed or are in doubt, as a blind retry does."
        ),
    ] = False,
    idempotent: Annotated[
        bool,
        typer.Option(
            "--idempotent", help="Repeat operations, which have a unique key: a second INSERT does nothing."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the lines of each stack.", metavar="DIR")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write with several stacks at the same time, while you break the cluster.

    Every worker commits one numbered row after the other. Afterwards the rows are counted:
    which operations were committed twice, and which were lost although acknowledged.

    \b
    fivenines up hot-standby
    fivenines stacks run psycopg-pool asyncpg-pool:recommended
    fivenines kill node1                                   in another terminal

    \b
    fivenines stacks run sqlalchemy-pymysql --dsn mysql://app:secret@proxy/shop
    fivenines stacks run --program 'shop=./shop-stack' --duration 2m

    Ctrl-C ends the stacks and keeps the results. Exit codes: 0 the stacks ran;
    1 a program failed or broke the protocol; 2 wrong options; 130 interrupted.
    """
    from fivenines.cli.stacks.run import Options
    from fivenines.cli.stacks.run import run as run_stacks

    options = Options(
        tuple(names or ()),
        dsn,
        tuple(program or ()),
        tuple(settings or ()),
        duration,
        workers,
        think,
        repeat,
        idempotent,
        out,
        as_json,
    )
    if code := run_stacks(options):
        raise typer.Exit(code)


@app.command(cls=Command)
def check(
    command: Annotated[
        str, typer.Argument(help="Command of the program, as one word in quotes.", metavar="COMMAND")
    ],
    dsn: Annotated[
        str | None,
        typer.Option(
            help="Server to write to; default: $FIVENINES_DSN, else the running deployment.",
            metavar="URL",
            envvar="FIVENINES_DSN",
            show_envvar=False,
        ),
    ] = None,
    duration: Annotated[str, typer.Option(help="Time to run.", metavar="TIME")] = "8s",
) -> None:
    """Check whether a program writes the line protocol, on a healthy server.

    \b
    fivenines up standalone
    fivenines stacks check ./shop-stack
    """
    from fivenines.cli.stacks.run import conforms

    if code := conforms(command, dsn, duration):
        raise typer.Exit(code)
