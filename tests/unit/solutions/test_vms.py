"""Virtual machines of a solution: supported solutions, and defaults."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter

from fivenines.base import plugins
from fivenines.faults.disks.full_disk import FullDiskSettings
from fivenines.faults.disks.slow_disk import SlowDiskSettings
from fivenines.lab.settings import NetworkSettings
from fivenines.software.base import EngineStatus
from fivenines.software.engines.uml_kernel import UmlKernel
from fivenines.solutions import vms
from fivenines.solutions.settings import SolutionSettings
from fivenines.trial.deployment.deployed import engines_of

ANY: TypeAdapter[Any] = TypeAdapter(
    plugins.settings_union("fivenines.solutions", SolutionSettings, "solution")
)


@pytest.mark.parametrize(
    ("solution", "problem"),
    [
        ({"solution": "standalone"}, ""),
        ({"solution": "hot-standby", "manager": {"kind": "operator"}}, ""),
        ({"solution": "galera"}, ""),
        ({"solution": "ndb"}, "machines: virtual-machines: ndb does not support it: write namespaces"),
        (
            {"solution": "patroni"},
            "machines: virtual-machines: patroni does not support it: write namespaces",
        ),
        (
            {"solution": "replication", "manager": {"kind": "pacemaker"}},
            "machines: virtual-machines: pacemaker starts the servers by itself, and does not support "
            "virtual machines: write namespaces",
        ),
    ],
)
def test_solutions_with_support_for_vms(solution: dict[str, Any], problem: str) -> None:
    settings = ANY.validate_python({**solution, "machines": "virtual-machines"})
    message = [one for one in settings.checks.problems_with_parts() if one.startswith("machines")]
    assert message == ([problem] if problem else [])


def test_vms_need_a_kernel_in_addition_to_the_server() -> None:
    settings = ANY.validate_python({"solution": "standalone"})
    assert [one.name for one in engines_of(settings)] == ["postgres-18"]
    settings = ANY.validate_python({"solution": "standalone", "machines": "virtual-machines"})
    assert [one.name for one in engines_of(settings)] == ["postgres-18", "uml"]


def _here(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    status = EngineStatus(installed)
    monkeypatch.setattr(UmlKernel, "status", lambda _self: status)
    monkeypatch.setattr(UmlKernel, "tree", Path("/kernel"))


def test_memory_is_the_servers_default_or_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    _here(monkeypatch, True)
    mysql: Any = SimpleNamespace(family="mysql")
    mariadb: Any = SimpleNamespace(family="mariadb")
    assert vms.vm_machine(None, mysql, 0).memory > vms.vm_machine(None, mariadb, 0).memory
    made = vms.vm_machine(2**30, mysql, 10**9)
    assert made.memory == 2**30 and made.disk > 2 * 10**9 and made.kernel == Path("/kernel")


@pytest.mark.parametrize("kind", [SlowDiskSettings, FullDiskSettings])
def test_disks_of_vms_can_be_slow_and_full(kind: Any) -> None:
    fault = kind(fault="slow-disk" if kind is SlowDiskSettings else "full-disk")
    for machines in ("namespaces", "virtual-machines"):
        settings = ANY.validate_python({"solution": "standalone", "machines": machines})
        assert fault.problems_with(settings.topology()) == []


def test_the_bandwidth_of_a_vm_cannot_be_limited() -> None:
    settings = ANY.validate_python({"solution": "standalone", "machines": "virtual-machines"})
    (problem,) = settings.checks.problems_with_network(NetworkSettings(bandwidth="1Gbit/s"))
    assert "`bandwidth` cannot be set" in problem
    assert settings.checks.problems_with_network(NetworkSettings()) == []
