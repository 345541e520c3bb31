"""A proxy of one's own in front of the nodes, on a host of its own: any program that listens on a port.

What it is told are files made of templates; when it lets clients in is asked of it; where it does not find
a new primary by itself, it is told once the failover manager has promoted one.
"""

import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from fivenines.access import answers, templates
from fivenines.access.base import Access
from fivenines.access.settings import AccessSettings
from fivenines.cluster.cluster import Cluster
from fivenines.cluster.endpoints import Endpoints
from fivenines.cluster.events import ManagerEvent
from fivenines.errors import FiveninesError, brief
from fivenines.lab.host import Root
from fivenines.lab.process import Process
from fivenines.servers import secrets
from fivenines.servers.base import APPLICATION, DATABASE, REPLICATION, Server, inside
from fivenines.settings import Settings
from fivenines.units import Duration
from fivenines.waiting import wait_until

Port = Annotated[int, Field(ge=1, le=65535)]

_UID = 1000
"""Many proxies refuse to run as root."""


class ReadySettings(Settings):
    """When clients can use it: all that is said must hold."""

    port: Port | None = Field(None, description="it accepts connections there; default: write_port")
    path: str | None = Field(
        None, pattern=r"^/", description="GET of this path at that port is answered with 200"
    )
    command: list[str] = Field(
        default_factory=list, description="a command on its host that succeeds (templates, too)"
    )
    within: Annotated[Duration, Field(gt=0, le=600)] = Field(
        30.0, description="longest wait until it is ready"
    )


