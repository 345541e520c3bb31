"""The lines that the program of a client stack writes, one JSON object each.

The program reads its task, one JSON object, from the first line of its standard input, and ends when its
standard input does. Times are microseconds of CLOCK_MONOTONIC.

    {"event": "ready", "at_us": 5230114402, "driver": "psycopg 3.3.9, psycopg_pool 3.3.3"}
    {"event": "transaction", "n": 41, "worker": 1, "attempt": 1, "start_us": 5233301544,
     "end_us": 5233302817, "outcome": "committed", "stage": "release"}
    {"event": "transaction", "n": 45, "worker": 1, "attempt": 1, "start_us": 5233403001,
     "end_us": 5238405230, "outcome": "failed", "stage": "acquire", "code": "PoolTimeout", "message": "..."}
    {"event": "alive", "at_us": 5234000000, "pool": {"waiting": 2, "open": 4, "idle": 1, "created": 7}}
    {"event": "end", "at_us": 5273403001}
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fivenines.analysis.stacks.figures import Attempt
from fivenines.analysis.stacks.pools import PoolSample

# Servers by their protocol.
Driver = Literal["postgres", "mysql"]
SPOKEN: dict[Driver, str] = {"postgres": "PostgreSQL", "mysql": "MariaDB and MySQL"}

Outcome = Literal["committed", "failed", "in_doubt"]

# How far a transaction got: a connection of the pool, the work, the commit, and the return to the pool.
Stage = Literal["acquire", "work", "commit", "release"]

# Seconds between two signs of life of a program, and until a missing one is a fault of the program.
ALIVE_EVERY, ALIVE_WITHIN = 1.0, 5.0


class Line(BaseModel):
    """A line; a program may write further keys."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Ready(Line):
    """The pool is open and the workers begin."""

    event: Literal["ready"]
    at_us: int
    driver: str = ""


class Transaction(Line):
    """The end of an attempt of a transaction.

    Attributes:
        n: number of the logical operation: worker w of W has w, w + W, w + 2 W.
        attempt: 1, and one more for each repetition of the same operation.
        stage: how far it got. An error after the commit was acknowledged does not change the outcome.
        code: SQLSTATE, number of the server's error, or name of the driver's error.
    """

    event: Literal["transaction"]
    n: int = Field(ge=0)
    worker: int = Field(ge=0)
    attempt: int = Field(1, ge=1)
    start_us: int
    end_us: int
    outcome: Outcome
    stage: Stage
    code: str = ""
    message: str = ""

    @property
    def attempted(self) -> Attempt:
        """Return it as a row of figures."""
        return Attempt(
            self.worker, self.n, self.attempt, self.start_us, self.end_us, self.outcome, self.stage, self.code
        )


class Pool(Line):
    """The pool at one moment, by the program and its pool; None: the pool does not count it.

    Attributes:
        waiting: workers at the stage `acquire`: they have no usable connection yet.
        open: connections in the pool, borrowed ones included.
        idle: connections that no worker has borrowed.
        created: connections opened since the program started.
    """

    waiting: int | None = Field(None, ge=0)
    open: int | None = Field(None, ge=0)
    idle: int | None = Field(None, ge=0)
    created: int | None = Field(None, ge=0)


class Alive(Line):
    """A sign of life, every second, also before the pool is open and while all workers wait."""

    event: Literal["alive"]
    at_us: int
    pool: Pool | None = None


class End(Line):
    """The last line."""

    event: Literal["end"]
    at_us: int


AnyLine = Ready | Transaction | Alive | End
_MODELS: dict[str, type[AnyLine]] = {"ready": Ready, "transaction": Transaction, "alive": Alive, "end": End}


