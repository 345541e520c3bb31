"""Test the requirements of virtual machines, and the messages if one is missing."""

from pathlib import Path

import pytest

from fivenines.lab.vm import requirements as vm_requirements


@pytest.fixture
def able(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which all is there."""
    tool, ports = tmp_path / "mke2fs", tmp_path / "tun"
    tool.touch(mode=0o755)
    ports.touch()
    monkeypatch.setattr(vm_requirements, "PROGRAMS", str(tmp_path))
    monkeypatch.setattr(vm_requirements, "PORTS", ports)
    return tmp_path


def test_reports_nothing_if_all_requirements_are_met(able: Path) -> None:
    assert vm_requirements.problem() == ""


def test_without_the_tool_for_disks_its_package_is_named(able: Path) -> None:
    (able / "mke2fs").unlink()
    assert "`sudo apt-get install e2fsprogs`" in vm_requirements.problem()


def test_reports_missing_access_to_ports_with_a_remedy(able: Path) -> None:
    (able / "tun").unlink()
    problem = vm_requirements.problem()
    assert "cannot be opened (No such file or directory)" in problem and "as root" in problem
