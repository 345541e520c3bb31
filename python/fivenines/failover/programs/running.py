"""A running custom program on a host: files from templates, events from its log."""

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fivenines.base.errors import FiveninesError, brief
from fivenines.base.threads import Background
from fivenines.base.waiting import wait_until
from fivenines.failover.programs import port_check, templates
from fivenines.failover.programs.marks import Reader, goes_on, names_of
from fivenines.failover.programs.settings import ProgramParts
from fivenines.failover.programs.tailing import Tail
from fivenines.lab.processes.process import Process
from fivenines.servers import secrets
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Server, inside
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.software.program_root import seen_at

# User id of the program. Many such programs refuse to run as root.
_UID = 1000

# Longest time in seconds for a short command of the program: a readiness check, or a notification.
_COMMAND = 10.0

# Exit statuses after SIGKILL.
_KILLED = (-9, 137)

# Longest time in seconds that a switchover may take.
_SWITCHOVER = 90.0


class Running:
    """A running program. Its files contain passwords, so only copies without them are kept.

    Args:
        settings: the user's settings.
        solution: the cluster; the program's host is in the same lab.
        place: the name of that host.
        ports: write and read port of clients, 0 for none.
    """

    def __init__(
        self, settings: ProgramParts, solution: Cluster[Any], place: str, ports: tuple[int, int]
    ) -> None:
        self.settings = settings
        self.solution = solution
        self._place = place
        self._ports = ports
        self._events: list[ManagerEvent] = []
        # The process that fivenines has ended, which is not a failure.
        self._ended: Process | None = None
        self._ready_line_seen = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._tails: list[Tail] = []
        # Number of events before the last start.
        self._since = 0
        self._process: Process | None = None

    def configure(self) -> None:
        """Add its host and write its files there."""
        self._root = self.settings.root_seen()
        self.host = self.solution.lab.add_host(self._place, self._root)
        self.write_files()

    def start(self) -> None:
        """Start it on its host; return when it is ready."""
        log = self.host.node / "log"
        nodes = {node.name: (node.host.address, node.port) for node in self.solution.nodes}
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
        """Start it again after it ended; return when it is ready.

        Raises:
            FiveninesError: it does not become ready; with its last output.
        """
        settings = self.settings
        self.write_files()
        for tail in self._tails:
            tail.skip()
        self._ready_line_seen.clear()
        self._since = len(self._events)
        self._process = self.host.commands.spawn(
            self.rendered(settings.command), uid=self._uid, log=self._output
        )
        what = f"{settings.called} {'accepts no clients' if self._ports[0] else 'is not ready'}"
        try:
            wait_until(self._not_ready, settings.ready.within, what, 0.05)
        except FiveninesError as error:
            raise FiveninesError(f"{error}\n{self._last_words()}") from error
        Background(target=self._attend, args=(self.process,)).start()

    @property
    def process(self) -> Process:
        """Return its process, which may have ended; only after the first start."""
        assert self._process is not None
        return self._process

    def end(self) -> None:
        """End it as an administrator would: SIGTERM, and SIGKILL after some seconds."""
        self._ended = self.process
        self.process.terminate(5.0)

    def kill(self) -> None:
        """Send SIGKILL; return when it has ended."""
        self._ended = self.process
        self.process.gone(self.process.kill())
        self.process.wait(5.0)

    def stop(self) -> None:
        """End it, and stop reading its log."""
        if self._process is not None:
            self.end()
        self._end_tails()

    def events(self) -> list[ManagerEvent]:
        """Return the events from its log, and those that were noted about it."""
        return list(self._events)

    @property
    def at_work(self) -> bool:
        """Return whether a failover is in progress, according to its log since the last start."""
        now = time.monotonic_ns()
        return self.process.alive and goes_on(self._events[self._since :], now)

    def follow(self, how: str | Sequence[str]) -> None:
        """Tell it about the new primary; errors are recorded as events only.

        Args:
            how: `restart`, the name of a signal, or a command.
        """
        called, name = self.settings.called, ""
        try:
            with self._one_at_a_time:
                name = self.solution.roles.primary_of_record.name
                self.write_files()
                if not self.process.alive:
                    raise FiveninesError("it does not run")
                self._notify(how)
            self.note("repointed", f"{called} was notified that {name} is the primary")
        except Exception as error:
            self.note("failed", f"{called} could not be notified that {name} is the primary: {brief(error)}")

    def run(self, command: Sequence[str], timeout: float = _COMMAND, node: str = "") -> str:
        """Run one of its commands on its host; return the output.

        Raises:
            FiveninesError: it failed, or took longer than `timeout` seconds.
        """
        try:
            return self.host.commands.run(self.rendered(command, node), uid=self._uid, timeout=timeout)
        except FiveninesError as error:
            raise FiveninesError(self._hidden(str(error))) from None

    def switch_over(self) -> str:
        """Request a planned switchover; return the name of the new primary.

        Raises:
            FiveninesError: it did not make one; with the reason.
        """
        if not self.settings.switchover:
            raise FiveninesError(f"{self.settings.called} has no command for a switchover: set `switchover`")
        known = len(self._events)
        former = self.solution.roles.primary_of_record.name
        self.run(self.settings.switchover, _SWITCHOVER)
        new = ""

        def missing() -> str:
            nonlocal new
            if not self.process.alive:
                raise FiveninesError(f"no switchover: {self.settings.called} has ended")
            events = self._events[known:]
            if failed := [event.detail for event in events if event.kind == "failed"]:
                raise FiveninesError(f"no switchover: {failed[-1]}")
            new = next(
                (event.node for event in events if event.kind == "promoted" and event.node != former), ""
            )
            return "" if new else "its log shows no new primary"

        wait_until(missing, _SWITCHOVER, "no switchover", 0.02)
        return new

    def note(self, kind: str, detail: str) -> None:
        """Record an event about it."""
        event = ManagerEvent(time.monotonic_ns(), kind, self._place, self._hidden(detail))
        self._events.append(event)

    def rendered(self, command: Sequence[str], node: str = "") -> list[str]:
        """Render the words of a command; `node` is the node that a template calls by that name."""
        more = {"node": self._node(self.solution.node(node))} if node else {}
        facts = self._facts()
        return [templates.rendered(word, facts, more) for word in command]

    def write_files(self) -> None:
        """Render its files again, with the current primary."""
        facts = self._facts()
        for name, template in self.settings.files.items():
            text = templates.rendered(template, facts)
            secrets.write(self.host, name, text)
            (self.host.node / "conf" / name).write_text(self._hidden(text))
        if self._uid is not None:
            self.host.files.own("log", "run", "conf", secrets.FOLDER, uid=self._uid)

    @property
    def _uid(self) -> int | None:
        return None if self.settings.as_root else _UID

    @property
    def _output(self) -> str:
        return f"{self.settings.called}.out"

    def _facts(self) -> templates.Facts:
        """Return the values for its templates."""
        nodes = [self._node(node) for node in self.solution.nodes]
        primary = self._node(self.solution.roles.primary_of_record)
        given, (write_port, read_port) = self.solution.passwords, self._ports
        return templates.Facts(
            nodes=nodes,
            primary=primary,
            replicas=[node for node in nodes if node.name != primary.name],
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

    def _notify(self, how: str | Sequence[str]) -> None:
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
            self._ready_line_seen.set()

    def _hear(self, line: str) -> None:
        """Process a line of its log: events, and whether it is ready."""
        self._look_for_readiness(line)
        primary = self.solution.roles.primary_of_record.name
        event = self._reader.read(self._hidden(line), time.monotonic_ns(), primary)
        if event is None:
            return
        self._events.append(event)
        if event.kind == "promoted" and event.node != primary:
            self.solution.roles.appoint(event.node)

    def _not_heard(self, why: str) -> None:
        self.note("failed", f"a line of its log could not be read: {why}")

    def _end_tails(self) -> None:
        for tail in self._tails:
            tail.stop()

    def _hidden(self, text: str) -> str:
        return self.solution.passwords.hidden(text)

    def _attend(self, process: Process) -> None:
        """Record an event if it ends unexpectedly."""
        status = process.popen.wait()
        if process is self._ended:
            return
        # A fault sends SIGKILL, and so does the kernel of a host without memory.
        kind = "killed" if status in _KILLED else "failed"
        self.note(kind, f"{self.settings.called} ended with status {status}")

    def _not_ready(self) -> str:
        if not self.process.alive:
            raise FiveninesError(f"{self.settings.called} ended")
        ready = self.settings.ready
        if ready.says is not None and not self._ready_line_seen.is_set():
            return f"it has not logged a line with {ready.says!r}"
        if reason := self._not_answering(ready.port or self._ports[0], ready.path):
            return reason
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
        command = [sys.executable, "-m", port_check.__name__, self.host.address, str(port)]
        done = subprocess.run(
            self.host.commands.outside([*command, *([path] if path else [])]),
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )
        return (done.stdout.strip() or done.stderr.strip()[-200:]) if done.returncode else ""

    def _last_words(self) -> str:
        output = self._hidden(self.process.log_tail())
        return "\n".join(f"  {line}" for line in output.splitlines()) or "  (no output)"
