"""The configuration of each solution of a run, and the settings in which solutions differ."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from ruamel.yaml import YAML

from fivenines.results.configuration import Configuration, ConfigurationFile, stored
from fivenines.results.records import Deployment
from fivenines.results.store import Run

# The path of what servers have reported, where fivenines wrote no files, or the run did not keep them.
READ_BACK = "effective settings, read back from the server"

# The setting of a file that only some solutions have.
WHOLE = "the whole file"

# The value of a setting that a file does not have.
NOT_SET = "not set"

_SETTING = re.compile(r"([\w.!-]+)\s*(?:[=:]\s*|\s+)(.*)")


@dataclass(frozen=True)
class Difference:
    """One setting that differs.

    Attributes:
        file: name of the file.
        setting: its name, with its section.
        values: the value in each solution, in words; None: the file of that solution does not have it.
    """

    file: str
    setting: str
    values: tuple[str | None, ...]


def of_run(run: Run) -> dict[str, Configuration]:
    """Return the files of each solution, as its first complete trial or block deployed them.

    If trials of a solution differ, the later configurations follow under the solution's name and the trial.
    Solutions are left out for which fivenines wrote no files, or of which the run has kept none.
    """
    found: dict[str, Configuration] = {}
    digests: dict[str, set[str]] = {}
    for solution, trial, folder, deployment in _deployments(run):
        seen = digests.setdefault(solution, set())
        if deployment.configuration in seen:
            continue
        configuration = stored(run.folder, folder, deployment.configuration)
        if configuration is not None:
            found[f"{solution} (of {trial})" if seen else solution] = configuration
            seen.add(deployment.configuration)
    return found


def _deployments(run: Run) -> Iterator[tuple[str, str, Path, Deployment]]:
    """Yield solution, trial, folder and deployment of all complete trials, then of all blocks."""
    for trial in run.complete:
        if trial.record.deployment is not None:
            yield (
                trial.record.cell.solution,
                f"trial {trial.record.id}",
                trial.folder,
                trial.record.deployment,
            )
    for block in run.blocks:
        for side in block.record.sides if block.complete else []:
            if side.deployment is not None:
                yield side.cell.solution, block.record.id, block.folder, side.deployment


def with_read_back(run: Run) -> dict[str, Configuration]:
    """Return what `of_run` returns, and for other solutions the settings that their servers reported."""
    found = of_run(run)
    for solution, _, _, deployment in _deployments(run):
        if solution not in found and (reported := _read_back(deployment)).files:
            found[solution] = reported
    return found


def _read_back(deployment: Deployment) -> Configuration:
    """Return the settings that the servers reported before the load, as a file for each node."""
    return Configuration(
        files=[
            ConfigurationFile(
                host=node,
                path=READ_BACK,
                text="".join(f"{name} = {value}\n" for name, value in settings.items()),
            )
            for node, settings in deployment.settings.items()
            if settings
        ]
    )


def differences(configurations: Sequence[Configuration]) -> list[Difference]:
    """Return the settings in which configurations differ, file by file.

    Files with the same name are compared; those that only some have come last. A setting that differs between
    the nodes of a solution has all its values, with the names of the nodes.
    """
    settings = [_by_file(configuration) for configuration in configurations]
    found, whole = [], []
    for name in dict.fromkeys(name for one in settings for name in one):
        having = [one.get(name) for one in settings]
        if None in having:
            shown = tuple("no such file" if one is None else "written" for one in having)
            whole.append(Difference(name, WHOLE, shown))
            continue
        keys = dict.fromkeys(key for one in having if one is not None for key in one)
        for key in keys:
            values = tuple(one.get(key) for one in having if one is not None)
            if len(set(values)) > 1:
                found.append(Difference(name, key, values))
    return [*found, *whole]


def kind(configuration: Configuration) -> str:
    """Return what comparable configurations have in common: the server's file and its section."""
    names = {file.name: file for file in configuration.files}
    for name in ("my.cnf", "postgresql.conf", READ_BACK):
        if name in names:
            section = re.match(r"\[\w+\]", names[name].text)
            return f"{name} {section[0]}" if section else name
    return ""


def _by_file(configuration: Configuration) -> dict[str, dict[str, str]]:
    """Return the value of each setting, in words, by file name and setting."""
    hosts: dict[str, dict[str, dict[str, str]]] = {}
    for file in configuration.files:
        hosts.setdefault(file.name, {})[file.host] = settings_of(file)
    return {name: _merged(by_host) for name, by_host in hosts.items()}


def _merged(by_host: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    merged = {}
    for key in dict.fromkeys(key for one in by_host.values() for key in one):
        hosts: dict[str, list[str]] = {}
        for host, one in by_host.items():
            hosts.setdefault(one.get(key, NOT_SET), []).append(host)
        each = "; ".join(f"{', '.join(names)}: {value}" for value, names in hosts.items())
        merged[key] = each if len(hosts) > 1 else next(iter(hosts))
    return merged


def settings_of(file: ConfigurationFile) -> dict[str, str]:
    """Return the settings of a file by name, preceded by their section; repeated settings are joined."""
    if file.name.endswith(".json"):
        return dict(_flat(json.loads(file.text)))
    if file.name.endswith(".yml"):
        return dict(_flat(YAML(typ="safe").load(file.text)))
    if file.name.endswith(".xml"):
        return dict(_elements(file.text))
    settings: dict[str, str] = {}
    for key, value in _lines(file):
        settings[key] = f"{settings[key]}; {value}" if key in settings else value
    return settings


def _lines(file: ConfigurationFile) -> Iterator[tuple[str, str]]:
    """Yield the settings of a file with a setting on each line, as most formats have it."""
    if file.name == "pg_hba.conf" or file.text.startswith("#!") or file.name.endswith(".sql"):
        # Not settings: each line is a rule, a command or a statement.
        yield from ((line.strip().rstrip(";"), "yes") for line in file.text.splitlines() if line.strip())
        return
    outer: list[str] = []
    for whole in file.text.splitlines():
        line = whole.strip().rstrip(";")
        if not line or line[0] in "#;":
            continue
        if line.startswith("["):
            outer = [line.strip("[]")]
        elif line.endswith("{"):
            outer.append(line.rstrip("{ "))
        elif line == "}":
            outer.pop()
        elif file.name.endswith(".cfg") and not whole.startswith(" "):
            outer = [line]
        elif match := _SETTING.fullmatch(line):
            yield ".".join([*outer, match[1]]), match[2]
        else:
            yield ".".join([*outer, line]), "set"


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    else:
        yield path, json.dumps(value) if isinstance(value, list) else str(value)


def _elements(text: str) -> Iterator[tuple[str, str]]:
    """Yield the elements of an XML document that have an id and further attributes."""
    for element in Xml.fromstring(text).iter():
        attributes = {key: value for key, value in element.attrib.items() if key not in ("id", "name")}
        if "id" in element.attrib and attributes:
            plain = attributes.get("value") if set(attributes) == {"value"} else None
            yield (
                element.attrib["id"],
                plain
                if plain is not None
                else ", ".join(f"{key}={value}" for key, value in attributes.items()),
            )
