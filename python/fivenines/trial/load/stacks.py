"""The client stacks of a trial: their programs on the host of the load, and what they leave in the database.

Their pools open before the load starts, so that the cost of starting is in no figure. They end with the load.
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fivenines.analysis.stacks.figures import silent_us
from fivenines.base.errors import FiveninesError, brief
from fivenines.base.threads import Background
from fivenines.experiment.sections.stacks import StackSettings, stacks_of
from fivenines.load.stacks import rows
from fivenines.load.stacks.measure import file_name, table
from fivenines.load.stacks.process import RunningStack, await_turn
from fivenines.load.stacks.protocol import Task, read
from fivenines.load.stacks.sockets import connections
from fivenines.results import store
from fivenines.results.stacks import StackRecord
from fivenines.trial.deployment.deployed import Deployed

# Seconds between two looks at the connections of the programs.
_EVERY = 0.25

# Seconds in which the rows must have been read.
_READ = 60.0


@dataclass
class _One:
    """A stack of the trial; its moments are us of CLOCK_MONOTONIC."""

    settings: StackSettings
    program: RunningStack
    begun_us: int
    ended_us: int = 0
    problems: list[str] = field(default_factory=list)
    unread: str = "the trial failed before"


class Stacks:
    """The client stacks of a trial.

    Args:
        section: the section of the experiment; stacks that speak to other servers are left out.
        deployed: the loaded deployment, whose client's host is running.
        part: the trial's folder.
    """

    def __init__(self, section: Sequence[StackSettings], deployed: Deployed, part: Path) -> None:
        self._section = stacks_of(section, deployed.solution.settings) if section else []
        self._deployed, self._part = deployed, part
        self._folder = part / "stacks"
        self._all: list[_One] = []
        self._started_ns = 0
        self._over = threading.Event()
        self._looking: Background | None = None
        self._connections: list[tuple[float, int, str, int]] = []
        self._seen: list[dict[str, int]] = []

    def start(self) -> None:
        """Create their tables, start their programs, and wait until all pools are open.

        Raises:
            FiveninesError: a table could not be created, or a program could not open its pool.
        """
        if not self._section:
            return
        self._folder.mkdir()
        primary = self._deployed.solution.roles.certain_primary()
        host = self._deployed.client
        if primary is None or host is None:
            raise FiveninesError("the client stacks have no writable server to begin with")
        for settings in self._section:
            task = self._task(settings)
            try:
                rows.create(primary.sql.open_data, task, task.user)
            except Exception as error:  # each driver has its own exceptions
                raise FiveninesError(
                    f"stack {task.name}: its table could not be created: {brief(error)}"
                ) from None
            begun = time.monotonic_ns() // 1000
            command = host.commands.outside(settings.program)
            program = RunningStack(command, task, self._folder / file_name(task.name))
            self._all.append(_One(settings, program, begun))
            await_turn([one.program for one in self._all])
        for one in self._all:
            one.program.await_ready()
        self._seen = [{} for _ in self._all]

    def watch(self, started_ns: int) -> None:
        """Record their connections from now on; `started_ns` is the start of the load."""
        self._started_ns = started_ns
        if self._all:
            self._looking = Background(target=self._look_on)
            self._looking.start()

    def require_service(self) -> None:
        """Check that every stack has committed: an outage of one that never did would mean nothing.

        Raises:
            FiveninesError: one has not; with its last error.
        """
        for one in self._all:
            if not one.program.committed:
                raise FiveninesError(
                    f"stack {one.program.task.name} committed nothing before the fault: "
                    f"{one.program.last_failure or one.program.errors}"
                )

    @property
    def back(self) -> bool:
        """Return whether every worker of every running stack has committed in the last seconds."""
        now = time.monotonic_ns() // 1000
        return all(
            one.program.exit_code is not None
            or one.program.all_since(now - round(silent_us(one.program.task.longest_pause_ms)))
            for one in self._all
        )

    def end(self) -> None:
        """End all programs that are still running, as the load has ended."""
        self._over.set()
        if self._looking is not None:
            self._looking.join()
            self._looking = None
        now = time.monotonic_ns() // 1000
        for one in self._all:
            if not one.ended_us:
                one.ended_us = now
                one.problems = one.program.end()

    def keep(self) -> None:
        """Write the tables of attempts and connections, after `end`.

        If the load did not start, the programs' lines stay as they are, for the reader of a broken trial.
        """
        if not self._all or not self._started_ns:
            return
        start = self._started_ns // 1000
        every: list[tuple[object, ...]] = []
        pools: list[tuple[object, ...]] = []
        for number, one in enumerate(self._all):
            with one.program.file.open() as lines:
                found, samples = read(lines)
            every += [
                (
                    number,
                    item.worker,
                    item.n,
                    item.attempt,
                    item.started_us - start,
                    item.completed_us - start,
                    item.outcome,
                    item.stage,
                    item.code,
                )
                for item in found
            ]
            pools += [(number, sample.at_us - start, *sample[1:]) for sample in samples]
            one.program.file.unlink(missing_ok=True)
        self._folder.rmdir()
        store.write_table(self._part, "stack_attempts", every)
        store.write_table(self._part, "stack_connections", self._connections)
        store.write_table(self._part, "stack_pools", pools)

    def read_rows(self) -> None:
        """Read the rows of each stack from the primary, once the trial has settled."""
        if not self._all:
            return
        primary = self._deployed.solution.roles.certain_primary()
        found: list[tuple[int, int, int]] = []
        deadline = time.monotonic() + _READ
        for number, one in enumerate(self._all):
            if primary is None:
                one.unread = "no node accepts writes after the trial"
                continue
            try:
                if time.monotonic() > deadline:
                    raise FiveninesError(f"rows of other stacks took more than {_READ:g} s")
                counted = rows.counted(primary.sql.open_data, one.program.task.table)
                found += [(number, n, count) for n, count in counted.items()]
                one.unread = ""
            except Exception as error:  # each driver has its own exceptions
                one.unread = brief(error)
        store.write_table(self._part, "stack_rows", found)

    def records(self) -> list[StackRecord]:
        """Return the record of each stack, after `end`."""
        return [self._record(one) for one in self._all]

    def _record(self, one: _One) -> StackRecord:
        task, start = one.program.task, self._started_ns // 1000
        ready, gone = one.program.ready, one.program.gone_us
        return StackRecord(
            name=task.name,
            stack=one.settings.stack or "",
            versions=ready.driver if ready else "",
            options=dict(one.settings.options),
            servers=list(task.servers),
            workers=task.workers,
            think_ms=task.think_ms,
            pause_ms=task.pause_ms,
            repeat=task.repeat,
            idempotent=bool(task.suffix),
            ready_seconds=round((ready.at_us - one.begun_us) / 1e6, 3) if ready else 0.0,
            ended_ms=None if gone is None or gone >= one.ended_us else round((gone - start) / 1000, 3),
            end_ms=round((one.ended_us - start) / 1000, 3),
            problems=one.problems,
            unread=one.unread,
        )

    def _look_on(self) -> None:
        while not self._over.wait(_EVERY):
            self._look()

    def _look(self) -> None:
        """Record changes of connections to servers."""
        for number, one in enumerate(self._all):
            found = connections(one.program.pid)
            if found is None:
                continue
            # After the look: a connection that it has not found is gone at this moment.
            at = round((time.monotonic_ns() - self._started_ns) / 1e6, 1)
            before = self._seen[number]
            for server in {**before, **found}:
                if before.get(server, 0) != found.get(server, 0):
                    self._connections.append((at, number, server, found.get(server, 0)))
            self._seen[number] = found

    def _task(self, settings: StackSettings) -> Task:
        node = self._deployed.solution.nodes[0]
        servers = self._deployed.access.endpoints().write
        user, password = node.application
        return Task(
            settings.called,
            settings.speaks,
            tuple(servers),
            user,
            password,
            node.database,
            table(),
            settings.workers,
            round(1000 * settings.think),
            round(1000 * settings.pause),
            bool(settings.repeat),
            rows.suffix(settings.speaks, settings.repeat == "idempotent"),
            dict(settings.options),
        )
