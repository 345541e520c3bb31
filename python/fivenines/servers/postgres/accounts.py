"""Accounts of a PostgreSQL server, and the clients' file with their passwords."""

from fivenines.servers import secrets

ADMINISTRATOR = "postgres"

# User id of the server and of its programs in their host.
UID = 65534

# libpq's password file on every node, for standbys and tools.
PASSFILE = secrets.seen_inside("pgpass")
