"""Reference pages, made from the settings models and the command line itself.

    python -m fivenines.reference docs/reference

A test compares the pages with what would be made, so they never fall behind.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_origin

import typer
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from fivenines.access.settings import AccessSettings
from fivenines.experiment import schema
from fivenines.experiment.allowed import Shape, allowed, discriminator
from fivenines.experiment.availability import AvailabilitySettings
from fivenines.experiment.cost import CostSettings
from fivenines.experiment.interleaved_settings import InterleavedSettings
from fivenines.experiment.ledger import LedgerSettings
from fivenines.experiment.mistakes import shown
from fivenines.experiment.spec import Experiment
from fivenines.experiment.timing import RecoverySettings, Timing
from fivenines.export.columns import ExportTable
from fivenines.export.tables import TABLES
from fivenines.faults.settings import FaultSettings
from fivenines.lab.settings import DirectionSettings, LinkSettings, NetworkSettings
from fivenines.lab.ssh.inventory import Inventory, LabSettings, MachineSettings
from fivenines.load.settings import LoadSettings
from fivenines.managers.settings import ManagerSettings
from fivenines.observe.settings import ObserveSettings
from fivenines.plugins import classes, kinds
from fivenines.programs.marks import MarkSettings
from fivenines.programs.root import RootSettings
from fivenines.programs.settings import ReadySettings
from fivenines.requirements.decide import DecideSettings
from fivenines.requirements.measures import listing
from fivenines.requirements.thresholds import ThresholdSettings
from fivenines.requirements.trials import TrialsSettings, UntilSettings
from fivenines.results import journal
from fivenines.settings import Settings
from fivenines.solutions.durability import DurabilitySettings
from fivenines.solutions.external_settings import Hooks
from fivenines.solutions.settings import HostLimits, SolutionSettings
from fivenines.solutions.sweep import SweepSettings, VariantSettings
from fivenines.studies.claims.base import ClaimTest
from fivenines.studies.claims.places import Side
from fivenines.studies.models import Cite, Claim, PartSettings, Published, Study, Unavailable
from fivenines.workloads.mix import Part
from fivenines.workloads.settings import WorkloadSettings

_MADE = "<!-- made by python -m fivenines.reference: change the models, not this page -->"

EXIT_CODES = (
    "0 all went well; 1 something failed; 2 the command line or the experiment file asks for something "
    "impossible; 3 a threshold failed; 130 interrupted."
)

_UNITS = """\
## Units

| what | units | examples |
|---|---|---|
| duration | `us`, `ms`, `s`, `m` or `min`, `h`, `d` | `500ms`, `10s`, `1m30s`, `90d` |
| size | `B`, `kB`, `MB`, `GB`, `TB` (powers of ten), `KiB`, `MiB`, `GiB`, `TiB` | `64MiB`, `2GB` |
| rate | `bit/s`, `kbit/s`, `Mbit/s`, `Gbit/s` | `57kbit/s`, `100Mbit/s` |

