"""MySQL NDB Cluster: SQL nodes, data nodes with the rows, and management nodes."""
