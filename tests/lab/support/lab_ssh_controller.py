"""Run a controller for tests of hosts over SSH, as a program in the machines' network: `lab_ssh_controller.py
INVENTORY FOLDER WHAT`. It prints JSON lines.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from fivenines.experiment.inventory import read
from fivenines.faults.network import roundtrip
from fivenines.lab.host import Root
from fivenines.lab.processes.process import all_in_state
from fivenines.lab.settings import LinkSettings, NetworkSettings
from fivenines.lab.ssh.lab import SshLab


def tell(**what: Any) -> None:
    """Print one JSON line."""
    print(json.dumps(what), flush=True)


def look(lab: SshLab) -> None:
    """Exercise hosts: commands, processes, files, cuts, clocks."""
    first, second = (lab.add_host(name, Root()) for name in ("node1", "node2"))
    tell(who=first.commands.run(["id", "-u"]).strip(), user=first.commands.run(["id", "-u"], uid=999).strip())
    tell(name=first.commands.run(["hostname"]).strip(), output=first.commands.run(["cat"], stdin="hello"))
    (first.node / "conf" / "x.cnf").write_text("1")
    tell(first=first.commands.run(["cat", "/run/node/conf/x.cnf"]))
    (first.node / "conf" / "x.cnf").write_text("22")
    tell(second=first.commands.run(["cat", "/run/node/conf/x.cnf"]))
    first.data.write_text("rows", "kept")
    second.data.fill(first.data)
    tell(rows=second.data.read_text("rows"), none=second.data.exists("others"))
    tell(clocks=[host.clock.measured.readings[0].offset for host in lab._there.values()])
    _processes(first)
    _cuts(lab)


def _processes(host: Any) -> None:
    script = "echo begun > /run/node/log/it.log; sleep 300 & sleep 300"
    process = host.commands.spawn(["sh", "-c", script], uid=999)
    adopted = host.processes.adopt("sleep", host.node / "log" / "it.log")
    while not (adopted.alive and (host.node / "log" / "it.log").exists()):
        time.sleep(0.02)

    def states() -> list[str]:
        listed = host.processes.reported()
        parts = [
            (text.partition("(")[2].partition(")")[0], text.rpartition(")")[2].split()[0])
            for _, text, _, _ in listed
        ]
        return sorted(state for name, state in parts if name == "sleep")

    tell(log=(host.node / "log" / "it.log").read_text(), alive=process.alive)
    frozen = all_in_state(process.freeze(), stopped=True)
    tell(frozen=frozen, states=states())
    process.thaw()
    while "T" in (thawed := states()):
        time.sleep(0.02)
    tell(thawed=len(thawed))
    gone = process.gone(process.kill())
    # A process with threads may be reported as ended before it can be waited for. The machine notices the end
    # of other processes' children late.
    ended = process.wait(60.0) and adopted.wait(60.0)
    tell(gone=gone, ended=ended, alive=process.alive, states=states())


# Whether the link from node1 to node2 works, and the reverse link.
_OPEN, _ONE_WAY, _SHUT = (True, True), (False, True), (False, False)


def _reach(lab: SshLab, expected: tuple[bool, bool]) -> list[bool]:
    """Return whether each direction works; a busy machine needs longer to notice that it does."""
    ways = (("node1", "node2"), ("node2", "node1"))
    return [
        lab.network.reaches(*way, timeout=2.0 if target else 0.3)
        for way, target in zip(ways, expected, strict=True)
    ]


def _cuts(lab: SshLab) -> None:
    tell(before=_reach(lab, _OPEN))
    way = [("node1", "node2")]
    lab.network.cut(way)
    lab.network.cut(way)
    tell(cut=_reach(lab, _ONE_WAY), dropped=lab.network.frames_cut() > 0)
    lab.network.heal(way)
    tell(once=_reach(lab, _ONE_WAY))
    lab.network.heal(way)
    tell(healed=_reach(lab, _OPEN))
    lab.network.cut(way, [5432])
    tell(port=_reach(lab, _OPEN))
    lab.network.heal(way, [5432])


def links(lab: SshLab) -> None:
    """Measure the link between two hosts: as set between sites, and under a temporary change."""
    first, second = (lab.add_host(name, Root()) for name in ("node1", "node2"))

    allowed = "grep Cpus_allowed_list /proc/self/status"
    tell(processors=[host.commands.run(["sh", "-c", allowed]).split()[-1] for host in (first, second)])

    def way() -> float:
        """Return the round trip time, in milliseconds."""
        script = str(Path(roundtrip.__file__))
        command = first.commands.outside([sys.executable, "-I", "-S", script, second.address])
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    tell(sites=[lab.sites.of("node1"), lab.sites.of("node2")], set=way(), reached=_reach(lab, _OPEN))
    lab.network.impair(("east", "west"), LinkSettings(rtt=0.1))
    tell(impaired=way())
    lab.network.impair("node2", LinkSettings(rtt=0.08))
    tell(both=way())
    lab.network.restore(("east", "west"))
    lab.network.restore("node2")
    tell(restored=way())
    lab.network.impair("node2", LinkSettings(loss=1.0))
    tell(lost=_reach(lab, _SHUT))
    lab.network.restore("node2")
    lab.network.cut([("node1", "node2")])
    tell(cut=_reach(lab, _ONE_WAY))
    lab.network.heal([("node1", "node2")])
    lab.require_sound()


def wait(lab: SshLab) -> None:
    """Cut the network, start a process, and wait until another process ends this one."""
    first, second = (lab.add_host(name, Root()) for name in ("node1", "node2"))
    lab.network.cut([("node1", "node2"), ("node2", "node1")])
    lab.network.impair("node1", LinkSettings(rtt=0.01))
    first.commands.spawn(["sleep", "1234"])
    second.commands.spawn_outside(["sleep", "1234"], log="sleep.out")
    while not any("(sleep)" in text for _, text, _, _ in first.processes.reported() or []):
        time.sleep(0.02)
    tell(ready=True)
    time.sleep(600)


if __name__ == "__main__":
    machines = read(Path(sys.argv[1]))
    network = NetworkSettings(link=LinkSettings(rtt=0.04)) if machines.sites else None
    with SshLab(Path(sys.argv[2]), machines, network) as made:
        {"look": look, "links": links, "wait": wait}[sys.argv[3]](made)
