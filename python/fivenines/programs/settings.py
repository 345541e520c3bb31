"""What a program of one's own is: how it is started, what it reads, when it is ready, what its log tells."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from fivenines.lab.host import Root
from fivenines.programs import marks, templates
from fivenines.programs.marks import MarkSettings, Pattern
from fivenines.settings import Settings
from fivenines.software.program_root import ProgramRoot, root_of
from fivenines.units import Duration

Port = Annotated[int, Field(ge=1, le=65535)]
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"


class ReadySettings(Settings):
    """When it can be used: all that is said must hold."""

    port: Port | None = Field(
        None, description="it accepts connections there; a proxy's default: write_port"
    )
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


class RootSource(Settings):
    """Files that are fetched or unpacked into the cache once: of an image, or of an archive."""

    image: str | None = Field(None, description="an image of a registry, a folder or an archive")
    archive: Path | None = Field(None, description="an archive that tar can unpack: its whole path")

    def problems(self) -> list[str]:
        """What is wrong with it."""
        if (self.image is None) == (self.archive is None):
            return ["root: write {image: …} or {archive: …}"]
        if self.archive is not None and not self.archive.is_absolute():
            return [f"root.archive: write the whole path of {self.archive}"]
        return []

    @property
    def engine(self) -> str:
        """The name of the engine that it is made into."""
        if self.image is not None:
            return ProgramRoot.of("image", self.image).name
        return ProgramRoot.of("archive", str(self.archive)).name


class ProgramParts(Settings):
    """What proxies and failover managers of one's own have in common."""

    section: ClassVar[str]
    """The key of an experiment file that it stands below: `access` or `manager`."""

    name: str = Field("", description="what it is called; default: the command's name")
    command: list[str] = Field(
        min_length=1, description="how it is started, in the foreground (templates, too)"
    )
    files: dict[FileName, str] = Field(
        default_factory=dict,
        description="its files, by their names: texts that are Jinja templates",
    )
    root: RootSource | Path | None = Field(
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
        None,
        description="the file in its folder `log` that is read for marks; default: all that it prints",
    )
    switchover: list[str] = Field(
        default_factory=list,
        description="a command on its host that asks it for a planned switchover (templates, too)",
    )

    @property
    def called(self) -> str:
        """What it is called."""
        return self.name or Path(self.command[0]).name

    @property
    def promotes(self) -> bool:
        """Whether it promotes another node, as far as its marks tell."""
        return any(mark.means == "promoted" for mark in self.marks)

    def problems(self) -> list[str]:
        """What is wrong with its templates, commands and marks."""
        found = self._problems_with_root()
        found += [
            f"{key}: {told}" for key, text in self._templates() if (told := templates.problem(text))
        ]
        found += marks.problems(self.marks)
        if self.switchover and not self.promotes:
            found.append(
                "switchover: nobody would hear that it is done: give `marks` one that means promoted"
            )
        return [f"{self.section}.{one}" for one in found]

    def machine_problem(self) -> str:
        """Why it cannot run on this machine, after the name of its setting; empty if that is not known."""
        program = Path(self.command[0])
        if isinstance(self.root, RootSource):
            archive = self.root.archive
            return f"root: there is no file {archive}" if archive and not archive.is_file() else ""
        if self.root is not None:
            return "" if self.root.is_dir() else f"root: there is no folder {self.root}"
        if shutil.which(str(program), path=_PATH) or (program.is_absolute() and program.exists()):
            return ""
        return (
            f"command: there is no program {program} on this machine: install it, or say where it is "
            "(root: a folder, an image or an archive)"
        )

    @property
    def engines(self) -> list[str]:
        """The engines that it needs: where its root is made of an image or an archive."""
        return [self.root.engine] if isinstance(self.root, RootSource) else []

    def root_seen(self) -> Root:
        """What its host sees as its root."""
        if isinstance(self.root, RootSource):
            return ProgramRoot(self.root.engine).root()
        return Root() if self.root is None else root_of(self.root)

    def _problems_with_root(self) -> list[str]:
        if isinstance(self.root, Path) and not self.root.is_absolute():
            return [f"root: write the whole path of {self.root}"]
        return []

    def _templates(self) -> Iterator[tuple[str, str]]:
        """All templates, each with the key that it stands below."""
        yield from ((f"files.{name}", text) for name, text in self.files.items())
        for key, words in self.commands().items():
            yield from ((key, word) for word in words)

    def commands(self) -> dict[str, Sequence[str]]:
        """All commands that are templates, by key."""
        return {
            "command": self.command,
            "ready.command": self.ready.command,
            "switchover": self.switchover,
        }
