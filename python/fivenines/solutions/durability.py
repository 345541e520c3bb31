"""`durability:` of a solution: whether a commit waits for its node's disk, for all nodes or by role."""

from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from fivenines.base.settings import Settings, invalid

Kind = Literal["strict", "relaxed"]

# Meaning of the short forms.
WORDS: dict[str, dict[str, str]] = {
    "strict": {"primary": "strict", "standby": "strict"},
    "relaxed": {"primary": "relaxed", "standby": "relaxed"},
    "adaptive": {"primary": "adaptive", "standby": "strict"},
}

# Settings of servers that control durability, which no other setting may change if durability follows roles.
DECIDING = ("innodb_flush_log_at_trx_commit", "sync_binlog", "synchronous_commit", "fsync")


class DurabilitySettings(Settings):
    """One word for all nodes; or separate values for the primary and for standbys."""

    short = f"one of {', '.join(WORDS)}"

    primary: Literal["strict", "relaxed", "adaptive"] = Field(
        "strict",
        description="strict: a commit waits for the disk of the primary; relaxed: it does not; adaptive: it "
        "waits only while no standby has its data",
    )
    standby: Kind = Field(
        "strict", description="whether a standby waits for its disk when it receives changes"
    )

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value not in WORDS:
            raise invalid(
                f"'{value}' is not a durability; write one of {', '.join(WORDS)}, or separate values by role "
                f"as {{primary: relaxed, standby: strict}}"
            )
        return WORDS[value]

    @model_serializer(mode="wrap")
    def _short(self, whole: SerializerFunctionWrapHandler) -> Any:
        return str(self) if str(self) in WORDS else whole(self)

    def __str__(self) -> str:
        """Return it as text: `strict`, or `primary relaxed, standby strict`."""
        return next(
            (word for word, roles in WORDS.items() if self._roles() == roles),
            f"primary {self.primary}, standby {self.standby}",
        )

    @property
    def by_role(self) -> bool:
        """Return whether it depends on a node's role, and so has to follow promotions."""
        return self.primary != self.standby

    @property
    def at_start(self) -> Kind:
        """Return the durability of a starting server, before its role is known: the safer one."""
        return "relaxed" if self.primary == self.standby == "relaxed" else "strict"

    def for_role(self, *, primary: bool, accompanied: bool) -> Kind:
        """Return a node's durability now; `accompanied`: a standby has what its commits wait for."""
        if not primary:
            return self.standby
        if self.primary == "adaptive":
            return "relaxed" if accompanied else "strict"
        return self.primary

    def _roles(self) -> dict[str, str]:
        return {"primary": self.primary, "standby": self.standby}


# Strict on all nodes.
STRICT = DurabilitySettings()

# No commit waits for a disk.
RELAXED = DurabilitySettings(primary="relaxed", standby="relaxed")


def postgres_problems(durability: DurabilitySettings, key: str, level: str) -> list[str]:
    """Return what PostgreSQL does not support of it; `level`: its synchronous_commit, set by `key`.

    Sources: manual 19.5 (synchronous_commit); walsender.c, XLogSendPhysical: a primary sends only flushed
    log, as standbys must never have what its own crash may lose.
    """
    if durability.primary != "strict" and level != "off":
        if durability.by_role and level != "local":
            return [
                f"{key} {level} and durability {durability}: at every level above off PostgreSQL waits for "
                f"the primary's disk, and it sends a standby only what is on that disk. Write {key}: off "
                "(1-safe), or choose solution replication with mode: after_sync"
            ]
        return [
            f"{key} {level} waits for the disk, but durability {durability} does not: leave durability out "
            f"({key}: off is the relaxed level)"
        ]
    if durability.by_role and durability.standby == "relaxed":
        return [
            "durability.standby: a standby of PostgreSQL writes what it receives to its disk at every "
            f"synchronous_commit; {key} decides whether commits wait for that. Leave standby out"
        ]
    return []
