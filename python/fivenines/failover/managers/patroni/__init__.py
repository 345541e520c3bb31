"""The Patroni daemon of each node."""
