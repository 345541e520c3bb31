"""Database servers: one process on one host, with its configuration, life cycle and SQL."""