class ProgramSettings(AccessSettings):
    """Any program that listens on a port, told by files made of templates."""

    host = "proxy"

    kind: Literal["program"] = Field(description="through a program of your own")
    name: str = Field("", description="what it is called; default: the command's name")
    command: list[str] = Field(
        min_length=1, description="how it is started, in the foreground (templates, too)"
    )
    files: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")], str] = Field(
        default_factory=dict,
        description="its files, by their names: texts that are Jinja templates",
    )
    root: Path | None = Field(
        None,
        description="folder with a whole root file system that has the program; default: the programs of "
        "this machine",
    )
    as_root: bool = Field(False, description="whether it runs as root of its host")
    write_port: Port = Field(description="where clients connect to write")
    read_port: Port | None = Field(
        None, description="where clients connect to read only, if it has such a port"
    )
    ready: ReadySettings = Field(
        default_factory=ReadySettings, description="when clients can use it"
    )
    on_promotion: (
        Literal["nothing", "restart"] | Annotated[str, Field(pattern="^SIG")] | list[str]
    ) = Field(
        "nothing",
        description="what is done when another node was promoted, after its files were made anew: "
        "nothing (it finds the primary by itself), a signal as SIGHUP, a command on its host, or restart",
    )
    looks_every: Duration = Field(
        0.0, description="time between two of its own looks at the nodes; 0: it does not look"
    )

    @property
    def watch_period(self) -> float:
        return self.looks_every

    @property
    def called(self) -> str:
        """What it is called."""
        return self.name or Path(self.command[0]).name

    def problems(self) -> list[str]:
        """What is wrong with its templates and commands."""
        how = self.on_promotion
        if isinstance(how, str) and how.startswith("SIG") and how not in signal.Signals.__members__:
            return [f"access.on_promotion: there is no signal {how}"]
        if self.root is not None and not self.root.is_absolute():
            return [f"access.root: write the whole path of {self.root}"]
        texts = [(f"files.{name}", text) for name, text in self.files.items()]
        texts += [("command", word) for word in self.command]
        texts += [("ready.command", word) for word in self.ready.command]
        texts += [("on_promotion", word) for word in how] if isinstance(how, list) else []
        return [f"access.{key}: {told}" for key, text in texts if (told := templates.problem(text))]

    def machine_problem(self) -> str:
        program = Path(self.command[0])
        if self.root is not None:
            if not self.root.is_dir():
                return f"root: there is no folder {self.root}"
            return ""
        found = shutil.which(str(program), path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin")
        if found or (program.is_absolute() and program.exists()):
            return ""
        return (
            f"command: there is no program {program} on this machine: install it, or name the folder with "
            "a root file system that has it (root)"
        )


class Program(Access[ProgramSettings]):
    """Its files lie in the host's folder of secrets, since they have passwords; copies without are kept."""

    settings_type = ProgramSettings

    def __init__(self, settings: ProgramSettings, solution: Cluster[Any]) -> None:
        super().__init__(settings, solution)
        self._events: list[ManagerEvent] = []
        self._one_at_a_time = threading.Lock()

    def start(self) -> None:
        self.host = self.solution.world.add_host("proxy", Root(lower=self.settings.root))
        self._write_files(self.solution.primary_of_record)
        self.restart()
        if self.settings.on_promotion != "nothing":
            self.solution.on_appointed.append(self._follow)

    def restart(self) -> None:
        settings = self.settings
        self._process = self.host.spawn(
            self._told(settings.command), uid=self._uid, log=f"{settings.called}.out"
        )
        what = f"{settings.called} does not let clients in"
        try:
            wait_until(self._not_ready, settings.ready.within, what, 0.05)
        except FiveninesError as error:
            raise FiveninesError(f"{error}\n{self._last_words()}") from error

    @property
    def process(self) -> Process:
        return self._process

    def endpoints(self) -> Endpoints:
        address, settings = self.host.address, self.settings
        reads = bool(self.solution.endpoints().read) and settings.read_port is not None
        return Endpoints.of_one(
            f"{address}:{settings.write_port}", [f"{address}:{settings.read_port}"] if reads else []
        )

    def events(self) -> list[ManagerEvent]:
        return list(self._events)

    def _follow(self, name: str) -> None:
        """Tell it who the primary is now; the failover manager goes on even if that fails."""
        try:
            with self._one_at_a_time:
                self._write_files(self.solution.node(name))
                self._tell_it()
            self._note("repointed", f"{self.settings.called} was told of {name}")
        except Exception as error:
            self._note("failed", f"{self.settings.called} was not told of {name}: {brief(error)}")

    def _tell_it(self) -> None:
        how = self.settings.on_promotion
        if isinstance(how, list):
            self.host.run(self._told(how), uid=self._uid, timeout=10.0)
        elif how == "restart":
            self._process.kill()
            self.restart()
        else:
            self._process.interrupt(signal.Signals[how])

    def _note(self, kind: str, detail: str) -> None:
        self._events.append(ManagerEvent(time.monotonic_ns(), kind, "proxy", detail))

    @property
    def _uid(self) -> int | None:
        return None if self.settings.as_root else _UID

    def _write_files(self, primary: Server) -> None:
        self._facts = self._facts_with(primary)
        for name, template in self.settings.files.items():
            text = templates.rendered(template, self._facts)
            secrets.write(self.host, name, text)
            (self.host.node / "conf" / name).write_text(self.solution.passwords.hidden(text))

    def _facts_with(self, primary: Server) -> templates.Facts:
        nodes = {
            node.name: templates.TemplateNode(node.name, node.host.address, node.port)
            for node in self.solution.nodes
        }
        given, settings = self.solution.passwords, self.settings
        return templates.Facts(
            nodes=list(nodes.values()), primary=nodes[primary.name],
            replicas=[node for name, node in nodes.items() if name != primary.name],
            address=self.host.address, write_port=settings.write_port,
            read_port=settings.read_port or 0,
            application=templates.TemplateAccount(APPLICATION, given.application),
            manager=templates.TemplateAccount(REPLICATION, given.replication),
            database=DATABASE, files=str(Path(secrets.seen_inside("x")).parent),
            run=inside("run"), log=inside("log"),
        )  # fmt: skip

    def _told(self, command: list[str]) -> list[str]:
        return [templates.rendered(word, self._facts) for word in command]

    def _not_ready(self) -> str:
        if not self._process.alive:
            raise FiveninesError(f"{self.settings.called} ended")
        ready = self.settings.ready
        port = ready.port or self.settings.write_port
        asked = [sys.executable, "-m", answers.__name__, self.host.address, str(port)]
        said = subprocess.run(
            self.host.beside([*asked, *([ready.path] if ready.path else [])]),
            capture_output=True, text=True, check=False, timeout=20,
        )  # fmt: skip
        if said.returncode:
            return said.stdout.strip() or said.stderr.strip()[-200:]
        if not ready.command:
            return ""
        try:
            self.host.run(self._told(ready.command), uid=self._uid, timeout=10.0)
        except FiveninesError as error:
            return brief(error)
        return ""

    def _last_words(self) -> str:
        return "\n".join(f"  {line}" for line in self._process.log_tail().splitlines()) or (
            "  (it wrote nothing)"
        )
