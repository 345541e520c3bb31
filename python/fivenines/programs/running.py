"""A program of one's own at work: on a host, with files made of templates, its log read for marks."""

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fivenines.cluster.cluster import Cluster
from fivenines.cluster.events import ManagerEvent
from fivenines.errors import FiveninesError, brief
from fivenines.lab.process import Process
from fivenines.programs import answers, templates
from fivenines.programs.marks import Reader, goes_on, names_of
from fivenines.programs.settings import ProgramParts
from fivenines.programs.tailing import Tail
from fivenines.servers import secrets
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Server, inside
from fivenines.software.program_root import seen_at
from fivenines.waiting import wait_until

_UID = 1000
"""Many such programs refuse to run as root."""

_COMMAND = 10.0
"""Seconds that a short command of its may take: to look whether it is ready, to tell it something."""

_KILLED = (-9, 137)
"""What SIGKILL ends with."""

_SWITCHOVER = 90.0
"""Longest time in seconds that a switchover may take."""


class Running:
    """Its files lie in the host's folder of secrets, since they have passwords; copies without are kept.

    Args:
        settings: what the user says of it.
        solution: the cluster; its host is made in the cluster's lab.
        place: the name of that host.
        ports: what clients write and read at, 0 where there is none.
    """

    def __init__(
        self, settings: ProgramParts, solution: Cluster[Any], place: str, ports: tuple[int, int]
    ) -> None:
        self.settings = settings
        self.solution = solution
        self._place = place
        self._ports = ports
        self._events: list[ManagerEvent] = []
        self._ended: Process | None = None
        """The one that we have ended: that is not a failure."""
        self._said = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._tails: list[Tail] = []
        self._since = 0
        """How many events there were when it was started."""
        self._process: Process | None = None

    def start(self) -> None:
        """Make its host and start it there; returns when it is ready."""
        self._root = self.settings.root_seen()
        self.host = self.solution.lab.add_host(self._place, self._root)
        log = self.host.node / "log"
        nodes = {one.name: (one.host.address, one.port) for one in self.solution.nodes}
        self._reader = Reader(self.settings.marks, names_of(nodes))
        heard = {self._output: self._look_for_readiness} | {self.settings.log or self._output: self._hear}
        for name, hear in heard.items():
            self._tails.append(Tail(log / name, hear, self._not_heard))
        try:
            for tail in self._tails:
                tail.start()
            self.restart()
        except BaseException:
            self._end_tails()
            raise

    def restart(self) -> None:
        """Start it again after it ended; returns when it is ready.

        Raises:
            FiveninesError: it is not; with its last words.
        """
        settings = self.settings
        self.write_files()
        for tail in self._tails:
            tail.skip()
        self._said.clear()
        self._since = len(self._events)
        self._process = self.host.spawn(self.told(settings.command), uid=self._uid, log=self._output)
        what = f"{settings.called} {'does not let clients in' if self._ports[0] else 'is not ready'}"
        try:
            wait_until(self._not_ready, settings.ready.within, what, 0.05)
        except FiveninesError as error:
            raise FiveninesError(f"{error}\n{self._last_words()}") from error
        threading.Thread(target=self._attend, args=(self.process,), daemon=True).start()

    @property
    def process(self) -> Process:
        """Its process, which may have ended; there is one once it was started."""
        assert self._process is not None
        return self._process

    def end(self) -> None:
        """End it as it is ended by hand: SIGTERM, and SIGKILL after some seconds."""
        self._ended = self.process
        self.process.terminate(5.0)

    def kill(self) -> None:
        """SIGKILL; returns when it has ended."""
        self._ended = self.process
        self.process.gone(self.process.kill())
        self.process.wait(5.0)

    def stop(self) -> None:
        """End it, and read no more of its log."""
        if self._process is not None:
            self.end()
        self._end_tails()

    def events(self) -> list[ManagerEvent]:
        """What its log and what was done to it told so far."""
        return list(self._events)

    @property
    def at_work(self) -> bool:
        """Whether it is in the midst of a failover, as far as its log has told since it was started."""
        now = time.monotonic_ns()
        return self.process.alive and goes_on(self._events[self._since :], now)

    def follow(self, how: str | Sequence[str]) -> None:
        """Tell it who the primary is now; what goes wrong is noted only.

        `how` is `restart`, the name of a signal, or a command.
        """
        called, name = self.settings.called, ""
        try:
            with self._one_at_a_time:
                name = self.solution.primary_of_record.name
                self.write_files()
                if not self.process.alive:
                    raise FiveninesError("it does not run")
                self._tell_it(how)
            self.note("repointed", f"{called} was told of {name}")
        except Exception as error:
            self.note("failed", f"{called} was not told of {name}: {brief(error)}")

    def run(self, command: Sequence[str], timeout: float = _COMMAND, node: str = "") -> str:
        """Run one of its commands on its host; what it said.

        Raises:
            FiveninesError: it failed, or took longer than `timeout` seconds.
        """
        try:
            return self.host.run(self.told(command, node), uid=self._uid, timeout=timeout)
        except FiveninesError as error:
            raise FiveninesError(self._hidden(str(error))) from None

    def switch_over(self) -> str:
        """Ask it for a planned switchover; the name of the new primary.

        Raises:
            FiveninesError: it did not make one; says why.
        """
        if not self.settings.switchover:
            raise FiveninesError(f"{self.settings.called} is not asked for a switchover: no `switchover`")
        known = len(self._events)
        former = self.solution.primary_of_record.name
        self.run(self.settings.switchover, _SWITCHOVER)
        new = ""

        def missing() -> str:
            nonlocal new
            if not self.process.alive:
                raise FiveninesError(f"no switchover: {self.settings.called} has ended")
            told = self._events[known:]
            if failed := [one.detail for one in told if one.kind == "failed"]:
                raise FiveninesError(f"no switchover: {failed[-1]}")
            new = next((one.node for one in told if one.kind == "promoted" and one.node != former), "")
            return "" if new else "its log tells of no new primary"

        wait_until(missing, _SWITCHOVER, "no switchover", 0.02)
        return new

    def note(self, kind: str, detail: str) -> None:
        """An event of ours about it."""
        told = ManagerEvent(time.monotonic_ns(), kind, self._place, self._hidden(detail))
        self._events.append(told)

    def told(self, command: Sequence[str], node: str = "") -> list[str]:
        """The words of a command that is a template; `node` is who is meant by that name in it."""
        more = {"node": self._node(self.solution.node(node))} if node else {}
        facts = self._facts()
        return [templates.rendered(word, facts, more) for word in command]

    def write_files(self) -> None:
        """Make its files anew, with the primary of now."""
        facts = self._facts()
        for name, template in self.settings.files.items():
            text = templates.rendered(template, facts)
            secrets.write(self.host, name, text)
            (self.host.node / "conf" / name).write_text(self._hidden(text))
        if self._uid is not None:
            self.host.own("log", "run", "conf", secrets.FOLDER, uid=self._uid)

    @property
    def _uid(self) -> int | None:
        return None if self.settings.as_root else _UID

    @property
    def _output(self) -> str:
        return f"{self.settings.called}.out"

    def _facts(self) -> templates.Facts:
        """What its templates get now."""
        nodes = [self._node(one) for one in self.solution.nodes]
        primary = self._node(self.solution.primary_of_record)
        given, (write_port, read_port) = self.solution.passwords, self._ports
        return templates.Facts(
            nodes=nodes,
            primary=primary,
            replicas=[one for one in nodes if one.name != primary.name],
            address=self.host.address,
            write_port=write_port,
            read_port=read_port,
            application=templates.TemplateAccount(APPLICATION, given.application),
            manager=templates.TemplateAccount(REPLICATION, given.replication),
            database=DATABASE,
            files=str(Path(secrets.seen_inside("x")).parent),
            run=inside("run"),
            log=inside("log"),
            root=seen_at(self._root),
        )

    def _node(self, node: Server) -> templates.TemplateNode:
        return templates.TemplateNode(node.name, node.host.address, node.port)

    def _tell_it(self, how: str | Sequence[str]) -> None:
        if not isinstance(how, str):
            self.run(how)
        elif how == "restart":
            self.kill()
            self.restart()
        else:
            self.process.interrupt(signal.Signals[how])

    def _look_for_readiness(self, line: str) -> None:
        says = self.settings.ready.says
        if says is not None and re.search(says, line):
            self._said.set()

    def _hear(self, line: str) -> None:
        """A line of its log: what it means, and whether it is ready now."""
        self._look_for_readiness(line)
        primary = self.solution.primary_of_record.name
        event = self._reader.read(self._hidden(line), time.monotonic_ns(), primary)
        if event is None:
            return
        self._events.append(event)
        if event.kind == "promoted" and event.node != primary:
            self.solution.appoint(event.node)

    def _not_heard(self, why: str) -> None:
        self.note("failed", f"a line of its log was not understood: {why}")

    def _end_tails(self) -> None:
        for tail in self._tails:
            tail.stop()

    def _hidden(self, text: str) -> str:
        return self.solution.passwords.hidden(text)

    def _attend(self, process: Process) -> None:
        """Tell if it ends by itself."""
        status = process.popen.wait()
        if process is self._ended:
            return
        # a fault kills it, and so does a host without memory
        kind = "killed" if status in _KILLED else "failed"
        self.note(kind, f"{self.settings.called} ended with status {status}")

    def _not_ready(self) -> str:
        if not self.process.alive:
            raise FiveninesError(f"{self.settings.called} ended")
        ready = self.settings.ready
        if ready.says is not None and not self._said.is_set():
            return f"it has not written a line with {ready.says!r}"
        if said := self._not_answering(ready.port or self._ports[0], ready.path):
            return said
        if not ready.command:
            return ""
        try:
            self.run(ready.command)
        except FiveninesError as error:
            return brief(error)
        return ""

    def _not_answering(self, port: int, path: str | None) -> str:
        if not port:
            return ""
        asked = [sys.executable, "-m", answers.__name__, self.host.address, str(port)]
        said = subprocess.run(
            self.host.outside([*asked, *([path] if path else [])]),
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )
        return (said.stdout.strip() or said.stderr.strip()[-200:]) if said.returncode else ""

    def _last_words(self) -> str:
        said = self._hidden(self.process.log_tail())
        return "\n".join(f"  {line}" for line in said.splitlines()) or "  (it wrote nothing)"
