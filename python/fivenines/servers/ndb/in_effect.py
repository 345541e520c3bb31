"""Whether the settings of data nodes are in effect: ndbinfo.config_values, read back and compared.

The rule for values that NDB changes: it adds the tables of the system, and their attributes, to those that
MaxNoOf… names (seen in 9.7: 514 for 512), and rounds memory to whole pages of 32 KiB. All else is a
difference.
Source: MySQL NDB Cluster 9 reference manual, "The ndbinfo config_values Table".
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from fivenines.servers.in_effect import Asked, Finding
from fivenines.servers.mysql_family.in_effect import number

QUESTION = (
    "SELECT v.node_id, p.param_name, v.config_value, p.param_type FROM ndbinfo.config_values v "
    "JOIN ndbinfo.config_params p ON v.config_param = p.param_number"
)

# What the numbers of an enumeration stand for (ConfigInfo.cpp).
_WORDS = {"arbitration": {"disabled": "0", "default": "1", "waitexternal": "2"}}

_PAGE = 32 * 1024
# Attributes and tables of the system, at most.
_SYSTEM = 100

Rows = Sequence[tuple[int, str, str, str]]


def findings(names: Mapping[int, str], asked: Asked, rows: Rows) -> list[Finding]:
    """The settings that a data node does not have as they were asked for.

    Args:
        names: of the data nodes by their ids.
        asked: by their names in config.ini.
        rows: the answer to `QUESTION`.
    """
    found: list[Finding] = []
    for node, place in names.items():
        values = {
            str(name).lower(): (str(value), str(kind)) for one, name, value, kind in rows if one == node
        }
        for name, value in asked.items():
            wanted = str(int(value)) if isinstance(value, bool) else str(value)
            if one := _of_setting(place, name, wanted, values.get(name.lower())):
                found.append(one)
    return found


def _of_setting(place: str, name: str, wanted: str, observed: tuple[str, str] | None) -> Finding | None:
    if observed is None:
        return Finding(place, name, wanted, "", "unobserved", "ndbinfo does not have it")
    now, kind = observed
    words = _WORDS.get(name.lower(), {})
    if words.get(wanted.lower(), wanted.lower()) == now.lower():
        return None
    one, other = number(_switched(wanted)), number(now)
    if one is None or other is None:
        if kind == "enum" and not words:
            return Finding(place, name, wanted, "", "unobserved", "ndbinfo shows a number for the word")
        return Finding(place, name, wanted, now, "differs", _WHY)
    if _rounded(name.lower(), one, other):
        return Finding(place, name, wanted, now, "adjusted", "NDB adds its own, or rounds to pages")
    return None if one == other else Finding(place, name, wanted, now, "differs", _WHY)


_WHY = "the data node was started with another configuration"


def _switched(text: str) -> str:
    return {"true": "1", "y": "1", "yes": "1", "false": "0", "n": "0", "no": "0"}.get(text.lower(), text)


def _rounded(name: str, asked: Decimal, now: Decimal) -> bool:
    if name.startswith("maxnoof"):
        return 0 < now - asked <= _SYSTEM
    return name.endswith(("memory", "buffer", "size")) and 0 < abs(now - asked) < _PAGE
