"""Role and durability of PostgreSQL (manual, 19.5 synchronous_commit, 27.2.4 pg_stat_replication)."""

from typing import ClassVar

from fivenines.servers.roles import Company, RoleReader, RoleView, Settings
from fivenines.servers.session import Session

DECIDING = ("synchronous_commit", "fsync")
"""The settings that decide about durability, which ALTER SYSTEM writes down for the next start, too."""

_LOOK = "SELECT pg_is_in_recovery(), current_setting('synchronous_commit'), current_setting('fsync'), {}"
_STREAMING = "(SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming')"


class PostgresRoles(RoleReader):
    """ALTER SYSTEM and a reload; sessions take a new value before their next command."""

    # what is never written out could not be read again after a power loss
    always: ClassVar[Settings] = {"fsync": "on"}

    def __init__(self, company: Company | None) -> None:
        self._company = company
        self._question = _LOOK.format(_STREAMING if company else "0")

    def look(self, asked: Session) -> RoleView:
        ((recovering, commit, fsync, standbys),) = asked.ask(self._question).rows
        primary = recovering == "f"
        accompanied = self._company is not None and int(standbys) >= self._company.least
        return RoleView(
            primary, primary and accompanied, dict(zip(DECIDING, (str(commit), str(fsync)), strict=True))
        )

    def change(self, asked: Session, settings: Settings) -> None:
        for name, value in settings.items():
            asked.ask(f"ALTER SYSTEM SET {name} = '{value}'")
        asked.ask("SELECT pg_reload_conf()")
