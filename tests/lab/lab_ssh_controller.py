"""A controller for tests of hosts over SSH, as a program in the machines' network: `lab_ssh_controller.py
INVENTORY FOLDER WHAT`. It prints JSON lines."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from fivenines.experiment.inventory import read
from fivenines.lab.host import Root
from fivenines.lab.process import all_in_state
from fivenines.lab.ssh.world import SshWorld


def tell(**what: Any) -> None:
    """One line."""
    print(json.dumps(what), flush=True)


def look(world: SshWorld) -> None:
    """What can be done with hosts: commands, processes, files, cuts, clocks."""
    one, two = (world.add_host(name, Root()) for name in ("node1", "node2"))
    tell(who=one.run(["id", "-u"]).strip(), user=one.run(["id", "-u"], uid=999).strip())
    tell(name=one.run(["hostname"]).strip(), said=one.run(["cat"], stdin="hello"))
    (one.node / "conf" / "x.cnf").write_text("1")
    tell(first=one.run(["cat", "/run/node/conf/x.cnf"]))
    (one.node / "conf" / "x.cnf").write_text("22")
    tell(second=one.run(["cat", "/run/node/conf/x.cnf"]))
    one.data.write_text("rows", "kept")
    two.data.fill(one.data)
    tell(rows=two.data.read_text("rows"), none=two.data.exists("others"))
    tell(clocks=[host.clock.readings[0].offset for host in world._there.values()])
    _processes(one)
    _cuts(world)


def _processes(host: Any) -> None:
    script = "echo begun > /run/node/log/it.log; sleep 300 & sleep 300"
    process = host.spawn(["sh", "-c", script], uid=999)
    adopted = host.adopt("sleep", host.node / "log" / "it.log")
    while not (adopted.alive and (host.node / "log" / "it.log").exists()):
        time.sleep(0.02)

    def states() -> list[str]:
        told = host.told_processes()
        parts = [(text.partition("(")[2].partition(")")[0], text.rpartition(")")[2].split()[0])
                 for _, text, _, _ in told]  # fmt: skip
        return sorted(state for name, state in parts if name == "sleep")

    tell(log=(host.node / "log" / "it.log").read_text(), alive=process.alive)
    frozen = all_in_state(process.freeze(), stopped=True)
    tell(frozen=frozen, states=states())
    process.thaw()
    tell(thawed=[one != "T" for one in states()])
    gone = process.gone(process.kill())
    tell(gone=gone, alive=process.alive, states=states(), adopted=adopted.alive)


def _cuts(world: SshWorld) -> None:
    def reach() -> list[bool]:
        return [world.reaches("node1", "node2"), world.reaches("node2", "node1")]

    tell(before=reach())
    way = [("node1", "node2")]
    world.cut(way)
    world.cut(way)
    tell(cut=reach(), dropped=world.frames_cut() > 0)
    world.heal(way)
    tell(once=reach())
    world.heal(way)
    tell(healed=reach())
    world.cut(way, [5432])
    tell(port=reach())
    world.heal(way, [5432])


def wait(world: SshWorld) -> None:
    """Cut, start something, and wait until somebody ends us."""
    one, two = (world.add_host(name, Root()) for name in ("node1", "node2"))
    world.cut([("node1", "node2"), ("node2", "node1")])
    one.spawn(["sleep", "1234"])
    two.spawn_beside(["sleep", "1234"], log="sleep.out")
    while not any("(sleep)" in text for _, text, _, _ in one.told_processes() or []):
        time.sleep(0.02)
    tell(ready=True)
    time.sleep(600)


if __name__ == "__main__":
    machines = read(Path(sys.argv[1]))
    with SshWorld(Path(sys.argv[2]), machines) as made:
        {"look": look, "wait": wait}[sys.argv[3]](made)
