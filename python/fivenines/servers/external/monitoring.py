"""Figures and settings of external servers, without settings that may contain a password."""

import re
from collections.abc import Mapping

from fivenines.servers.mariadb.monitoring import MariadbMonitoring
from fivenines.servers.mysql.monitoring import MysqlMonitoring
from fivenines.servers.postgres.monitoring import PostgresMonitoring

_SECRET_NAMES = re.compile(r"conninfo|passphrase|sst_auth|_command$|provider_options")
_SECRET_VALUES = re.compile(r"passw|pwd|secret|token", re.IGNORECASE)


class ExternalPostgresMonitoring(PostgresMonitoring):
    """Hides settings that may contain a password."""

    def effective_settings(self) -> dict[str, str]:
        return _without_secrets(super().effective_settings())


class ExternalMariadbMonitoring(MariadbMonitoring):
    """Hides settings that may contain a password."""

    def effective_settings(self) -> dict[str, str]:
        return _without_secrets(super().effective_settings())


class ExternalMysqlMonitoring(MysqlMonitoring):
    """Hides settings that may contain a password."""

    def effective_settings(self) -> dict[str, str]:
        return _without_secrets(super().effective_settings())


def _without_secrets(settings: Mapping[str, str]) -> dict[str, str]:
    """Hide settings that may contain a password."""
    return {
        name: "***" if value and (_SECRET_NAMES.search(name) or _SECRET_VALUES.search(value)) else value
        for name, value in settings.items()
    }
