"""MySQL Group Replication and InnoDB Cluster."""
