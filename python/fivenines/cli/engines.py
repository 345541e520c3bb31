"""`fivenines engines`: the database servers that solutions run on."""

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
    help="List, fetch and remove database servers.", cls=Group, no_args_is_help=True, rich_markup_mode="rich"
)

Names = Annotated[
    list[str], typer.Argument(help="Names of engines.", metavar="ENGINE...", autocompletion=complete.engines)
]


@app.command("list", cls=Command)
def list_(wide: Wide = False, as_json: AsJson = False) -> None:
    """List the engines, which of them are here, and how big they are.

    \b
    fivenines engines list
    fivenines engines list --wide
    """
    from fivenines.cli import console
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
    # a description takes a line of its own, or several: those who want to read do not look for one engine
    told = wide or console.stdout().width >= _ROOM
    console.table(
        ["engine", "here", "version", "size", *(["description"] if told else [])],
        [
            [
                engine.name,
                "yes" if status.installed else "no",
                status.version or "-",
                console.size(status.size_bytes) if status.size_bytes else "-",
                *([_description(engine, status)] if told else []),
            ]
            for engine, status in found
        ],
        right=["size"],
        wide=wide,
    )
    if not told:
        console.note("what each of them is: fivenines engines list --wide")


# Columns of a terminal from which on there is room for a description.
_ROOM = 120


def _description(engine: "Engine", status: "EngineStatus") -> str:
    return engine.description + (f" ({status.detail})" if status.detail else "")


@app.command(cls=Command)
def pull(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Names of engines.", metavar="[ENGINE...]", autocompletion=complete.engines),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All that the cache can hold.")] = False,
) -> None:
    """Fetch or build engines into the cache; an experiment also does it by itself.

    \b
    fivenines engines pull postgres-18
    fivenines engines pull --all
    """
    from fivenines.cli import console
    from fivenines.errors import UsageError
    from fivenines.software.base import CachedEngine
    from fivenines.software.store import engine, engines

    if bool(names) == every:
        raise UsageError("name the engines to fetch, or write --all (`fivenines engines list`)")
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
            help="An archive (.tar, .tar.gz, .tar.xz or .tar.zst), or a folder with the programs.",
            metavar="PATH",
        ),
    ],
) -> None:
    """Put a database server that cannot be fetched among the engines.

    \b
    MySQL NDB Cluster is one: its generic Linux archive is on MySQL's site.

    An archive is unpacked into the cache. A folder is used where it is: a tarball that you have unpacked,
    or /usr with installed packages.

    \b
    fivenines engines add mysql-cluster-9.7.2-linux-glibc2.28-x86_64.tar.xz
    fivenines engines add /opt/mysql-cluster
    """
    from fivenines.errors import UsageError
    from fivenines.software import ndb_archive

    one = ndb_archive.NdbArchive()
    if path.is_dir():
        with _reporter(one.name) as report:
            one.adopt(path.resolve(), report)
    elif not path.is_file():
        raise UsageError(f"there is no file and no folder {path}")
    elif not ndb_archive.takes(path):
        raise UsageError(
            f"{path.name} is no archive that is known by its name\n"
            "    allowed: mysql-cluster-9.7*.tar*, mysql-ndb-9.7*.tar* (MySQL NDB Cluster)"
        )
    else:
        one.archive = path.absolute()
        with _reporter(one.name) as report:
            one.replace(report)
    _say_what_is_there(one)


@app.command(cls=Command)
def build(
    name: Annotated[
        str, typer.Argument(help="Name of an engine.", metavar="ENGINE", autocompletion=complete.engines)
    ],
    folder: Annotated[
        Path | None, typer.Option(help="Where to build; default: beside the cache's engines.", metavar="DIR")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Compilers at once; default: one for each core.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what is missing, and the commands.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Build a database server from Debian's source package, where nobody ships it ready.

    It takes hours. What was done is not done again: after an interruption, give the same command.

    \b
    fivenines engines build mysql-ndb-9.7 --dry-run
    fivenines engines build mysql-ndb-9.7 --yes
    """
    from fivenines.cli import console
    from fivenines.errors import UsageError
    from fivenines.software import ndb_build
    from fivenines.software.ndb_archive import NdbArchive

    one = NdbArchive()
    if name != one.name:
        raise UsageError(
            f"{name} is not built by fivenines: run `fivenines engines pull {name}`\n    allowed: {one.name}"
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
        raise UsageError("what is missing has to be there first: see above")
    if not (yes or typer.confirm("go on?")):
        raise typer.Exit(1)
    with _reporter(one.name) as report:
        build.run(report)
        one.made = build.result
        one.replace(report)
    _say_what_is_there(one)
    console.say(f"the folder {build.folder} is not needed any more")


def _say_what_is_there(one: "Engine") -> None:
    from fivenines.cli import console

    status = one.status()
    console.say(f"{one.name} {status.version}: {console.size(status.size_bytes)}, {status.path}")


@app.command(cls=Command)
def remove(names: Names) -> None:
    """Remove engines from the cache; they can be fetched again.

    \b
    fivenines engines remove mariadb-10.11
    """
    from fivenines.cli import console
    from fivenines.software.store import engine

    for one in [engine(name) for name in names]:
        one.remove()
        console.say(f"removed {one.name}")


@contextmanager
def _reporter(name: str) -> "Iterator[Report]":
    """A pull's progress, shown as a campaign's would be."""
    from fivenines.cli.progress import listener
    from fivenines.runner.progress import EnginePull

    with listener() as listen:
        yield lambda message, fraction: listen(EnginePull(name, message, fraction))
