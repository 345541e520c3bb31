"""MariaDB: all that is asked of it."""
