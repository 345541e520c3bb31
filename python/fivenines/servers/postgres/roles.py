"""Role and durability of PostgreSQL (manual, 19.5 synchronous_commit, 27.2.4 pg_stat_replication)."""

from typing import ClassVar

from fivenines.servers.roles import Company, RoleReader, RoleView, Settings
from fivenines.servers.session import Session

# The settings that control durability; ALTER SYSTEM stores them for the next start, too.
DECIDING = ("synchronous_commit", "fsync")

_LOOK = "SELECT pg_is_in_recovery(), current_setting('synchronous_commit'), current_setting('fsync'), {}"
_STREAMING = "(SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming')"


class PostgresRoles(RoleReader):
    """ALTER SYSTEM and a reload; sessions use a new value from their next command on."""

    # Data that are never written out could not be read after a power loss.
    always: ClassVar[Settings] = {"fsync": "on"}

    def __init__(self, company: Company | None) -> None:
        self._company = company
        self._question = _LOOK.format(_STREAMING if company else "0")

    def look(self, session: Session) -> RoleView:
        ((recovering, commit, fsync, standbys),) = session.ask(self._question).rows
        primary = recovering == "f"
        accompanied = self._company is not None and int(standbys) >= self._company.least
        return RoleView(
            primary, primary and accompanied, dict(zip(DECIDING, (str(commit), str(fsync)), strict=True))
        )

    def change(self, session: Session, settings: Settings) -> None:
        for name, value in settings.items():
            session.ask(f"ALTER SYSTEM SET {name} = '{value}'")
        session.ask("SELECT pg_reload_conf()")
