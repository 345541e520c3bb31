"""What a program of one's own is: how it is started, what it reads, when it is ready, what its log tells."""

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from fivenines.cluster.part_settings import PartSettings
from fivenines.lab.host import Root
from fivenines.programs import marks, templates
from fivenines.programs.marks import MarkSettings, Pattern
from fivenines.programs.root import RootSettings
from fivenines.settings import Settings
from fivenines.units import Duration

Port = Annotated[int, Field(ge=1, le=65535)]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"


class ReadySettings(Settings):
    """When it can be used: all that is said must hold."""

    port: Port | None = Field(None, description="it accepts connections there; a proxy's default: write_port")
    path: str | None = Field(
        None, pattern=r"^/", description="GET of this path at that port is answered with 200"
    )
    command: list[str] = Field(
        default_factory=list, description="a command on its host that succeeds (templates, too)"
    )
    says: Pattern | None = Field(
        None, description="it has written a line in which this regular expression is found"
    )
    within: Annotated[Duration, Field(gt=0, le=600)] = Field(
        30.0, description="longest wait until it is ready"
    )


class ProgramParts(PartSettings):
    """What proxies and failover managers of one's own have in common."""

    section: ClassVar[str]
    """The key of an experiment file that it stands below: `access` or `manager`."""

    name: Annotated[str, Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?$")] = Field(
        "", description="what it is called; default: the command's name"
    )
    command: list[str] = Field(
        min_length=1, description="how it is started, in the foreground (templates, too)"
    )
    files: dict[FileName, str] = Field(
        default_factory=dict, description="its files, by their names: texts that are Jinja templates"
    )
    root: RootSettings | None = Field(
        None,
        description="where the program is: a folder, {image: …} or {archive: …}. A whole root file system is "
        "that of its host; other files are seen at `{{ root }}`. Default: the programs of this machine",
    )
    as_root: bool = Field(False, description="whether it runs as root of its host")
    ready: ReadySettings = Field(default_factory=ReadySettings, description="when it can be used")
    marks: list[MarkSettings] = Field(
        default_factory=list,
        description="lines of its log that tell the steps of a failover; who it says was promoted is the "
        "primary then",
    )
    log: FileName | None = Field(
        None, description="the file in its folder `log` that is read for marks, instead of all that it prints"
    )
    switchover: list[str] = Field(
        default_factory=list,
        description="a command on its host that asks it for a planned switchover (templates, too)",
    )

    looks_every: Duration = Field(
        0.0, description="time between two of its own looks at the nodes; 0: it does not look"
    )

    @property
    def watch_period(self) -> float:
        return self.looks_every

    @property
    def switches_over(self) -> bool:
        return bool(self.switchover)

    @property
    def called(self) -> str:
        """What it is called; so is its log."""
        return self.name or re.sub(r"[^A-Za-z0-9._-]+", "-", Path(self.command[0]).name)

    @property
    def promotes(self) -> bool:
        """Whether it promotes another node, as far as its marks tell."""
        return any(mark.means == "promoted" for mark in self.marks)

    def problems(self) -> list[str]:
        """What is wrong with its templates, commands and marks."""
        found = [
            f"{key}: {told}"
            for key, text in self._templates()
            if (told := templates.problem(text, *self.further(key)))
        ]
        found += [
            f"{key}: everybody on the machine sees the words of a command: write the password into a file "
            "(files)"
            for key, words in self.commands().items()
            if any(templates.has_password(word, *self.further(key)) for word in words)
        ]
        if self.root is not None and (wrong := self.root.problem()):
            found.append(f"root: {wrong}")
        found += marks.problems(self.marks)
        if self.switchover and not self.promotes:
            found.append(
                "switchover: nobody would hear that it is done: give `marks` one that means promoted"
            )
        return [f"{self.section}.{one}" for one in found]

    def machine_problem(self) -> str:
        program = Path(self.command[0])
        if self.root is not None:
            lacking = self.root.machine_problem()
            return f"root: {lacking}" if lacking else ""
        if "files }}" in str(program):
            return "command: a file is no program by itself: write what runs it first, as sh"
        if shutil.which(str(program), path=_PATH) or (program.is_absolute() and program.exists()):
            return ""
        return (
            f"command: there is no program {program} on this machine: install it, or say where it is "
            "(root: a folder, an image or an archive)"
        )

    @property
    def engines(self) -> list[str]:
        return [self.root.engine] if self.root is not None and self.root.engine else []

    def root_seen(self) -> Root:
        """What its host sees as its root."""
        return Root() if self.root is None else self.root.root()

    def further(self, _key: str) -> Sequence[str]:
        """Names of nodes that the templates below a key may use beside."""
        return ()

    def _templates(self) -> Iterator[tuple[str, str]]:
        """All templates, each with the key that it stands below."""
        yield from ((f"files.{name}", text) for name, text in self.files.items())
        for key, words in self.commands().items():
            yield from ((key, word) for word in words)

    def commands(self) -> dict[str, Sequence[str]]:
        """All commands that are templates, by key."""
        return {"command": self.command, "ready.command": self.ready.command, "switchover": self.switchover}
