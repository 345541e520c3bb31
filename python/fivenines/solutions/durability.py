"""`durability:` of a solution: whether a commit waits for its node's disk, of all nodes or by their roles."""

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from fivenines.settings import Settings, told

Kind = Literal["strict", "relaxed"]

WORDS: dict[str, dict[str, str]] = {
    "strict": {"primary": "strict", "standby": "strict"},
    "relaxed": {"primary": "relaxed", "standby": "relaxed"},
    "adaptive": {"primary": "adaptive", "standby": "strict"},
}
"""What a word alone stands for."""

DECIDING = ("innodb_flush_log_at_trx_commit", "sync_binlog", "synchronous_commit", "fsync")
"""Settings of servers that decide about durability: nobody else sets them where roles do."""


class DurabilitySettings(Settings):
    """Of all nodes alike, written as a word; or apart for who takes writes and for all others."""

    short = f"one of {', '.join(WORDS)}"

    primary: Literal["strict", "relaxed", "adaptive"] = Field(
        "strict",
        description="strict: a commit waits for the disk of the node that takes writes; relaxed: it does "
        "not; adaptive: it waits only while no standby is there to have it",
    )
    standby: Kind = Field("strict", description="whether a standby waits for its disk with what it receives")

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value not in WORDS:
            raise told(
                f"found '{value}'; write one of {', '.join(WORDS)}, or apart by role as in "
                "{primary: relaxed, standby: strict}"
            )
        return WORDS[value]

    @model_serializer(mode="wrap")
    def _short(self, whole: SerializerFunctionWrapHandler) -> Any:
        return str(self) if str(self) in WORDS else whole(self)

    def __str__(self) -> str:
        """In words: `strict`, or `primary relaxed, standby strict`."""
        return next(
            (word for word, roles in WORDS.items() if self._roles() == roles),
            f"primary {self.primary}, standby {self.standby}",
        )

    @property
    def by_role(self) -> bool:
        """Whether it depends on a node's role, and so has to follow promotions."""
        return self.primary != self.standby

    @property
    def at_start(self) -> Kind:
        """With which a server starts, before its role is known: on the safe side."""
        return "relaxed" if self.primary == self.standby == "relaxed" else "strict"

    def wanted(self, *, primary: bool, accompanied: bool) -> Kind:
        """What a node should have now; `accompanied`: a standby has what its commits wait for."""
        if not primary:
            return self.standby
        if self.primary == "adaptive":
            return "relaxed" if accompanied else "strict"
        return self.primary

    def _roles(self) -> dict[str, str]:
        return {"primary": self.primary, "standby": self.standby}


STRICT = DurabilitySettings()
"""That of all nodes is strict."""

RELAXED = DurabilitySettings(primary="relaxed", standby="relaxed")
"""No commit waits for a disk."""


def postgres_problems(durability: DurabilitySettings, key: str, level: str) -> list[str]:
    """What PostgreSQL cannot do of it; `level` is its synchronous_commit, which the file calls `key`.

    Sources: manual 19.5 (synchronous_commit); walsender.c, XLogSendPhysical: a primary sends what it has
    flushed, as standbys must never have what its own crash may lose.
    """
    if durability.primary != "strict" and level != "off":
        if durability.by_role and level != "local":
            return [
                f"{key} {level} and durability {durability}: at every level above off PostgreSQL waits for "
                "the primary's own disk, and it sends a standby only what is on that disk. Write "
                f"{key}: off (1-safe), or take solution replication with mode: after_sync"
            ]
        return [
            f"{key} {level} waits for the disk, durability {durability} does not: leave durability out "
            f"({key}: off is the relaxed one)"
        ]
    if durability.by_role and durability.standby == "relaxed":
        return [
            "durability.standby: a standby of PostgreSQL brings what it receives to its disk, whatever its "
            f"synchronous_commit says; whether commits wait for that is said by {key}. Leave standby out"
        ]
    return []
