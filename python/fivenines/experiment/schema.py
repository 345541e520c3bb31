"""The JSON Schema of experiment files, for editors that complete and check them as they are written.

Made from the same models that read the files. What the reader allows beside the models (a kind as a word
alone, lists that are spread into several) is added here.
"""

import json
from typing import Any

from fivenines import __version__, plugins
from fivenines.experiment import parts
from fivenines.experiment.spec import Experiment
from fivenines.lab.ssh.inventory import LabSettings
from fivenines.solutions.durability import WORDS
from fivenines.workloads.settings import WorkloadSettings

Schema = dict[str, Any]

_UNITS = ("duration", "size", "rate")


def schema() -> Schema:
    """The schema, draft 2020-12."""
    made = _walked(Experiment.model_json_schema())
    definitions = made["$defs"]
    for name, short in _SHORT.items():
        definitions[name] = _or(definitions[name], short)
    for (name, field), form in _OTHER.items():
        fields = definitions[name]["properties"]
        fields[field] = _or(fields[field], form)
    for model in set(plugins.kinds("fivenines.workloads", WorkloadSettings, "workload").values()):
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
        "description": "several experiments in one file: by the name of each what it has for itself, "
        "merged deeply over the rest",
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        # what is missing in common stands in each part
        "anyOf": [{"required": required}, {"required": [parts.KEY]}],
        "title": f"An experiment of fivenines {__version__}",
    }


def text() -> str:
    """The schema as a file holds it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


# What the schema's file is called.
NAME = "experiment.schema.json"

# Settings that may be written in a shorter form, and that form.
_SHORT: dict[str, Schema] = {
    "ThresholdSettings": {"type": "string"},
    "TrialsSettings": {"type": "integer"},
    "RecoverySettings": {"type": "string", "format": "duration"},
    "SweepSettings": {"type": "object"},
    "WorkSettings": {"type": "integer"},
    "DurabilitySettings": {"enum": list(WORDS)},
}

# Fields that may be written in another way, and that way.
_OTHER: dict[tuple[str, str], Schema] = {
    ("DecideSettings", "requirements"): {"type": "object"},
    ("NetworkSettings", "sites"): {"type": "array", "items": {"type": "string"}},
    ("PartitionSettings", "peers"): {"type": "string"},
}


def _or(one: Schema, other: Schema) -> Schema:
    return {"anyOf": [one, other]}


def _walked(node: Any) -> Any:
    """The same with all that the reader allows, and without keywords of our own."""
    if isinstance(node, list):
        return [_walked(one) for one in node]
    if not isinstance(node, dict):
        return node
    found = {key: _walked(value) for key, value in node.items() if key not in ("allowed", "variant")}
    if found.get("format") in _UNITS:
        # the one number that needs no unit
        return _or(found, {"const": 0})
    if "discriminator" in found:
        return _by_word(found)
    return found


def _by_word(union: Schema) -> Schema:
    """A union of kinds: a word alone stands for a kind with its defaults."""
    words = list(union.pop("discriminator")["mapping"])
    return {**union, "oneOf": [{"enum": words}, *union.pop("oneOf")]}
