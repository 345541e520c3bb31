"""Settings of a custom program: command, files, readiness check, log patterns."""

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from fivenines.base.settings import Settings
from fivenines.base.units import Duration
from fivenines.failover.programs import marks, templates
from fivenines.failover.programs.marks import MarkSettings, Pattern
from fivenines.failover.programs.root import RootSettings
from fivenines.lab.host import Root
from fivenines.servers.cluster.part_settings import PartSettings

Port = Annotated[int, Field(ge=1, le=65535)]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"


class ReadySettings(Settings):
    """Readiness check: all conditions that are set must hold."""

    port: Port | None = Field(
        None, description="port that must accept connections; for a proxy the default is write_port"
    )
    path: str | None = Field(
        None, pattern=r"^/", description="GET of this path at that port must return status 200"
    )
    command: list[str] = Field(
        default_factory=list, description="a command on its host that must succeed (templates allowed)"
    )
    says: Pattern | None = Field(None, description="regular expression that must match a line of its output")
    within: Annotated[Duration, Field(gt=0, le=600)] = Field(
        30.0, description="longest wait until it is ready"
    )


class ProgramParts(PartSettings):
    """Settings that custom proxies and custom failover managers share."""

    # Section of the experiment file: `access` or `manager`.
    section: ClassVar[str]

    name: Annotated[str, Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?$")] = Field(
        "", description="name of the program; default: name of the command"
    )
    command: list[str] = Field(
        min_length=1, description="command that starts it in the foreground (templates allowed)"
    )
    files: dict[FileName, str] = Field(
        default_factory=dict, description="its files by name, as Jinja templates"
    )
    root: RootSettings | None = Field(
        None,
        description="where the program's files are: a folder, {image: …} or {archive: …}. A whole root file "
        "system becomes that of its host; other files are at `{{ root }}`. Default: the programs of this "
        "machine",
    )
    as_root: bool = Field(False, description="whether it runs as root of its host")
    ready: ReadySettings = Field(default_factory=ReadySettings, description="readiness check")
    marks: list[MarkSettings] = Field(
        default_factory=list,
        description="log lines that mark events of a failover; the node in a `promoted` line becomes the "
        "primary of record",
    )
    log: FileName | None = Field(
        None, description="file in its folder `log` that is read for marks, instead of its standard output"
    )
    switchover: list[str] = Field(
        default_factory=list,
        description="a command on its host that requests a planned switchover (templates allowed)",
    )

    looks_every: Duration = Field(
        0.0, description="interval of its own health checks of the nodes; 0: it makes none"
    )

    @property
    def watch_period(self) -> float:
        return self.looks_every

    @property
    def switches_over(self) -> bool:
        return bool(self.switchover)

    @property
    def called(self) -> str:
        """Return its name, which is also the name of its log."""
        return self.name or re.sub(r"[^A-Za-z0-9._-]+", "-", Path(self.command[0]).name)

    @property
    def promotes(self) -> bool:
        """Return whether it promotes another node, according to its marks."""
        return any(mark.means == "promoted" for mark in self.marks)

    def problems(self) -> list[str]:
        """Return what is wrong with its templates, commands and marks."""
        problems = [
            f"{key}: {problem}"
            for key, text in self._templates()
            if (problem := templates.problem(text, *self.further(key)))
        ]
        problems += [
            f"{key}: every user of the machine can read the arguments of a command: write the password into "
            "a file (`files`)"
            for key, words in self.commands().items()
            if any(templates.has_password(word, *self.further(key)) for word in words)
        ]
        if self.root is not None and (wrong := self.root.problem()):
            problems.append(f"root: {wrong}")
        problems += marks.problems(self.marks)
        if self.switchover and not self.promotes:
            problems.append("switchover: the new primary would be unknown: add a mark that means `promoted`")
        return [f"{self.section}.{text}" for text in problems]

    def machine_problem(self) -> str:
        program = Path(self.command[0])
        if self.root is not None:
            missing = self.root.machine_problem()
            return f"root: {missing}" if missing else ""
        if "files }}" in str(program):
            return "command: a file cannot be run by itself: write its interpreter first, such as sh"
        if shutil.which(str(program), path=_PATH) or (program.is_absolute() and program.exists()):
            return ""
        return (
            f"command: there is no program {program} on this machine: install it, or set `root` to a folder, "
            "an image or an archive"
        )

    @property
    def engines(self) -> list[str]:
        return [self.root.engine] if self.root is not None and self.root.engine else []

    def root_seen(self) -> Root:
        """Return the root file system of its host."""
        return Root() if self.root is None else self.root.root()

    def further(self, _key: str) -> Sequence[str]:
        """Return names of nodes that the templates of a key may use in addition."""
        return ()

    def _templates(self) -> Iterator[tuple[str, str]]:
        """Return all templates, each with its key."""
        yield from ((f"files.{name}", text) for name, text in self.files.items())
        for key, words in self.commands().items():
            yield from ((key, word) for word in words)

    def commands(self) -> dict[str, Sequence[str]]:
        """Return all commands that are templates, by key."""
        return {"command": self.command, "ready.command": self.ready.command, "switchover": self.switchover}
