"""Generate the JSON Schemas of experiment and requirement files, for completion and checks in editors.

They are generated from the models that read the files. Forms that the reader accepts in addition (a kind as a
single word, lists that are expanded) are added here.
"""

import json
from typing import Any

from fivenines import __version__
from fivenines.base import plugins
from fivenines.experiment import parts
from fivenines.experiment.requirements import RequirementsFile
from fivenines.experiment.sections.stacks import ALL
from fivenines.experiment.spec import Experiment
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.solutions.durability import WORDS

Schema = dict[str, Any]

_UNITS = ("duration", "size", "rate")


def schema() -> Schema:
    """Return the schema, draft 2020-12."""
    made = _walked(Experiment.model_json_schema())
    definitions = made["$defs"]
    definitions["StackSettings"]["properties"].pop("of_all")
    for name, short in _SHORT.items():
        definitions[name] = _or(definitions[name], short)
    for (name, field), form in _OTHER.items():
        fields = definitions[name]["properties"]
        fields[field] = _or(fields[field], form)
    made["properties"]["stacks"] = _or(made["properties"]["stacks"], {"const": ALL})
    for model in set(plugins.kinds("fivenines.load.workloads", WorkloadSettings, "workload").values()):
        for name in model.made:
            definitions[model.__name__]["properties"].pop(name)
    for name in LabSettings.made:
        definitions["LabSettings"]["properties"].pop(name)
    link = definitions["LinkSettings"]["properties"]
    for key in ("rtt", "bandwidth"):
        link[key] = _or(link[key], {"type": "array", "items": link[key]})
    own, required = made["properties"], made.pop("required")
    part = {"type": "object", "additionalProperties": False, "properties": {**own}}
    own[parts.KEY] = {
        "type": "object",
        "additionalProperties": part,
        "minProperties": 1,
        "description": "several experiments in one file: a mapping from names to settings, "
        "merged deeply over the common settings",
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        # Keys that are not common are in each part.
        "anyOf": [{"required": required}, {"required": [parts.KEY]}],
        "title": f"An experiment of fivenines {__version__}",
    }


def text() -> str:
    """Return the schema as the text of a file."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def requirements_text() -> str:
    """Return the schema of requirement files as the text of a file."""
    made = _walked(RequirementsFile.model_json_schema())
    for name in ("DecideSettings", "CaseSettings"):
        fields = made["$defs"][name]["properties"]
        fields["requirements"] = _or(fields["requirements"], {"type": "object"})
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    titled = {**head, **made, "title": f"Requirements of fivenines {__version__}"}
    return json.dumps(titled, indent=1, ensure_ascii=False) + "\n"


# The names of the schemas' files.
NAME = "experiment.schema.json"
REQUIREMENTS = "requirements.schema.json"

# Settings with a short form, and its schema.
_SHORT: dict[str, Schema] = {
    "ThresholdSettings": {"type": "string"},
    "TrialsSettings": {"type": "integer"},
    "RecoverySettings": {"type": "string", "format": "duration"},
    "SweepSettings": {"type": "object"},
    "WorkSettings": {"type": "integer"},
    "DurabilitySettings": {"enum": list(WORDS)},
    "StackSettings": {"type": "string"},
}

# Fields with an alternative form, and its schema.
_OTHER: dict[tuple[str, str], Schema] = {
    ("DecideSettings", "requirements"): {"type": "object"},
    ("CaseSettings", "requirements"): {"type": "object"},
    ("NetworkSettings", "sites"): {"type": "array", "items": {"type": "string"}},
    ("PartitionSettings", "peers"): {"type": "string"},
}


def _or(one: Schema, other: Schema) -> Schema:
    return {"anyOf": [one, other]}


def _walked(node: Any) -> Any:
    """Add the forms that the reader accepts, and remove internal keywords."""
    if isinstance(node, list):
        return [_walked(one) for one in node]
    if not isinstance(node, dict):
        return node
    found = {key: _walked(value) for key, value in node.items() if key not in ("allowed", "variant")}
    if found.get("format") in _UNITS:
        # 0 is the only number without a unit.
        return _or(found, {"const": 0})
    if "discriminator" in found:
        return _by_word(found)
    return found


def _by_word(union: Schema) -> Schema:
    """Allow a single word for a kind with its defaults."""
    words = list(union.pop("discriminator")["mapping"])
    return {**union, "oneOf": [{"enum": words}, *union.pop("oneOf")]}
