"""Test the owners of CPU seconds: hosts, the controller and its children, the kernel, others."""

import os
import subprocess
import sys
import time
from dataclasses import replace

from fivenines.trial.observers.machine import OTHERS, Machine
from fivenines.trial.observers.processes import SERVE, Look, Other, Processes, Seen, Used


def _other(cpu: float, parent: int = 1, name: str = "cc", **changes: bool) -> Other:
    one = Other(name, "-", False, Seen(parent, Used(cpu)), cpu)
    return replace(one, **changes)  # type: ignore[arg-type]


def test_distinguishes_the_owners_of_processes() -> None:
    machine = Machine(controller=50)
    first = {
        (1, 0): _other(5.0, 0, "init"),
        (50, 1): _other(10.0, 1, "python"),
        (51, 1): _other(0.0, 50, "fivenines-core"),
        (60, 1): _other(7.0, 1, "cc"),
        (2, 0): _other(3.0, 0, "kworker", kernel=True),
    }
    zero = dict(machine.rows(Look({"node1": {(70, 1): Seen(51, Used(2.0))}}, first)))
    assert {zero[name] for name in ("lab_s", "others_s", "controller_s", "kernel_s")} == {0.0}
    assert zero["cores"] >= 1
    later = {
        **first,
        (50, 1): _other(10.5, 1, "python"),
        (52, 2): _other(0.25, 51, "sh"),
        (60, 1): _other(8.0, 1, "cc"),
        (61, 2): _other(0.5, 1, "cc"),
        (2, 0): _other(3.125, 0, "kworker", kernel=True),
    }
    found = dict(machine.rows(Look({"node1": {(70, 1): Seen(51, Used(4.0))}}, later)))
    assert found["lab_s"] == 2.0
    assert found["controller_s"] == 0.75
    assert found["kernel_s"] == 0.125
    assert found["others_s"] == 1.5
    names = {name: value for name, value in found.items() if name.startswith(OTHERS)}
    assert list(names.values()) == [1.5] and next(iter(names)).startswith("others_s:cc (user ")


def test_counts_processes_that_ended_between_scans_by_parent() -> None:
    machine = Machine(controller=50)
    dict(machine.rows(Look({}, {(60, 1): _other(1.0)})))
    compiled = replace(_other(1.0), seen=Seen(1, Used(3.0)))
    assert dict(machine.rows(Look({}, {(60, 1): compiled})))["others_s"] == 2.0


def test_sees_a_real_busy_foreign_process() -> None:
    processes, machine = Processes(), Machine(controller=os.getpid())
    spin = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        outside = Machine(controller=spin.pid)
        for _ in range(2):
            look = processes.look({})
            of_us, of_others = dict(machine.rows(look)), dict(outside.rows(look))
            time.sleep(0.6)
    finally:
        spin.kill()
        spin.wait()
    # seen from us it is our own child; seen from itself, the rest of the lab is others
    assert of_us["controller_s"] > 0.02
    assert of_others["controller_s"] > 0.02
    assert of_us["busy_s"] > 0 and of_us["steal_s"] >= 0


def test_counts_a_live_page_separately() -> None:
    machine = Machine(controller=50)
    first = {
        (50, 1): _other(0.0, 60, "python"),  # a run that was continued from a page
        (60, 1): _other(0.0, 1, SERVE),
        (61, 1): _other(0.0, 60, "python"),  # a report that the page makes
        (70, 1): _other(0.0, 50, SERVE),  # the page that the run has started
        (80, 1): _other(0.0, 1, "cc"),
    }
    dict(machine.rows(Look({}, first)))
    used = {50: 1.0, 60: 2.0, 61: 4.0, 70: 8.0, 80: 16.0}
    later = {
        (pid, start): replace(one, cpu=used[pid], seen=Seen(one.seen.parent, Used(used[pid])))
        for (pid, start), one in first.items()
    }
    found = dict(machine.rows(Look({}, later)))
    assert (found["controller_s"], found["serve_s"], found["others_s"]) == (1.0, 14.0, 16.0)