A number without a unit is refused, except 0."""


def pages() -> dict[str, str]:
    """The text of each page by its file name."""
    return {
        "experiment.md": experiment_page(),
        "study.md": study_page(),
        "cli.md": cli_page(),
        "export.md": export_page(),
        "journal.md": journal_page(),
        schema.NAME: schema.text(),
    }


def experiment_page() -> str:
    """The reference of experiment files."""
    sections = [
        "# Experiment files",
        _MADE,
        "An experiment is a YAML file. Its lists span a matrix: every solution with every "
        "workload, number of connections, network and fault is a cell, and each cell is measured "
        "in several trials, in an order that is interleaved and follows from the seed.\n\n"
        "`fivenines run FILE --dry-run` checks a file and shows the plan; "
        "`fivenines run FILE --show-defaults` prints it with all defaults written out.",
        _section("## The file", Experiment),
        "`parts` beside these keys makes several experiments of one file: `parts: {reads: {workloads: "
        "[oltp_read_only]}, loss: {faults: [kill]}}`. A part has what stands in the file in common, with its "
        "own keys merged over it: mappings deeply, all else is replaced. Each part has a plan and a run of "
        "its own: [several experiments in one file]"
        "(../how-to/write-an-experiment.md#several-experiments-in-one-file).",
        _family("Solutions", "solution", "fivenines.solutions", SolutionSettings),
        _section("### durability", DurabilitySettings),
        _section("### limits", HostLimits),
        _section("### hooks", Hooks),
        _section("### sweep", SweepSettings),
        _section("### variant", VariantSettings),
        _family("Access layers", "kind", "fivenines.access", AccessSettings),
        _family("Failover managers", "kind", "fivenines.managers", ManagerSettings),
        "## Programs of one's own\n\nOf access layers and failover managers of the kind `program`.",
        _section("### ready", ReadySettings),
        _section("### marks", MarkSettings),
        _section("### root", RootSettings),
        _family("Workloads", "workload", "fivenines.workloads", WorkloadSettings),
        _section("### parts", Part),
        _family("Faults", "fault", "fivenines.faults", FaultSettings),
        _section("## load", LoadSettings),
        _section("## lab", LabSettings),
        _section("### inventory", Inventory),
        _section("### machine", MachineSettings),
        _section("## network", NetworkSettings),
        _section("### link", LinkSettings),
        _section("### links", DirectionSettings),
        _section("## timing", Timing),
        _section("### recovery", RecoverySettings),
        _section("## interleaved", InterleavedSettings),
        _section("## ledger", LedgerSettings),
        _section("## observe", ObserveSettings),
        _section("## trials", TrialsSettings),
        _section("### until", UntilSettings),
        _section("## decide", DecideSettings),
        _measures(),
        _section("## thresholds", ThresholdSettings),
        _section("## availability", AvailabilitySettings),
        _section("## cost", CostSettings),
        _UNITS,
    ]
    return "\n\n".join(sections) + "\n"


def study_page() -> str:
    """The reference of study files."""
    tests = classes("fivenines.studies.claims", ClaimTest, without=("kinds",))  # type: ignore[type-abstract]
    every = {kind.key: kind for kind in tests if "key" in vars(kind)}
    sections = [
        "# Study files",
        _MADE,
        "A study is a YAML file: a published study as experiments, with its figures and its claims. "
        "`fivenines replicate FILE --dry-run` checks one. How they are made: "
        "[Add a study](../how-to/add-a-study.md). A part's `experiment` and `quick` have the keys of "
        "[experiment files](experiment.md).",
        _section("## The file", Study),
        _section("## cite", Cite),
        _section("## parts", PartSettings),
        _section("## unavailable", Unavailable),
        _section("## published", Published),
        _section("## claims", Claim),
        "## Tests\n\n`test: {NAME: {...}}`, or `test: {all: [...]}` and `{any: [...]}` of several tests, "
        "which hold if all of them do, or one of them.",
        *(_section(f"### {key}", kind) for key, kind in every.items()),
        _section("### side", Side),
    ]
    return "\n\n".join(sections) + "\n"


def _measures() -> str:
    """What needs, preferences, thresholds, sweeps and comparisons can name."""
    kinds = (
        "What has a unit has a value in each trial: its mean over the trials is judged, or a percentile of "
        "them (`p95`). What is counted in trials is an event: `= 0`, or a share of trials, no preference. "
        "A share is a part of 1, and may be written in per cent. Where neither more nor less is better, "
        "nothing can be preferred by it, and no sweep chooses by it. `of`: the steady window before any "
        "fault, the whole load, or what a fault did. `requirements`: what a trial must have for it."
    )
    rows = listing()
    heads = list(rows[0])
    lines = ["| " + " | ".join([f"`{row['name']}`", *list(row.values())[1:]]) + " |" for row in rows]
    table = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *lines]
    return "\n".join(["### Measures", "", kinds, "", *table])


def cli_page() -> str:
    """The reference of the command line."""
    from fivenines.cli.main import app  # noqa: PLC0415  (only this page needs the program)

    command: Any = typer.main.get_command(app)
    sections = [
        "# Command line",
        _MADE,
        _help(command),
        f"Exit codes: {EXIT_CODES}\n\n"
        "Results go to stdout, progress and errors to stderr. Colours only on a terminal, and not "
        "where `NO_COLOR` is set.\n\n"
        "`fivenines --install-completion` sets up the completion of bash, zsh or fish: commands, options, "
        "solutions, workloads, faults, engines, runs, and the nodes of what is up. Man pages are made by "
        "`python -m fivenines.manual DIR`.\n\n"
        "Environment: `FIVENINES_CACHE` (engines and data sets; default "
        "`$XDG_CACHE_HOME/fivenines` or `~/.cache/fivenines`), `FIVENINES_CORE` (path of "
        "fivenines-core), `MYSQL_PWD` and `PGPASSWORD` (password of `bench`).",
        *_commands(command, "fivenines"),
    ]
    return "\n\n".join(sections) + "\n"


def journal_page() -> str:
    """The reference of a run's journal."""
    sections = [
        "# The journal of a run",
        _MADE,
        f"`journal.jsonl` in a run's folder has a JSON object a line (format {journal.FORMAT}), in the "
        "order in which things happened. Each has `at`, seconds since 1970, and `event`, its kind. "
        "Kinds and fields may be added: pass over what you do not know. "
        f"{' and '.join(f'`{name}`' for name in journal.PRINTED_ONLY)} are printed by "
        "`run --progress json` and are not in the file; `run-opened` and `run-closed` are in the file "
        "alone. A line that is no JSON was torn by a kill. "
        "See [Runs](../explanation/runs.md#the-journal).",
    ]
    for name, fields in journal.EVENTS.items():
        rows = [f"| `{field}` | {text} |" for field, text in fields.items()]
        sections.append("\n".join([f"## {name}", "", "| field | what |", "|---|---|", *rows]))
    return "\n\n".join(sections) + "\n"


