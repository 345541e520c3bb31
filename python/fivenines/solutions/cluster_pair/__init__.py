"""Two clusters with asynchronous replication between them."""
