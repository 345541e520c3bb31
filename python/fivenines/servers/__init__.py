"""Database servers: one process on one host, its configuration, its life and its SQL."""
