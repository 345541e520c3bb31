"""Chapter `configuration` of the report: the files that fivenines wrote, differences first."""

from collections.abc import Mapping, Sequence

from fivenines.analysis.configuration import NOT_SET, WHOLE, differences, kind, of_run
from fivenines.analysis.wording import count
from fivenines.report.chapters.data import Data
from fivenines.report.html.section import Drawer, Section, explained
from fivenines.report.table import Table
from fivenines.results.configuration import MARK, Configuration

# Longest value in a table; the file itself has the whole value.
_LONGEST = 300


def chapter(data: Data) -> Section:
    """Return the configuration of each solution, below the settings in which they differ."""
    configurations = of_run(data.run)
    if not configurations:
        return Section("configuration", "Configuration")
    differing = compared(configurations)
    n = sum(len(table.rows) for tables in differing.values() for table in tables)
    text = (
        f"The solutions differ in {count(n, 'setting')} of their files."
        if n
        else "No two solutions with the same kind of server differ in their files."
        if len(configurations) > 1
        else "These are the files of the deployment."
    )
    drawers = [
        *(Drawer(title, tables) for title, tables in differing.items()),
        *(Drawer(f"Files of {name}", source=files_text(one)) for name, one in configurations.items()),
        explained(
            f"A comment “{MARK}…” marks a line that fivenines needs for itself: an address or a path in its "
            "lab, or a size for several servers on one machine. Elsewhere, leave it out or replace it.",
            "Passwords are replaced by ***. `fivenines show RUN --out DIR` writes the files.",
        ),
    ]
    return Section(
        "configuration", "Configuration", [text, *_without_files(data, configurations)], drawers=drawers
    )


def _without_files(data: Data, known: Mapping[str, Configuration]) -> list[str]:
    """Return a sentence about solutions without files of fivenines."""
    names = [name for name in dict.fromkeys(cell.called for cell in data.done) if name not in known]
    if not names:
        return []
    return [
        f"fivenines wrote no files for {', '.join(names)}, or the run has not kept them: what the servers "
        "reported is in the chapter Settings."
    ]


def compared(configurations: Mapping[str, Configuration]) -> dict[str, list[Table]]:
    """Return the settings that differ: tables for each kind of server with several solutions, by a title."""
    groups: dict[str, list[str]] = {}
    for name, one in configurations.items():
        groups.setdefault(kind(one), []).append(name)
    found = {}
    for names in groups.values():
        if len(names) > 1 and (tables := _tables({name: configurations[name] for name in names})):
            found[f"Settings in which {_listed(names)} differ"] = tables
    return found


def _tables(configurations: Mapping[str, Configuration]) -> list[Table]:
    """Return a table for each file with different settings, and one of files that only some have."""
    rows: dict[str, list[list[str]]] = {}
    for one in differences(list(configurations.values())):
        values = [_shortened(NOT_SET if value is None else value) for value in one.values]
        file, setting = (WHOLE, one.file) if one.setting == WHOLE else (one.file, one.setting)
        rows.setdefault(file, []).append([setting, *values])
    names = _listed(list(configurations))
    return [
        Table(
            f"Files that not all of {names} have" if file == WHOLE else f"{file} of {names}",
            ["File" if file == WHOLE else "Setting", *configurations],
            own,
            wide=True,
        )
        for file, own in rows.items()
    ]


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}"


def files_text(configuration: Configuration) -> str:
    """Return all files as one text: equal files once, below the names of their hosts."""
    parts = []
    for hosts, file in configuration.grouped():
        parts.append(f"==> {', '.join(hosts)}: {file.path} <==\n{file.annotated() or '(an empty file)'}")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _shortened(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]} …"