def export_page() -> str:
    """The reference of exported files: every column of every table."""
    sections = [
        "# Exported files",
        _MADE,
        "`fivenines export RUN... --to trials.duckdb` writes these tables; a `.parquet` file has one of "
        "them. [How to use them](../how-to/export.md).\n\n"
        "Times within a trial count from the start of its load; `from_fault_...` counts from its first "
        "fault. A row of a trial's table is joined with `trials` by `run` and `trial`, where "
        "`status = 'complete'`.\n\n"
        "A value that is only known to be at least so large (service was not back when the load ended) is in "
        "three columns: `X_ms` is NULL then, `X_at_least_ms` has what was seen, `X_is_bound` is true. "
        "The mean of `X_ms` alone would leave out the worst trials.",
        *(_exported(table) for table in TABLES.values()),
    ]
    return "\n\n".join(sections) + "\n"


def _exported(table: ExportTable[Any]) -> str:
    rows = [f"| `{one.name}` | {one.type} | {one.unit} | {one.meaning} |" for one in table.columns]
    head = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    return "\n".join([f"## {table.name}", "", f"A row is {table.row}.", "", *head, *rows])


def _family(title: str, key: str, package: str, base: type[Settings]) -> str:
    """All kinds of something: what they share, then what each adds."""
    models = list(dict.fromkeys(kinds(package, base, key).values()))
    own = {model: _own_fields(model, base) for model in models}
    shared = [
        name
        for name in base.model_fields
        if name != key and not any(name in fields for fields in own.values())
    ]
    words = [word for model in models for word in Shape.of_field(model, key).values()]
    parts = [
        f"## {title}",
        f"`{key}:` one of {', '.join(f'`{word}`' for word in words)}. "
        f"The word alone stands for `{key}: word` with all defaults.",
    ]
    if shared:
        parts += [f"All {title.lower()}:", _table(base, shared)]
    for model in models:
        named = ", ".join(Shape.of_field(model, key).values())
        heading = named if len(named) < 30 else "oltp_*"
        parts += [f"### {key}: {heading}", _first_paragraph(model)]
        if fields := [name for name in own[model] if name != key]:
            parts.append(_table(model, fields))
    return "\n\n".join(parts)


def _own_fields(model: type[Settings], base: type[Settings]) -> list[str]:
    """Fields that the model adds, or declares otherwise than the base."""
    return [
        name
        for name, info in model.model_fields.items()
        if name not in base.model_fields or info.annotation != base.model_fields[name].annotation
    ]


def _section(heading: str, model: type[Settings]) -> str:
    return f"{heading}\n\n{_first_paragraph(model)}\n\n{_table(model, model.written())}"


def _first_paragraph(model: type[Settings]) -> str:
    return " ".join((model.__doc__ or "").strip().split("\n\n")[0].split())


