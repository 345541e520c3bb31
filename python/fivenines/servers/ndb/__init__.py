"""MySQL NDB Cluster: SQL nodes, the data nodes that hold the rows, management nodes that know them all."""
