"""MariaDB Galera Cluster: settings and options, configuration, roles, members, state transfers."""
