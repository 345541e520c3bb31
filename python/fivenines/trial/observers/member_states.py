"""Record the states of members without SQL, as other members report them (NDB's data nodes).

A program outside each reporting host polls it and prints changes; each poll costs the cluster an answer of a
few lines. Network faults do not affect the polls, as the program runs in the host's own network.
"""

import csv
import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from fivenines.base.errors import FiveninesError
from fivenines.base.threads import Background
from fivenines.base.waiting import is_ready
from fivenines.lab.processes.process import end_within
from fivenines.servers.member import Member, StateReporter
from fivenines.trial.observers.base import Observer

# Seconds between two polls.
PERIOD = 0.1

# Seconds until an ended program is restarted, or the end of the trial is noticed.
_AGAIN = 0.2

# State of a member while no other member reports it.
UNKNOWN = "not known"


class MemberStateObserver(Observer):
    """Table `members`: each change of a member's state.

    If several members report, the first one that answers counts. If none answers, the state is unknown.
    """

    tables = ("members",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._started_ns = 0
        self._ended = threading.Event()
        self._reported: dict[str, Mapping[str, str]] = {}
        self._last: dict[str, str] = {}
        self._threads: list[Background] = []
        self._writing = threading.Lock()

    @property
    def wanted(self) -> bool:
        return bool(self._reporters())

    def start(self, started_ns: int) -> None:
        self._started_ns = started_ns
        self._stream = (self.out / "members.csv").open("w", newline="")
        self._writer = csv.writer(self._stream)
        self._writer.writerow(self.columns_of("members"))
        for member, reporter in self._reporters().items():
            self._reported[member.name] = {}
            thread = Background(target=self._listen, args=(member, reporter))
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(3.0)
        with self._writing:
            self._stream.close()

    def hear(self, who: str, states: Mapping[str, str], t_us: int) -> None:
        """Record the states of all members that one member reports at `t_us` (µs of the load)."""
        with self._writing:
            self._reported[who] = states
            now = next(filter(None, self._reported.values()), {})
            known = {**dict.fromkeys(self._last, UNKNOWN), **now}
            changed = {name: state for name, state in known.items() if self._last.get(name) != state}
            self._last.update(changed)
            if not self._stream.closed:
                self._writer.writerows((t_us, name, state) for name, state in changed.items())

    def _listen(self, member: Member, reporter: StateReporter) -> None:
        while not self._ended.is_set():
            # The host and the program in its network can be down for a while.
            with suppress(FiveninesError, OSError):
                self._listen_once(member, reporter)
            if not self._ended.wait(_AGAIN):
                self.hear(member.name, {}, self._now_us())

    def _listen_once(self, member: Member, reporter: StateReporter) -> None:
        process = subprocess.Popen(
            member.host.commands.outside(reporter.program(PERIOD)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None and process.stdout is not None
        with process.stdin, process.stdout:
            descriptor, rest = process.stdout.fileno(), b""
            while not self._ended.is_set():
                if not is_ready(_AGAIN, [descriptor]):
                    continue
                data = os.read(descriptor, 65536)
                if not data:
                    break
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self.hear(member.name, reporter.states(json.loads(line)), self._now_us())
        # The program ends when its standard input closes.
        end_within(process, 2.0)

    def _now_us(self) -> int:
        return (time.monotonic_ns() - self._started_ns) // 1000

    def _reporters(self) -> dict[Member, StateReporter]:
        reporters = {part: part.tells_states() for part in self.deployed.solution.parts}
        return {part: reporter for part, reporter in reporters.items() if reporter is not None}
