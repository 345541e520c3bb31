"""Open connections to PostgreSQL."""

import os
from functools import cache
from typing import Any

from fivenines.base.drivers import psycopg


def opened(**options: Any) -> "psycopg.Connection[Any]":
    """Open a connection; `options` as of `psycopg.connect`, and nothing from the environment.

    Connection strings are completed from the user's variables where they are read. Here `PGHOSTADDR` would
    replace the address of a lab's socket, `PGSERVICE` require a service file, and `PGOPTIONS` or
    `PGTARGETSESSIONATTRS` change or refuse sessions on servers that the user did not think of.
    """
    _hide_variables()
    # psycopg itself reads PGTARGETSESSIONATTRS from `os.environ`. Without `client_encoding`, it returns texts
    # of a database with the encoding SQL_ASCII as bytes, which equal no word.
    return psycopg.connect(**{"target_session_attrs": "any", "client_encoding": "UTF8", **options})


@cache
def _hide_variables() -> None:
    """Remove libpq's variables from what C libraries see; `os.environ` keeps them for users' commands."""
    for name in os.environ:
        if name.startswith("PG"):
            os.unsetenv(name)