def _table(model: type[Settings], names: list[str]) -> str:
    rows = ["| key | allowed | default | |", "|---|---|---|---|"]
    for name in names:
        info = model.model_fields[name]
        cells = [f"`{name}`", _allowed(model, name), _default(info), info.description or ""]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _allowed(model: type[Settings], name: str) -> str:
    """What a field allows; kinds are listed in their own chapter."""
    shape = Shape.of_field(model, name)
    inner = shape.item() or shape
    of_names = any(get_origin(one.annotation) is dict for one in shape.options())
    many = "" if inner is shape else "by name, " if of_names else "a list of "
    if models := inner.models():
        key = discriminator(models)
        kind = f"kinds of {name}" if key else f"`{name}` mappings" if many else f"see {name}"
        short = f"{models[0].short}, or " if models[0].short else ""
        return f"{many}{kind}, see below" if key or many else f"{short}a mapping, {kind}"
    return re.sub(r", with a unit, as in .*?(, or null)?$", r"\1", allowed(shape))


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    value = info.get_default(call_default_factory=True, validated_data={})
    if (short := _short(info)) is not None:
        return _written(short)
    if isinstance(value, Settings):
        return _word(value) or "see there"
    if isinstance(value, list) and value and isinstance(value[0], Settings):
        return ", ".join(_word(one) or f"`{getattr(one, 'name', '')}`" for one in value)
    adapter: TypeAdapter[Any] = TypeAdapter(Shape.of(info.annotation, tuple(info.metadata)).whole())
    return _written(adapter.dump_python(value, mode="json"))


def _short(info: FieldInfo) -> Any:
    """What a field's default is written as, where that is not a mapping although its settings are one."""
    if not isinstance(info.default, Settings):
        return None
    written = info.default.model_dump(mode="json")
    return None if isinstance(written, dict) else written


def _written(value: Any) -> str:
    """A plain value as it would stand in a file."""
    if isinstance(value, list):
        return "`[" + ", ".join(map(str, value)) + "]`"
    if isinstance(value, str):
        return f"`{value}`" if value else ""
    return f"`{value or '{}'}`" if isinstance(value, dict) else f"`{shown(value)}`"


def _word(settings: Settings) -> str:
    """The word that chooses a kind of settings."""
    key = discriminator([type(settings)])
    return f"`{getattr(settings, key)}`" if key else ""


def _commands(command: Any, path: str) -> list[str]:
    sections: list[str] = []
    for name, inner in command.commands.items():
        full = f"{path} {name}"
        if hasattr(inner, "commands"):
            sections += [f"## {full}\n\n{_help(inner)}", *_commands(inner, full)]
        else:
            level = "##" if path == "fivenines" else "###"
            sections.append(f"{level} {full}\n\n{_help(inner)}{_parameters(inner)}")
    return sections


def _help(command: Any) -> str:
    """A docstring as Markdown: paragraphs that typer keeps as they are become code."""
    return "\n\n".join(f"```\n{text}\n```" if verbatim else text for verbatim, text in paragraphs(command))


def paragraphs(command: Any) -> list[tuple[bool, str]]:
    """The paragraphs of a command's help, and whether their lines are kept as they are."""
    found = []
    for block in (command.help or "").strip().split("\n\n"):
        if block.lstrip().startswith("\b"):
            lines = block.replace("\b\n", "").rstrip().splitlines()
            found.append((True, "\n".join(line.rstrip() for line in lines)))
        else:
            found.append((False, " ".join(block.split())))
    return found


def _parameters(command: Any) -> str:
    rows = [f"| `{name}` | {text} |" for _, name, text in parameters(command)]
    return "\n\n| | |\n|---|---|\n" + "\n".join(rows) if rows else ""


def parameters(command: Any) -> list[tuple[bool, str, str]]:
    """A command's arguments and options: whether it is an argument, how it is written, what it is."""
    rows = []
    for parameter in command.params:
        if "--help" in parameter.opts:
            continue
        argument = parameter.param_type_name == "argument"
        metavar = (parameter.metavar or (parameter.name or "").upper()) if argument else ""
        name = metavar or ", ".join(parameter.opts)
        if not argument and parameter.metavar:
            name += f" {parameter.metavar}"
        text = getattr(parameter, "help", None) or ""
        rows.append((argument, name, f"{text}{_parameter_default(parameter)}"))
    return rows


def _parameter_default(parameter: Any) -> str:
    value = parameter.default
    if parameter.required:
        return " Required."
    if value is None or value is False or value == [] or callable(value):
        return ""
    return f" Default: `{getattr(value, 'value', value)}`."


def write(made: Mapping[str, str], folder: Path) -> None:
    """Write pages, by their file names, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(pages(), Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference"))
