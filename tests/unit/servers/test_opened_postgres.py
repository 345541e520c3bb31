"""Test that the user's variables of libpq do not reach fivenines' own connections."""

import os
import subprocess
import sys

import pytest

# The environment of a DBA's shell: a service, a bastion's address, and sessions that only read.
_VARIABLES = {
    "PGSERVICE": "absent",
    "PGHOSTADDR": "127.0.0.9",
    "PGOPTIONS": "-c default_transaction_read_only=on",
    "PGTARGETSESSIONATTRS": "prefer-standby",
}

_PROGRAM = """
import os, psycopg
from fivenines.servers.postgres.opened import opened
try:
    opened(host="/nowhere", port=1, user="app", dbname="app")
except psycopg.OperationalError as error:
    print(error)
print(os.environ["PGSERVICE"])
"""


@pytest.mark.parametrize("given", [{}, _VARIABLES])
def test_the_environment_does_not_change_a_connection(given: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env={**os.environ, "PGSERVICE": "shop", **given},
        capture_output=True,
        text=True,
        check=True,
    )
    error, kept = done.stdout.rstrip().rsplit("\n", 1)
    assert "/nowhere/.s.PGSQL.1" in error and error.count("No such file") == 1
    # Users' commands, such as hooks, still get it.
    assert kept == {"PGSERVICE": "shop", **given}["PGSERVICE"]
