"""MariaDB's and MySQL's asynchronous and semi-synchronous replication."""
