"""Machines of an inventory for each host of a plan."""

from pathlib import Path

import pytest

from fivenines.base.errors import UsageError
from fivenines.experiment.interleaved_plan import blocks
from fivenines.experiment.inventory import over_ssh
from fivenines.experiment.machines import require_machines
from fivenines.experiment.plan import plan
from fivenines.experiment.source import load_parts

TWO = "[{solution: hot-standby, engine: postgres-18}, {solution: standalone, engine: postgres-18}]"


def require(folder: Path, hosts: str, more: str = "", only: str = "") -> None:
    """Require the machines of `hosts` for an experiment with the solutions of `TWO`."""
    inventory, file = folder / "hosts.yaml", folder / "x.yaml"
    inventory.write_text(f"hosts: {{{hosts}}}\n")
    file.write_text(f"name: x\nsolutions: {TWO}\nworkloads: [{{workload: oltp_read_only}}]\n{more}")
    (part,) = load_parts(file, lab=over_ssh(inventory))
    trials = [one for one in plan(part.experiment) if only in one.cell.solution.name]
    require_machines(part.experiment, trials, blocks(part.experiment))


def machines(*roles: str, site: str = "") -> str:
    """Return machines with these roles, for a mapping in YAML."""
    where = f", site: {site}" if site else ""
    first = 10 if site else 1
    return ", ".join(
        f"{site}{n}: {{address: 10.0.0.{first + n}, role: {role}{where}}}" for n, role in enumerate(roles)
    )


def test_each_host_has_a_machine(tmp_path: Path) -> None:
    require(tmp_path, machines("node", "node", "client", "other"))
    require(tmp_path, machines("any", "any", "any", "any"))
    # Two solutions are not deployed at the same time.
    require(tmp_path, machines("node", "any"), only="standalone")


def test_a_missing_machine_is_named_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        require(tmp_path, machines("node", "node", "client"))
    words = str(caught.value)
    assert words.startswith(
        f"hot-standby on cannot run on the machines of {tmp_path}/hosts.yaml: 4 machines are"
    )
    assert "(node1, node2, client, manager), and the file has 3" in words
    assert "for the host manager: add one with `role: other` or `role: any`" in words


def test_a_machine_of_another_role_does_not_count(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no machine left for the host node2"):
        require(tmp_path, machines("node", "client", "client", "other"))


def test_a_machine_of_another_site_does_not_count(tmp_path: Path) -> None:
    hosts = machines("any", "any") + ", " + machines("any", "any", site="west").replace("10.0.0.", "10.0.1.")
    hosts = hosts.replace("role: any}", "role: any, site: east}")
    network = "network: [{sites: {west: [node1, node2, client], east: [manager]}}]\n"
    with pytest.raises(UsageError, match="no machine left in the site west for the host client"):
        require(tmp_path, hosts, network)


def test_solutions_of_a_block_need_machines_at_the_same_time(tmp_path: Path) -> None:
    design = "design: interleaved\n"
    require(tmp_path, machines(*["any"] * 6), design)
    with pytest.raises(
        UsageError, match=r"hot-standby on and standalone cannot run .* 6 machines are needed"
    ):
        require(tmp_path, machines(*["any"] * 5), design)
