"""`fivenines engines`: manage database server binaries."""

# ruff: noqa: PLC0415  (what a command needs is imported when it runs: --help answers at once)

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivenines.cli import complete
from fivenines.cli.options import AsJson, Wide
from fivenines.cli.program import Command, Group

if TYPE_CHECKING:
    from fivenines.software.base import Engine, EngineStatus, Report

app = typer.Typer(
    help="List, fetch and remove database server binaries.",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Names = Annotated[
    list[str], typer.Argument(help="Names of engines.", metavar="ENGINE...", autocompletion=complete.engines)
]


@app.command("list", cls=Command)
def list_(wide: Wide = False, as_json: AsJson = False) -> None:
    """List the engines, whether they are installed, and their size.

    \b
    fivenines engines list
    fivenines engines list --wide
    """
    from fivenines.cli.output import console
    from fivenines.software.store import engines

    found = [(engine, engine.status()) for engine in engines()]
    if as_json:
        console.as_json(
            [
                {"name": engine.name, "description": engine.description, **asdict(status)}
                for engine, status in found
            ]
        )
        return
    # A description takes one or more lines, which hides the names in a narrow terminal.
    described = wide or console.stdout().width >= _ROOM
    console.table(
        ["engine", "installed", "version", "size", *(["description"] if described else [])],
        [
            [
                engine.name,
                "yes" if status.installed else "no",
                status.version or "-",
                console.size(status.size_bytes) if status.size_bytes else "-",
                *([_description(engine, status)] if described else []),
            ]
            for engine, status in found
        ],
        right=["size"],
        wide=wide,
    )
    if not described:
        console.note("to show descriptions: fivenines engines list --wide")


# Least width of a terminal, in columns, that shows descriptions.
_ROOM = 120


def _description(engine: "Engine", status: "EngineStatus") -> str:
    return engine.description + (f" ({status.detail})" if status.detail else "")


@app.command(cls=Command)
def pull(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of engines.", metavar="[ENGINE...]", autocompletion=complete.engines),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Fetch all engines that can be cached.")] = False,
) -> None:
    """Fetch or build engines into the cache; experiments do so on demand.

    \b
    fivenines engines pull postgres-18
    fivenines engines pull --all
    """
    from fivenines.base.errors import UsageError
    from fivenines.cli.output import console
    from fivenines.software.base import CachedEngine
    from fivenines.software.store import engine, engines

    if bool(names) == every:
        raise UsageError("name the engines to fetch, or add --all (see `fivenines engines list`)")
    named = [engine(name) for name in names or []]
    for one in named or [one for one in engines() if isinstance(one, CachedEngine) and one.fetched]:
        with _reporter(one.name) as report:
            one.pull(report)
        status = one.status()
        console.say(f"{one.name} {status.version}: {console.size(status.size_bytes)}, {status.path}")
        if status.detail:
            console.say(f"{one.name}: {status.detail}")


@app.command(cls=Command)
def add(
    path: Annotated[
        Path,
        typer.Argument(
            help="Archive (.tar, .tar.gz, .tar.xz or .tar.zst), or folder with the programs.", metavar="PATH"
        ),
    ],
) -> None:
    """Add a database server that cannot be fetched automatically.

    Needed for MySQL NDB Cluster: download its generic Linux archive from MySQL's site.

    An archive is unpacked into the cache. A folder is used in place: an unpacked tarball,
    or /usr with installed packages.

    \b
    fivenines engines add mysql-cluster-9.7.2-linux-glibc2.28-x86_64.tar.xz
    fivenines engines add /opt/mysql-cluster
    """
    from fivenines.base.errors import UsageError
    from fivenines.software.engines import ndb_archive

    one = ndb_archive.NdbArchive()
    if path.is_dir():
        with _reporter(one.name) as report:
            one.adopt(path.resolve(), report)
    elif not path.is_file():
        raise UsageError(f"{path}: no such file or folder")
    elif not ndb_archive.takes(path):
        raise UsageError(
            f"{path.name}: unknown archive\n"
            "    allowed: mysql-cluster-9.7*.tar*, mysql-ndb-9.7*.tar* (MySQL NDB Cluster)"
        )
    else:
        one.archive = path.absolute()
        with _reporter(one.name) as report:
            one.replace(report)
    _say_installed(one)


@app.command(cls=Command)
def build(
    name: Annotated[
        str, typer.Argument(help="Name of an engine.", metavar="ENGINE", autocompletion=complete.engines)
    ],
    folder: Annotated[
        Path | None, typer.Option(help="Build folder; default: next to the cached engines.", metavar="DIR")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Number of parallel compilers; default: one per core.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list missing prerequisites and the commands.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Build a database server from Debian's source package, if there is no binary package.

    It takes hours. After an interruption, repeat the command to continue.

    \b
    fivenines engines build mysql-ndb-9.7 --dry-run
    fivenines engines build mysql-ndb-9.7 --yes
    """
    from fivenines.base.errors import UsageError
    from fivenines.cli.output import console
    from fivenines.software.engines import ndb_build
    from fivenines.software.engines.ndb_archive import NdbArchive

    one = NdbArchive()
    if name != one.name:
        raise UsageError(
            f"{name} cannot be built. Run `fivenines engines pull {name}` instead\n    allowed: {one.name}"
        )
    build = ndb_build.Build(folder or ndb_build.default_folder(), jobs)
    for line in ndb_build.announced(build):
        console.say(line)
    missing = build.missing()
    for line in missing:
        console.say(f"missing: {line}")
    if dry_run:
        for step in build.steps():
            console.say(f"{step.name}{' (done)' if build.done(step) else ''}:")
            console.say(f"  {step.shown}")
        return
    if missing:
        raise UsageError("install the missing prerequisites first, see above")
    if not (yes or typer.confirm("Continue?")):
        raise typer.Exit(1)
    with _reporter(one.name) as report:
        build.run(report)
        one.made = build.result
        one.replace(report)
    _say_installed(one)
    console.say(f"you can delete the folder {build.folder}")


def _say_installed(one: "Engine") -> None:
    from fivenines.cli.output import console

    status = one.status()
    console.say(f"{one.name} {status.version}: {console.size(status.size_bytes)}, {status.path}")


@app.command(cls=Command)
def remove(names: Names) -> None:
    """Remove engines from the cache; they can be fetched again.

    \b
    fivenines engines remove mariadb-10.11
    """
    from fivenines.cli.output import console
    from fivenines.software.store import engine

    for one in [engine(name) for name in names]:
        one.remove()
        console.say(f"removed {one.name}")


@contextmanager
def _reporter(name: str) -> "Iterator[Report]":
    """Show the progress of a pull like that of a campaign."""
    from fivenines.cli.experiments.progress import listener
    from fivenines.trial.progress import EnginePull

    with listener() as listen:
        yield lambda message, fraction: listen(EnginePull(name, message, fraction))