def parse(text: str) -> AnyLine:
    """Return a line.

    Raises:
        ValueError: it is none, with the reason.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    event = document.get("event") if isinstance(document, dict) else None
    if event not in _MODELS:
        raise ValueError(f'no "event" of {", ".join(_MODELS)}')
    try:
        return _MODELS[event].model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


@dataclass
class Conformance:
    """Checks the order and the contents of a program's lines.

    Attributes:
        workers: the number of workers that the program was given.
        problems: what is wrong, with the number of the line; empty: nothing so far.
    """

    workers: int
    problems: list[str] = field(default_factory=list)
    _number: int = 0
    _ready: bool = False
    _ended: bool = False
    _last_alive: int = 0
    _attempts: dict[int, int] = field(default_factory=dict)
    _done: set[int] = field(default_factory=set)

    def feed(self, text: str) -> AnyLine | None:
        """Check the next line and return it; None if it is none."""
        self._number += 1
        try:
            line = parse(text)
        except ValueError as error:
            self._wrong(f"{error}: {text.strip()[:100]}")
            return None
        if self._ended:
            self._wrong("a line after end")
        if isinstance(line, Ready):
            if self._ready:
                self._wrong("ready for the second time")
            self._ready, self._last_alive = True, line.at_us
        elif not self._ready and not isinstance(line, Alive):
            self._wrong(f"{line.event} before ready")
        if isinstance(line, Transaction):
            self._transaction(line)
        elif isinstance(line, Alive):
            self._alive(line.at_us)
        elif isinstance(line, End):
            self._ended = True
            self._alive(line.at_us)
        return line

    def finish(self) -> list[str]:
        """Return all problems, once the program has ended."""
        if not self._ready:
            self.problems.append("the program never wrote ready")
        elif not self._ended:
            self.problems.append("the program ended without the line end")
        if self._ready and not self._done:
            self.problems.append("no transaction was committed")
        return self.problems

    def _alive(self, at_us: int) -> None:
        if self._ready and (passed := (at_us - self._last_alive) / 1e6) > ALIVE_WITHIN:
            self._wrong(f"no sign of life for {passed:.1f} s: write one every {ALIVE_EVERY:g} s")
        self._last_alive = at_us

    def _transaction(self, line: Transaction) -> None:
        if line.worker >= self.workers:
            self._wrong(f"worker {line.worker}, of workers 0 to {self.workers - 1}")
        if line.n % self.workers != line.worker:
            self._wrong(f"operation {line.n} is not of worker {line.worker}: that is {line.n % self.workers}")
        if line.end_us < line.start_us:
            self._wrong("it ended before it began")
        if line.n in self._done:
            self._wrong(f"operation {line.n} again, although it was committed")
        before = self._attempts.get(line.n, 0)
        if line.attempt != before + 1:
            self._wrong(f"operation {line.n} has attempt {line.attempt} after {before}")
        self._attempts[line.n] = line.attempt
        if line.outcome == "committed":
            self._done.add(line.n)
            if line.stage != "release":
                self._wrong(f"committed at the stage {line.stage}: a committed transaction reached release")
        elif not line.code:
            self._wrong(f"{line.outcome} without a code")
        if line.outcome == "in_doubt" and line.stage not in ("commit", "release"):
            self._wrong(f"in doubt at the stage {line.stage}: nothing was committed before the stage commit")

    def _wrong(self, problem: str) -> None:
        self.problems.append(f"line {self._number}: {problem}")


def read(lines: Iterable[str]) -> tuple[list[Attempt], list[PoolSample]]:
    """Return the attempts and the samples of the pool among lines; others are skipped."""
    attempts: list[Attempt] = []
    samples: list[PoolSample] = []
    for text in lines:
        try:
            line = parse(text)
        except ValueError:
            continue
        if isinstance(line, Transaction):
            attempts.append(line.attempted)
        elif isinstance(line, Alive) and (pool := line.pool) is not None:
            samples.append(PoolSample(line.at_us, pool.waiting, pool.open, pool.idle, pool.created))
    return attempts, samples


@dataclass(frozen=True)
class Task:
    """What a program has to do, its first line of input.

    Attributes:
        servers: host:port of each server; several: the program looks for the writable one, if it can.
        table: the table of its rows, see `rows`.
        workers: number of workers that share the pool.
        think_ms: pause of a worker after a committed transaction; `pause_ms`: after another one.
        repeat: whether an operation that failed or is in doubt is tried again with the same number.
        suffix: end of the INSERT statement, see `rows.suffix`; empty if operations may have several rows.
        options: settings of driver and pool by name, as "pool.timeout".
    """

    name: str
    driver: Driver
    servers: tuple[str, ...]
    user: str
    password: str = field(repr=False)
    database: str
    table: str
    workers: int = 4
    think_ms: int = 100
    pause_ms: int = 100
    repeat: bool = False
    suffix: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def longest_pause_ms(self) -> int:
        """Return the longest pause of a worker between two attempts."""
        return max(self.think_ms, self.pause_ms)

    def line(self) -> str:
        """Return the line for the program."""
        return json.dumps({**vars(self), "servers": list(self.servers)})
