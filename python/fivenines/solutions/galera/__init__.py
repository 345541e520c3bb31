"""MariaDB Galera Cluster."""
