"""Test the fault `arbiter`: the arbiter is killed, verified to have ended, and restarted."""

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fivenines.base.errors import FiveninesError
from fivenines.faults.context import FaultContext
from fivenines.faults.services.arbiter import ArbiterFault, ArbiterFaultSettings
from fivenines.lab.processes.process import OwnProcess
from fivenines.solutions.galera.arbiter import Arbiter


def _context(arbiter: Arbiter | None) -> FaultContext:
    deployed: Any = SimpleNamespace(solution=SimpleNamespace(arbiter=arbiter))
    return FaultContext(deployed)


def test_kills_and_restarts_the_arbiter(tmp_path: Path) -> None:
    started: list[list[str]] = []

    def spawn(command: list[str], **_more: Any) -> OwnProcess:
        started.append(command)
        return OwnProcess(subprocess.Popen(["sleep", "600"]), None)

    (tmp_path / "conf").mkdir()
    host: Any = SimpleNamespace(name="arbiter", node=tmp_path, commands=SimpleNamespace(spawn=spawn))
    arbiter = Arbiter(host, ["10.99.0.11", "10.99.0.12"], "fivenines", "gmcast.segment=2")
    arbiter.start()
    context, fault = _context(arbiter), ArbiterFault(ArbiterFaultSettings(fault="arbiter"))
    injection = fault.inject(context)
    assert (injection.verified, injection.hosts, arbiter.alive) == (True, ("arbiter",), False)
    assert fault.recover(context, injection).verified and arbiter.alive
    assert arbiter.process is not None
    arbiter.process.terminate()
    assert started[0] == started[1]
    assert started[0][1:] == ["--cfg", "/run/node/conf/garbd.cnf"]
    assert (tmp_path / "conf" / "garbd.cnf").read_text().splitlines() == [
        "group = fivenines",
        "address = gcomm://10.99.0.11:4567,10.99.0.12:4567",
        "options = gmcast.segment=2",
    ]


def test_reports_a_missing_arbiter() -> None:
    with pytest.raises(FiveninesError, match="has no arbiter"):
        ArbiterFault(ArbiterFaultSettings(fault="arbiter")).inject(_context(None))
