"""MySQL NDB Cluster."""
