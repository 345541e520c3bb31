"""MHA (Master High Availability Manager 0.58): fails over by file and position, with the logs of all nodes.

It pings the primary. When the primary does not answer, MHA fetches by SSH the part of its binary log that
replicas lack, lets the most advanced replica give the others what they lack, and promotes one of them. Then
it ends: an administrator has to repair the old primary and start MHA again. `repeat` automates that.
"""

import shlex
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from fivenines.base.errors import FiveninesError, brief
from fivenines.base.threads import Background
from fivenines.base.units import Duration
from fivenines.base.waiting import wait_until
from fivenines.failover.managers import lab_requests
from fivenines.failover.managers.base import Manager
from fivenines.failover.managers.mha import files as mha_files
from fivenines.failover.managers.mha.log import Reader
from fivenines.failover.managers.mha.sshd import SshServers
from fivenines.failover.managers.settings import ManagerSettings
from fivenines.failover.requests import Requests
from fivenines.lab.host import Host
from fivenines.lab.processes.look import Command
from fivenines.lab.processes.process import Process
from fivenines.servers import secrets
from fivenines.servers.base import REPLICATION, Server
from fivenines.servers.cluster.cluster import Cluster
from fivenines.servers.cluster.events import ManagerEvent
from fivenines.servers.cluster.timeouts import table
from fivenines.servers.cluster.topology import Topology
from fivenines.software.store import engine

# The server's engine, which MHA's root file system contains, too.
_SERVER = "mariadb-10.11"

NodeName = Annotated[str, Field(pattern=r"^node[1-9]\d*$")]


class MhaSettings(ManagerSettings):
    """After four failed pings MHA saves the dead primary's log by SSH and promotes a replica."""

    host = "manager"
    software = "mha-0.58"
    # A replica gets missing events out of the relay log of another replica.
    for_vms = False
    server_settings: ClassVar[Mapping[str, str | int | float | bool]] = {"relay_log_purge": False}

    # Keys of MHA's configuration files.
    elsewhere: ClassVar[Mapping[str, str]] = {
        "candidate_master": "write `candidates: [node2]`",
        "secondary_check_script": "write `secondary_check`",
        "shutdown_script": "write `fence`",
        "master_ip_failover_script": "choose an `access` that MHA moves, as virtual-address",
        "last_failover_minute": "write `last_failover`",
    }
    failover_fact = "MHA promotes the most advanced replica, and ends; it has to be started again"
    # Whole seconds; MHA acts at the fourth failed ping (MHA documentation, ping_interval).
    timeouts = table("ping_interval", (1,), (2,), (3,), (5,), (8,), (15,))

    kind: Literal["mha"] = Field(description="MHA 0.58, with patches for MariaDB")
    ping_interval: Annotated[int, Field(ge=1)] = Field(
        3, description="interval of pings, in whole seconds; MHA acts at the fourth failure"
    )
    ping_type: Literal["select", "connect", "insert"] = Field(
        "select", description="what a ping does; insert detects failing disks"
    )
    secondary_check: bool = Field(
        False, description="ask the replicas whether they reach the primary before a failover"
    )
    candidates: list[NodeName] = Field(
        default_factory=list, description="nodes to prefer as the new primary, as [node2]"
    )
    no_master: list[NodeName] = Field(
        default_factory=list, description="nodes that are never promoted, as [node3]"
    )
    fence: bool = Field(
        True, description="make sure that the old primary is dead before promoting (shutdown_script)"
    )
    last_failover: Duration = Field(
        0.0,
        description="refuse a failover within this time after the last one; MHA's default is 8h. 0s: never "
        "refuse (--ignore_last_failover)",
    )
    repeat: bool = Field(True, description="start MHA again after a failover, once all nodes are members")
    ssh_port: Annotated[int, Field(ge=1024, le=65535)] = Field(
        2222, description="port of the SSH servers on the nodes"
    )

    @property
    def watch_period(self) -> float:
        return float(self.ping_interval)

    def problems_with(self, topology: Topology) -> list[str]:
        problems = []
        if topology.engine != _SERVER:
            problems.append(f"manager mha works with the engine {_SERVER}, not with {topology.engine}")
        names = [f"node{number}" for number in range(1, topology.nodes + 1)]
        for key in ("candidates", "no_master"):
            if unknown := [name for name in getattr(self, key) if name not in names]:
                known = f"node1 to {names[-1]}"
                problems.append(f"manager.{key}: there is no {unknown[0]}: the nodes are {known}")
        if both := set(self.candidates) & set(self.no_master):
            problems.append(
                f"manager: {min(both)} is in candidates and in no_master: remove it from one of them"
            )
        if set(names[1:]) <= set(self.no_master):
            problems.append("manager.no_master: it excludes all replicas: leave one out")
        return problems


