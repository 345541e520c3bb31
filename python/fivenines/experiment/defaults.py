"""Write out an experiment with all defaults, for users and for the manifest."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from fivenines.experiment.spec import Experiment

# Words that YAML 1.1 readers interpret as true or false.
_BOOLEAN_ELSEWHERE = {"on", "off", "yes", "no", "y", "n"}


def as_dict(experiment: Experiment) -> dict[str, Any]:
    """Return plain values with all defaults; durations, sizes and rates as text with a unit."""
    return experiment.model_dump(mode="json")


def with_defaults(experiment: Experiment) -> str:
    """Return YAML text with all defaults, which loads back to the same experiment."""
    out = StringIO()
    _writer().dump(_friendly(as_dict(experiment)), out)
    return out.getvalue()


def parts_with_defaults(title: str, parts: Mapping[str, Experiment]) -> str:
    """Return YAML text with all defaults for a file with parts; only the title is shared."""
    out = StringIO()
    every = {name: as_dict(one) for name, one in parts.items()}
    _writer().dump(_friendly({"name": title, "parts": every}), out)
    return out.getvalue()


def in_a_line(value: Any) -> str:
    """Format a plain value as in a file after its key, in one line."""
    # Dumped as the value of a key, as a text alone would be a document with an end mark.
    mapping = CommentedMap(key=_friendly(value))
    mapping.fa.set_flow_style()
    out = StringIO()
    _writer().dump(mapping, out)
    return out.getvalue().strip().removeprefix("{key: ").removesuffix("}")


def _writer() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.width = 4096
    yaml.representer.add_representer(type(None), _null)
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _null(representer: RoundTripRepresenter, _value: None) -> ScalarNode:
    return representer.represent_scalar("tag:yaml.org,2002:null", "null")


def _friendly(value: Any) -> Any:
    """Put lists of plain values in one line, and quote words that other YAML readers misread."""
    if isinstance(value, dict):
        mapping = CommentedMap((key, _friendly(inner)) for key, inner in value.items())
        if not value:
            mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list):
        sequence = CommentedSeq(_friendly(inner) for inner in value)
        if not any(isinstance(inner, dict | list) for inner in value):
            sequence.fa.set_flow_style()
        return sequence
    if isinstance(value, str) and (value.lower() in _BOOLEAN_ELSEWHERE or not value.isprintable()):
        return DoubleQuotedScalarString(value)
    return value
