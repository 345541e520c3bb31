"""`pdo-pgsql`: PDO with PostgreSQL, by libpq (PHP)."""

from typing import ClassVar

from fivenines.load.stacks.stack import LIBPQ_BOUNDS, PhpStack


class PdoPgsql(PhpStack):
    """PDO with PostgreSQL, by libpq (PHP)."""

    name = "pdo-pgsql"
    description = "PDO with PostgreSQL, by libpq (PHP)"
    driver = "postgres"
    several_hosts = True
    recommended: ClassVar = {**LIBPQ_BOUNDS, "pool.request_terminate_timeout": "5s"}
    documentation = (
        "php.net/manual/en/ref.pdo-pgsql.connection.php; "
        "php.net/manual/en/install.fpm.configuration.php#request-terminate-timeout; "
        "postgresql.org/docs/18/libpq-connect.html"
    )
