"""The section `stacks:` of an experiment: applications' drivers with their pools, alongside the load.

`stacks_of` returns those of a cell: the stacks that speak the protocol of its servers.
"""

import itertools
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from fivenines.base.settings import Settings, invalid
from fivenines.base.spelling import nearest
from fivenines.base.units import Duration
from fivenines.load.stacks.protocol import Driver
from fivenines.load.stacks.stack import PRESETS, settings, stacks
from fivenines.servers.families import driver_of
from fivenines.solutions.settings import SolutionSettings

# The word for all built-in stacks, each with its defaults and with its recommended settings.
ALL = "all"

MOST_STACKS = 64


def _known(name: str) -> str:
    if name not in stacks():
        raise invalid(f"unknown stack {name!r}{nearest(name, list(stacks()))}; see `fivenines stacks list`")
    return name


class StackSettings(Settings):
    """A client stack: a driver with its pool, or a custom program."""

    short: ClassVar[str] = "a stack, as psycopg-pool, or with settings, as psycopg-pool:recommended"
    made = frozenset({"of_all"})

    stack: Annotated[str, AfterValidator(_known)] | None = Field(
        None, description="kind of stack, see `fivenines stacks list`; null: the program of `command`"
    )
    name: str = Field("", description="name in reports; default: kind and settings")
    command: str | None = Field(
        None, description="a program of your own that writes the line protocol, with its arguments"
    )
    driver: Driver | None = Field(
        None, description="servers that the program of `command` speaks to: postgres or mysql"
    )
    settings: Literal["defaults", "recommended"] = Field(
        "defaults", description="settings of driver and pool: theirs, or those of `fivenines stacks list`"
    )
    set: dict[str, str | int | float | bool] = Field(
        default_factory=dict,
        description="further settings of driver and pool, as {pool.timeout: 2}; they win over `settings`",
    )
    sweep: dict[str, Annotated[list[str | int | float | bool], Field(min_length=1)]] = Field(
        default_factory=dict,
        description="settings of driver and pool with several values each, as {pool.timeout: [1, 5]}: one "
        "stack for each combination, with the values in its name",
    )
    workers: Annotated[int, Field(ge=1, le=64)] = Field(
        4, description="workers that share the pool, which has as many connections"
    )
    think: Annotated[Duration, Field(ge=0.001, le=60)] = Field(
        0.1, description="pause of a worker after a committed transaction"
    )
    pause: Annotated[Duration, Field(ge=0.001, le=60)] = Field(0.1, description="pause after another one")
    repeat: bool | Literal["idempotent"] = Field(
        False,
        description="repeat operations that failed or are in doubt, as a blind retry does; idempotent: "
        "operations have a unique key, and a second INSERT does nothing",
    )
    of_all: bool = Field(
        False, description="set where the list is the word `all`, which has stacks for any server"
    )

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        name, colon, preset = value.partition(":")
        if colon and preset not in PRESETS:
            raise invalid(f"{value!r}: write {name}:recommended, or {name} for its defaults")
        return {"stack": name, "settings": preset or "defaults"}

    @model_validator(mode="after")
    def _one(self) -> "StackSettings":
        if (self.stack is None) == (self.command is None):
            raise invalid("write either `stack` or `command`")
        if self.stack is not None and self.driver is not None:
            raise invalid(f"driver: {self.stack} has its own; write it with `command` only")
        if self.command is not None:
            if self.driver is None:
                raise invalid("the key `driver` is missing; `command` needs it: postgres or mysql")
            try:
                words = shlex.split(self.command)
            except ValueError as error:
                raise invalid(f"command: {error}") from None
            if not words:
                raise invalid("command: write the program and its arguments")
            if self.settings != "defaults":
                raise invalid("settings: only a built-in stack has recommended ones; use `set`")
        return self

    @property
    def called(self) -> str:
        """Return its name in reports."""
        if self.name:
            return self.name
        if self.stack is None:
            return shlex.split(self.command or "")[0].rpartition("/")[2]
        preset = "" if self.settings == "defaults" else f":{self.settings}"
        return f"{self.stack}{preset}"

    @property
    def program(self) -> list[str]:
        """Return the command line of its program."""
        return stacks()[self.stack].command() if self.stack is not None else shlex.split(self.command or "")

    def located(self, base: Path) -> "StackSettings":
        """Return it with the absolute path of its program; one with a slash is relative to `base`.

        A symbolic link stays one: the python of a virtual environment is a link.
        """
        words = shlex.split(self.command or "")
        if not words or "/" not in words[0]:
            return self
        return self.model_copy(
            update={"command": shlex.join([str((base / words[0]).absolute()), *words[1:]])}
        )

    def missing(self, base: Path) -> str:
        """Return why its program cannot be run; empty if it can."""
        words = shlex.split(self.located(base).command or "")
        if words and shutil.which(words[0]) is None:
            return f"{words[0]}: there is no such program"
        return ""

    @property
    def speaks(self) -> Driver:
        """Return the protocol of the servers that it can use."""
        if self.stack is not None:
            return stacks()[self.stack].driver
        assert self.driver is not None
        return self.driver

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the settings of driver and pool."""
        if self.stack is None:
            return self.set
        return settings(stacks()[self.stack], self.settings, self.set)


def variants(one: StackSettings) -> list[StackSettings]:
    """Return a stack for each combination of its sweep; the stack itself without one."""
    if not one.sweep:
        return [one]
    every = [dict(zip(one.sweep, values, strict=True)) for values in itertools.product(*one.sweep.values())]
    return [
        one.model_copy(
            update={
                "name": f"{one.called} {', '.join(f'{key}={_plain(value)}' for key, value in own.items())}",
                "set": {**one.set, **own},
                "sweep": {},
            }
        )
        for own in every
    ]


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(value: Any, inner: ValidatorFunctionWrapHandler) -> Any:
    if value == ALL:
        value = [
            {"stack": name, "settings": preset, "of_all": True} for name in stacks() for preset in PRESETS
        ]
    return inner(value)


# A list of stacks, or the word for all.
Stacks = Annotated[list[StackSettings], WrapValidator(_listed)]


def stacks_of(section: Sequence[StackSettings], solution: SolutionSettings) -> list[StackSettings]:
    """Return the stacks that can use a solution's servers, as clients reach them."""
    driver = driver_of(solution.engine)
    return [one for one in section if one.speaks == driver and not one_host_only(one, solution)]


def one_host_only(one: StackSettings, solution: SolutionSettings) -> bool:
    """Return whether a stack takes one host, and clients of the solution have to know several."""
    several = solution.access.kind == "direct" and solution.traits.nodes > 1
    return several and one.stack is not None and not stacks()[one.stack].several_hosts
