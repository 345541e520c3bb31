"""Check that the settings of the experiment are in effect, by reading them back before any load.

`servers/*/in_effect.py` define what each server family shows, and the rules by which servers change values;
access layers and managers report their settings themselves. A difference is an error. Values that a server
changes by a documented rule, and settings that it does not show, go into the record.

The settings are read back again after the recovery from a fault, since a restart may bring others into
effect. A difference is then a caution: what was measured until the restart stays true.
"""

from collections.abc import Collection, Sequence
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.failover.proxies.base import Access
from fivenines.results.records import SettingsCheck, SettingSeen
from fivenines.servers.base import Server, Value
from fivenines.servers.in_effect import Finding, unobserved
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
        asked = asked_of(solution, node)
        found += node.monitoring.in_effect(asked)
        compared += len(asked)
    found += solution.configuration.parts_in_effect()
    found += access.in_effect()
    found += _of_manager(solution)
    if differing := [str(one) for one in found if one.kind == "differs"]:
        more = f"\n  and {len(differing) - _MOST} more" if len(differing) > _MOST else ""
        lines = "\n".join(f"  {one}" for one in differing[:_MOST])
        raise FiveninesError(f"{solution.settings.name}: settings are not in effect:\n{lines}{more}")
    return _check(compared, found)


def in_effect_after(solution: Solution[Any, Any], without: Collection[str]) -> SettingsCheck:
    """Compare the settings of all servers, and of the solution's own parts, after a recovery.

    The settings of a server that does not answer are not observed, with the reason. The access layer is left
    out: a failover changes the state of its servers on purpose.

    Args:
        solution: the solution, whose faults have ended.
        without: names of nodes that are not to be asked.
    """
    found: list[Finding] = []
    compared = 0
    for node in solution.serving:
        if node.name in without:
            continue
        asked = asked_of(solution, node)
        try:
            found += node.monitoring.in_effect(asked)
            compared += len(asked)
        except Exception as error:  # each driver has its own exceptions
            found += unobserved(node.name, asked, _reason(error))
    try:
        found += solution.configuration.parts_in_effect()
    except Exception as error:
        found += unobserved(solution.settings.name, {"its own parts": ""}, _reason(error))
    return _check(compared, found)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _check(compared: int, found: Sequence[Finding]) -> SettingsCheck:
    """Return the record of a comparison; `compared`: the number of settings that were read back."""
    return SettingsCheck(
        compared=compared,
        differing=[_seen(one) for one in found if one.kind == "differs"],
        adjusted=[_seen(one) for one in found if one.kind == "adjusted"],
        unobserved=[_seen(one) for one in found if one.kind == "unobserved"],
    )


def _of_manager(solution: Solution[Any, Any]) -> list[Finding]:
    """Return the settings of a failover manager; no manager shows them."""
    manager = solution.settings.failover_manager
    if manager is None:
        return []
    asked = manager.model_dump(mode="json", exclude={"kind"})
    return unobserved(manager.kind, asked, "it does not show it", "manager.")


def asked_of(solution: Solution[Any, Any], node: Server) -> dict[str, Value]:
    """Return the configured settings of a node, without those that follow its role."""
    family = node.engine.family
    left_out = node.monitoring.of_role | solution.configuration.of_role
    asked = {**solution.configuration.whole(node), **solution.settings.data_settings}
    return {name: value for name, value in asked.items() if canonical(name, family) not in left_out}


def _seen(finding: Finding) -> SettingSeen:
    return SettingSeen(
        place=finding.place,
        setting=finding.setting,
        asked=finding.asked,
        found=finding.found,
        why=finding.why,
    )
