"""A first experiment file, with comments that teach what else it could say.

What the comments say of a key is what its model says of it, so that it is never out of date. A line
that begins with `#key:` is a further setting: without its `#` the file is still a good one.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from fivenines.analysis.wording import listed
from fivenines.experiment import choices
from fivenines.experiment.allowed import Shape
from fivenines.experiment.checks import problems_with
from fivenines.experiment.defaults import in_a_line
from fivenines.experiment.mistakes import shown, validated
from fivenines.experiment.spec import AnyFault, AnySolution, Experiment, Timing
from fivenines.faults.settings import FaultSettings
from fivenines.settings import Settings
from fivenines.solutions.settings import SolutionSettings

# Columns of a comment.
WIDTH = 100

# So many settings of its own are shown of each kind; models begin with those that matter most.
MOST = 6

# Of what all solutions have, that is shown with the first.
_ALL_HAVE = ("engine", "durability", "access", "server")

# Sections of the file that a first one can do without, with what they may say.
_FURTHER: Mapping[str, str] = {
    "load": "{rate: 200, arrivals: poisson}",
    "network": "[{name: two sites, sites: [east, west], link: {rtt: 5ms}}]",
    "decide": "{requirements: [outage_writes < 10s, lost = 0], prefer: [tps, latency_p99]}",
    "thresholds": "[lost = 0, outage_writes < 30s]",
    "availability": "{mtbf: {kill: 90d}}",
    "cost": "{server_hour: 0.2, currency: EUR}",
}


# Faults that do nothing without a setting, with one that does.
_NOTHING_BY_DEFAULT: Mapping[str, Mapping[str, str]] = {"degrade": {"latency": "100ms"}}


@dataclass(frozen=True)
class Wish:
    """What a first experiment is to be made of.

    Attributes:
        name: what reports are headed with.
        solutions, workloads, faults: kinds, by their names; each list has one at least.
        connections: numbers of connections of the load.
        trials: of each cell.
        command: the command line that makes the same file again.
    """

    name: str
    solutions: Sequence[str]
    workloads: Sequence[str]
    faults: Sequence[str]
    connections: Sequence[int]
    trials: int
    command: str


def starter(wish: Wish, schema: str) -> str:
    """The file's text; `schema` is where an editor finds the schema of such files."""
    parts = [
        _head(wish, schema),
        _basics(wish),
        _solutions(wish),
        _list_of("workloads", wish.workloads),
        _connections(wish),
        _faults(wish),
        _timing(),
        *_further(wish),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def offered(section: str) -> dict[str, str]:
    """The kinds that a first file can be made of, each with a line: those that work without settings."""
    return {
        name: choices.line(section, name, model)
        for name, model in choices.models(section).items()
        if not choices.needed(model, section)
    }


def fitting(fault: str, solutions: Sequence[str]) -> dict[str, list[str]]:
    """For each of the solutions, as it is by default, why the fault makes no sense for it; [] if it does."""
    made: FaultSettings = validated(AnyFault, {"fault": fault, **_NOTHING_BY_DEFAULT.get(fault, {})})
    every: dict[str, SolutionSettings] = {one: validated(AnySolution, one) for one in solutions}
    return {name: problems_with(made, solution) for name, solution in every.items()}


def _head(wish: Wish, schema: str) -> list[str]:
    return [
        f"# yaml-language-server: $schema={schema}",
        "#",
        "# An experiment of fivenines, made by",
        f"#   {wish.command}",
        "#",
        "# Every entry of a list meets every entry of the other lists: solutions x workloads x connections x",
        "# faults are cells, and each cell is measured in several trials.",
        "#",
        "# Lines like `#key: value` are further settings with their defaults: take the # away to change one.",
        "# All of them: fivenines run FILE --show-defaults, and docs/reference/experiment.md.",
    ]


def _basics(wish: Wish) -> list[str]:
    are = "are" if len(wish.solutions) > 1 else "is"
    broken = "?" if set(wish.faults) == {"none"} else ", and what does a fault cost?"
    what = f"How fast {are} {listed(list(wish.solutions))}{broken}"
    lines: list[str] = []
    for key, value in (("name", wish.name), ("description", what), ("seed", 1)):
        lines += [*_said(Experiment, key), f"{key}: {in_a_line(value)}"]
    lines += [
        *_said(Experiment, "trials"),
        "# One is an anecdote, three give a first interval, ten an answer.",
        f"trials: {wish.trials}",
    ]
    if len(wish.solutions) > 1:
        lines += [*_said(Experiment, "design"), *_further_setting(Experiment, "design")]
    return lines


def _solutions(wish: Wish) -> list[str]:
    lines = [*_said(Experiment, "solutions"), "solutions:"]
    for index, name in enumerate(wish.solutions):
        shared = _ALL_HAVE if index == 0 else ()
        lines += _entry("solutions", name, {"name": name}, shared)
    return lines


def _list_of(section: str, names: Sequence[str]) -> list[str]:
    lines = [*_said(Experiment, section), f"{section}:"]
    for name in names:
        lines += _entry(section, name, {})
    return lines


def _connections(wish: Wish) -> list[str]:
    return [*_said(Experiment, "connections"), f"connections: {in_a_line(list(wish.connections))}"]


def _faults(wish: Wish) -> list[str]:
    lines = [*_said(Experiment, "faults"), "faults:"]
    for name in wish.faults:
        misfits = fitting(name, wish.solutions)
        fits = [solution for solution, why in misfits.items() if not why]
        only = {} if len(fits) == len(misfits) else {"only": fits}
        lines += _entry("faults", name, {**_NOTHING_BY_DEFAULT.get(name, {}), **only})
    return lines


def _entry(section: str, name: str, settings: Mapping[str, Any], shared: Sequence[str] = ()) -> list[str]:
    """An entry of a list: its kind, some settings, and further ones as comments."""
    key, base = choices.KEYS[section], choices.base(section)
    model = choices.models(section)[name]
    about = " ".join((model.__doc__ or "").strip().split("\n\n")[0].split())
    line = choices.line(section, name, model)
    free = [one for one in model.written() if one not in {key, *settings}]
    own = [one for one in free if one not in base.model_fields][:MOST]
    lines = [*_comment(f"{line[:1].upper()}{line[1:]}. {about}", 2), f"  - {key}: {name}"]
    lines += [f"    {one}: {in_a_line(value)}" for one, value in settings.items()]
    for one in [*own, *shared]:
        lines += [*_said(model, one, 4), *_further_setting(model, one, 4)]
    more = len(free) - len(own) - len(shared)
    return lines + ([f"    # {more} more: docs/reference/experiment.md"] if more > 0 else [])


def _timing() -> list[str]:
    lines = [*_said(Experiment, "timing"), "timing:"]
    for key in Timing.model_fields:
        lines += [*_said(Timing, key, 2), f"  {key}: {_default(Timing, key)}"]
    return lines


def _further(wish: Wish) -> Iterator[list[str]]:
    """Sections of the file that are left out, each as a comment."""
    for key, text in _FURTHER.items():
        if key == "availability" and "kill" not in wish.faults:
            continue
        yield [*_said(Experiment, key), f"#{key}: {text}"]


def _further_setting(model: type[Settings], key: str, indent: int = 0) -> list[str]:
    """A setting with its default, as a comment."""
    return [f"{' ' * indent}#{key}: {_default(model, key)}"]


def _default(model: type[Settings], key: str) -> str:
    """The default as it would stand in a file."""
    value = model.model_fields[key].get_default(call_default_factory=True, validated_data={})
    adapter: TypeAdapter[Any] = TypeAdapter(Shape.of_field(model, key).whole())
    return in_a_line(adapter.dump_python(value, mode="json"))


def _said(model: type[Settings], key: str, indent: int = 0) -> list[str]:
    """What the model says of the key, as a comment."""
    return _comment(model.model_fields[key].description or "", indent)


def _comment(text: str, indent: int) -> list[str]:
    start = f"{' ' * indent}# "
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=start,
        break_long_words=False,
        break_on_hyphens=False,
    )


def unmeasured(solutions: Sequence[str], faults: Sequence[str]) -> list[str]:
    """The solutions that none of the faults makes sense for, so that they would have no cell."""
    found = [fitting(fault, solutions) for fault in faults]
    return [name for name in solutions if all(why[name] for why in found)]


def misfit(fault: str, solutions: Sequence[str]) -> str:
    """Why the fault makes no sense for any of the solutions; empty if it does for one at least."""
    found = fitting(fault, solutions)
    if not all(found.values()):
        return ""
    name, why = next(iter(found.items()))
    return f"{fault} makes no sense for {shown(name)}: {why[0]}"
