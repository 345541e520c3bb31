"""The configuration of a deployment: the files that fivenines wrote on each host.

A run keeps each configuration once: in its folder `configuration`, named after a digest of its content. The
record of a trial names the digest.
"""

import hashlib
import json
import shutil
from pathlib import Path, PurePosixPath

from pydantic import Field, ValidationError

from fivenines.results import layout
from fivenines.results.basics import Record
from fivenines.results.store import move, write_text

# What precedes the reason in a comment.
MARK = "set by fivenines for measuring: "

# Files in which a comment can follow a setting on its line.
_COMMENT_FOLLOWS = frozenset(
    {
        "my.cnf",
        "postgresql.conf",
        "postgresql.auto.conf",
        "pg_hba.conf",
        "patroni.yml",
        "etcd.yml",
        "haproxy.cfg",
        "r0.res",
    }
)


class ConfigurationFile(Record):
    """A file on one host, without passwords."""

    host: str
    path: str = Field(description="as the host sees it; join.sql: SQL that is run once on the started node")
    text: str = Field(description="its content; passwords are replaced by ***")
    marks: dict[int, str] = Field(
        default_factory=dict,
        description="lines, counted from 1, that fivenines needs for itself only, with the reason",
    )

    @property
    def name(self) -> str:
        """Return the last part of its path."""
        return PurePosixPath(self.path).name

    @property
    def commentable(self) -> bool:
        """Return whether the file's format has comments."""
        return not (self.name.endswith(".json") or self.text.startswith("#!"))

    def annotated(self) -> str:
        """Return its text with a comment for each marked line; without any if its format has no comments."""
        if not self.commentable:
            return self.text
        lines = []
        for number, line in enumerate(self.text.splitlines(), start=1):
            why = self.marks.get(number)
            if why is None:
                lines.append(line)
            elif self.name.endswith(".xml"):
                lines.append(f"{line} <!-- {MARK}{why} -->")
            elif self.name in _COMMENT_FOLLOWS and not line.startswith("!"):
                lines.append(f"{line} # {MARK}{why}")
            else:
                indent = line[: len(line) - len(line.lstrip())]
                sign = "--" if self.name.endswith(".sql") else "#"
                lines += [f"{indent}{sign} {MARK}{why}", line]
        return "".join(f"{line}\n" for line in lines)


class Configuration(Record):
    """All files of a deployment; none if fivenines has not deployed the servers."""

    files: list[ConfigurationFile]

    @property
    def digest(self) -> str:
        """Return its name in a run; empty without files."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16] if self.files else ""

    def of(self, host: str) -> "Configuration":
        """Return the files of one host."""
        return Configuration(files=[file for file in self.files if file.host == host])

    @property
    def hosts(self) -> list[str]:
        """Return the names of the hosts with files, in their order."""
        return list(dict.fromkeys(file.host for file in self.files))

    def grouped(self) -> list[tuple[list[str], ConfigurationFile]]:
        """Return each different file once, with the hosts that have it."""
        hosts: dict[tuple[str, str], list[str]] = {}
        first: dict[tuple[str, str], ConfigurationFile] = {}
        for file in self.files:
            key = (file.path, file.text)
            hosts.setdefault(key, []).append(file.host)
            first.setdefault(key, file)
        return [(hosts[key], file) for key, file in first.items()]


def keep(folder: Path, configuration: Configuration) -> None:
    """Store a configuration in the folder of a running trial, unless it has no files."""
    if configuration.files:
        target = folder / layout.CONFIGURATION
        target.mkdir(exist_ok=True)
        write_text(target / f"{configuration.digest}.json", configuration.model_dump_json(indent=1) + "\n")


def share(run: Path, folder: Path) -> None:
    """Move the configurations of a finished trial to the run, where equal ones are stored once."""
    own, shared = folder / layout.CONFIGURATION, run / layout.CONFIGURATION
    if not own.is_dir():
        return
    shared.mkdir(exist_ok=True)
    for file in own.glob("*.json"):
        if not (shared / file.name).exists():
            move(file, shared / file.name)
    shutil.rmtree(own)


def stored(run: Path, folder: Path, digest: str) -> Configuration | None:
    """Return the configuration of a trial; None if the run has none, or it cannot be read.

    Args:
        run: the run's folder.
        folder: the trial's folder.
        digest: from the trial's record.
    """
    for place in (run, folder):
        file = place / layout.CONFIGURATION / f"{digest}.json"
        try:
            return Configuration.model_validate(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, ValidationError):
            continue
    return None
