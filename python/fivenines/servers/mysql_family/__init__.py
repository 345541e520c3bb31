"""Common parts of MariaDB and MySQL."""