class Mha(Manager[MhaSettings]):
    """Runs masterha_manager on a separate host, and sshd on every node."""

    settings_type = MhaSettings

    def __init__(self, settings: MhaSettings, solution: Cluster[Any]) -> None:
        super().__init__(settings, solution)
        self._events: list[ManagerEvent] = []
        self._process: subprocess.Popen[str] | None = None
        # The process that fivenines has ended, which is not a failure.
        self._ended: subprocess.Popen[str] | None = None
        # Locked while MHA is started, stopped or replaced by a switchover.
        self._busy = threading.RLock()
        self._over = threading.Event()
        self._killed = False
        # Whether fivenines has ended MHA and will start it again.
        self._resume = False
        self._unguarded = False
        self._acting = False

    def configure(self) -> None:
        self.host = self.solution.lab.add_host("manager", engine(self.settings.software).root())
        self.ssh = SshServers(self.solution.nodes, self.host, self.settings.ssh_port)
        self.ssh.configure()
        self._write_files()

    def start(self) -> None:
        self.ssh.start()
        self._keep_passwords()
        self._requests = Requests([self.host], dict.fromkeys(mha_files.REQUESTS, self._serve))
        try:
            self._launch()
        except FiveninesError:
            self.stop()
            raise
        Background(target=self._keep).start()

    def start_on(self, node: Server) -> None:
        self.ssh.start_on(node)

    def events(self) -> list[ManagerEvent]:
        return list(self._events)

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def programs(self, host: str) -> Sequence[Command]:
        if self._process is None or host != self.settings.host:
            return []
        return [self._running(self._process)]

    @property
    def at_work(self) -> bool:
        return self._acting

    @property
    def settled(self) -> bool:
        # It ends with a failover, and checks all nodes for seconds before it watches again.
        if not self.settings.repeat:
            return True
        if not self._busy.acquire(blocking=False):
            return False
        try:
            return self.alive
        finally:
            self._busy.release()

    def kill(self) -> None:
        self._killed, self._ended = True, self._process
        if self._process is not None:
            self._kill(self._process)

    def restart(self) -> None:
        self._killed = False
        with self._busy:
            if not self.alive:
                self._launch()

    def stop(self) -> None:
        self._over.set()
        self._end()
        self._requests.stop()

    def switch_over(self) -> str:
        with self._busy:
            # MHA must be ended for a switchover, and could not be started again afterwards.
            if missing := self._missing_for_mha():
                raise FiveninesError(f"no switchover: {missing}")
            self._end()
            self._resume = True
            reader = self._reader()
            command = shlex.split(_SWITCH)
            done = self.host.commands.spawn_piped([*command, *_CONFIGURED])
            bound = threading.Timer(_SWITCHOVER, self._kill, (done,))
            bound.start()
            self._listen(done, reader)
            bound.cancel()
            if done.wait() != 0 or not reader.promoted:
                reason = reader.refusal() or f"MHA ended with status {done.returncode}"
                self._record("failed", reader.primary, reason)
                raise FiveninesError(f"no switchover: {reason}")
            self._record("repointed", reader.primary, f"follows {reader.promoted}")
            return reader.promoted

    # starting

    def _write_files(self) -> None:
        conf = self.host.node / "conf"
        synchronous = bool(self.solution.manager_facts().get("synchronous"))
        online = mha_files.online_change_script(synchronous, self.entry)
        scripts = {mha_files.ONLINE_CHANGE: online}
        if self.settings.fence:
            scripts[mha_files.SHUTDOWN] = mha_files.shutdown_script()
        if synchronous or self.entry is not None:
            scripts[mha_files.FAILOVER] = mha_files.failover_script(synchronous, self.entry)
        self._scripts = {Path(path).name: path for path in scripts}
        for path, text in scripts.items():
            script = conf / Path(path).name
            script.write_text(text)
            script.chmod(0o755)
        self._write_configuration()

    def _write_configuration(self) -> None:
        file = self.host.node / "conf" / Path(mha_files.CONFIGURATION).name
        file.write_text(self._configuration())

    def _keep_passwords(self) -> None:
        password = self.solution.passwords.replication
        options = secrets.client_options(REPLICATION, password)
        secrets.write(self.host, f"{REPLICATION}.cnf", options)
        secrets.write(self.host, mha_files.SECRETS, mha_files.secret_configuration(password))
        for host in (self.host, *(node.host for node in self.solution.nodes)):
            host.commands.run(["sh", "-c", mha_files.patch()])

    def _configuration(self) -> str:
        settings = self.settings
        more: dict[str, object] = {
            **self._scripts,
            "ssh_port": settings.ssh_port,
            "ping_interval": settings.ping_interval,
            "ping_type": settings.ping_type.upper(),
        }
        if settings.secondary_check:
            # MHA refuses a failover while a host of the secondary check is unavailable: leave out the
            # primary.
            others = [
                node for node in self.solution.nodes if node is not self.solution.roles.primary_of_record
            ]
            hosts = " ".join(f"-s {node.host.address}" for node in others)
            more["secondary_check_script"] = f"masterha_secondary_check --port={settings.ssh_port} {hosts}"
        return mha_files.manager_configuration(
            [(node.host.address, self._block(node)) for node in self.solution.nodes], more
        )

    def _block(self, node: Server) -> list[str]:
        marks = {"candidate_master": self.settings.candidates, "no_master": self.settings.no_master}
        return [f"{mark}=1" for mark, names in marks.items() if node.name in names]

    def _launch(self) -> None:
        """Start masterha_manager; return when it watches the primary."""
        self._write_configuration()
        command = ["masterha_manager", *_CONFIGURED]
        if self.settings.last_failover > 0:
            minutes = max(1, round(self.settings.last_failover / 60))
            command.append(f"--last_failover_minute={minutes}")
        else:
            command.append("--ignore_last_failover")
        reader, process = self._reader(), self.host.commands.spawn_piped(command)
        self._process = process
        Background(target=self._attend, args=(process, reader)).start()
        try:
            wait_until(lambda: self._unready(process, reader), 90.0, "MHA did not begin to watch")
        except FiveninesError:
            self._kill(process)
            raise

    def _unready(self, process: "subprocess.Popen[str]", reader: Reader) -> str:
        if process.poll() is not None and not reader.watching:
            reason = reader.refusal() or f"it ended with status {process.returncode}"
            raise FiveninesError(f"MHA did not begin to watch: {reason}")
        return "" if reader.watching else "it still checks the nodes"

    def _reader(self) -> Reader:
        names = {node.host.address: node.name for node in self.solution.nodes}
        return Reader(names, self.solution.roles.primary_of_record.name)

    # events

    def _attend(self, process: "subprocess.Popen[str]", reader: Reader) -> None:
        """Read the output of one masterha_manager from its start to its end."""
        self._listen(process, reader)
        status = process.wait()
        if status > 0 and process is not self._ended:
            self._record("failed", reader.primary, reader.refusal() or f"MHA ended: status {status}")

    def _listen(self, process: "subprocess.Popen[str]", reader: Reader) -> None:
        assert process.stdout is not None
        with (self.host.node / "log" / "mha.log").open("a") as log:
            for line in process.stdout:
                log.write(line)
                log.flush()
                for event in reader.read(line, time.monotonic_ns()):
                    if event.kind == "promoted":
                        self.solution.roles.appoint(event.node)
                    self._acting = reader.acting
                    if event.kind == "fenced" and self.found_when_fenced:
                        detail = f"{event.detail}; {self.found_when_fenced}"
                        self._events.append(replace(event, detail=detail))
                    else:
                        self._events.append(event)
        self._acting = False

    def _record(self, kind: str, node: str, detail: str) -> None:
        """Record an event; repetitions are left out."""
        last = self._events[-1] if self._events else None
        if last is None or (last.kind, last.node, last.detail) != (kind, node, detail):
            self._events.append(ManagerEvent(time.monotonic_ns(), kind, node, detail))

    # requests

    def _serve(self, host: Host, request: list[str]) -> str:
        """Serve a request of its scripts to the lab."""
        kind, address = request if len(request) == 2 else ("", "")
        try:
            name = self._reader().names.get(address, address)
            lab_requests.serve(self, kind, name)
        except FiveninesError as error:
            return brief(error)
        if kind == "entry":
            self._record(kind, name, f"HAProxy leads writes to {address}")
        return "done"

    # life cycle

    def _keep(self) -> None:
        """Start MHA again after a failover, once the old primary is a member again."""
        while not self._over.wait(_LOOK):
            if self.alive or self._killed or not self._busy.acquire(blocking=False):
                continue
            try:
                self._look_after()
            except Exception as error:
                self._record("failed", self.solution.roles.primary_of_record.name, brief(error))
                self._over.wait(_BETWEEN_STARTS)
            finally:
                self._busy.release()

    def _look_after(self) -> None:
        missing = self._missing_for_mha()
        if not missing and (self.settings.repeat or self._resume):
            self._launch()
            self._resume = self._unguarded = False
        elif missing and not self._unguarded and not self.solution.roles.primary_of_record.answers():
            self._unguarded = True
            name = self.solution.roles.primary_of_record.name
            self._record("failed", name, f"no failover manager runs: MHA has ended, and {missing}")

    def _missing_for_mha(self) -> str:
        """Return the node with which MHA would refuse to start, and why; empty if there is none."""
        return next(filter(None, map(self._missing, self.solution.nodes)), "")

    def _missing(self, node: Server) -> str:
        return (
            self.solution.membership.not_joined_reason(node)
            if node.answers()
            else f"{node.name} does not answer"
        )

    def _end(self) -> None:
        self._ended = self._process
        if self._process is not None:
            self._running(self._process).terminate(5.0)

    def _running(self, process: "subprocess.Popen[str]") -> Process:
        return self.host.commands.process_inside(process, None)  # type: ignore[arg-type]

    def _kill(self, process: "subprocess.Popen[str]") -> None:
        """Send SIGKILL to all processes of a command; return when it has ended."""
        running = self._running(process)
        running.gone(running.kill())
        running.wait(5.0)


_SWITCH = "masterha_master_switch --master_state=alive --interactive=0 --orig_master_is_new_slave"

_CONFIGURED = (f"--conf={mha_files.CONFIGURATION}", f"--global_conf={secrets.seen_inside(mha_files.SECRETS)}")

# Longest time in seconds that a switchover may take.
_SWITCHOVER = 90.0

# Seconds between two checks of an MHA that has ended.
_LOOK = 0.5

# Seconds until MHA is started again after it refused to start.
_BETWEEN_STARTS = 2.0
