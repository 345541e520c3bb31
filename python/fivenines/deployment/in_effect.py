"""Check that the settings of the experiment are in effect, by reading them back before any load.

`servers/*/in_effect.py` define what each server family shows, and the rules by which servers change values;
access layers and managers report their settings themselves. A difference is an error. Values that a server
changes by a documented rule, and settings that it does not show, go into the record.

The settings are read back again after the recovery from a fault, since a restart may bring others into
effect. A difference is then a caution: what was measured until the restart stays true.
"""

from collections.abc import Collection
from contextlib import suppress
from typing import Any

from fivenines.access.base import Access
from fivenines.errors import FiveninesError
from fivenines.results.records import SettingsCheck, SettingSeen
from fivenines.servers.base import Server, Value
from fivenines.servers.in_effect import Finding
from fivenines.servers.spelled import canonical
from fivenines.solutions.base import Solution

# Number of differences that an error lists.
_MOST = 12


def require_in_effect(solution: Solution[Any, Any], access: Access[Any]) -> SettingsCheck:
    """Compare the settings of all servers, of the solution's own parts and of the access layer.

    Raises:
        FiveninesError: a setting is not in effect; with node, setting and both values.
    """
    found: list[Finding] = []
    compared = 0
    for node in solution.serving:
        count, findings = _of_node(solution, node)
        compared += count
        found += findings
    found += solution.parts_in_effect()
    found += access.in_effect()
    found += _of_manager(solution)
    if differing := [str(one) for one in found if one.kind == "differs"]:
        more = f"\n  and {len(differing) - _MOST} more" if len(differing) > _MOST else ""
        lines = "\n".join(f"  {one}" for one in differing[:_MOST])
        raise FiveninesError(f"{solution.settings.name}: settings are not in effect:\n{lines}{more}")
    return SettingsCheck(
        compared=compared,
        adjusted=[_seen(one) for one in found if one.kind == "adjusted"],
        unobserved=[_seen(one) for one in found if one.kind == "unobserved"],
    )


def in_effect_after(solution: Solution[Any, Any], without: Collection[str]) -> SettingsCheck:
    """Compare the settings of all servers that answer, and of the solution's own parts, after a recovery.

    The access layer is left out: a failover changes the state of its servers on purpose.

    Args:
        solution: the solution, whose faults have ended.
        without: names of nodes that are not to be asked.
    """
    found: list[Finding] = []
    compared = 0
    for node in solution.serving:
        if node.name in without:
            continue
        # a node that fails to answer is reported by the checks of its recovery
        with suppress(Exception):
            count, findings = _of_node(solution, node)
            compared += count
            found += findings
    with suppress(Exception):
        found += solution.parts_in_effect()
    return SettingsCheck(
        compared=compared,
        differing=[_seen(one) for one in found if one.kind == "differs"],
        adjusted=[_seen(one) for one in found if one.kind == "adjusted"],
        unobserved=[_seen(one) for one in found if one.kind == "unobserved"],
    )


def _of_node(solution: Solution[Any, Any], node: Server) -> tuple[int, list[Finding]]:
    """How many settings were compared, and which are not in effect or not observed."""
    asked = asked_of(solution, node)
    return len(asked), node.in_effect(asked)


def _of_manager(solution: Solution[Any, Any]) -> list[Finding]:
    """Return the settings of a failover manager; no manager shows them."""
    manager = solution.settings.failover_manager
    if manager is None:
        return []
    asked = manager.model_dump(mode="json", exclude={"kind"})
    return [
        Finding(manager.kind, f"manager.{name}", str(value), "", "unobserved", "it does not show it")
        for name, value in asked.items()
    ]


def asked_of(solution: Solution[Any, Any], node: Server) -> dict[str, Value]:
    """Return the configured settings of a node, without those that follow its role."""
    family = node.engine.family
    left_out = node.of_role | solution.of_role
    asked = {**solution.whole_configuration(node), **solution.settings.data_settings}
    return {name: value for name, value in asked.items() if canonical(name, family) not in left_out}


def _seen(finding: Finding) -> SettingSeen:
    return SettingSeen(
        place=finding.place,
        setting=finding.setting,
        asked=finding.asked,
        found=finding.found,
        why=finding.why,
    )
