"""Faults of the network: partitions, and links with latency, loss or little bandwidth."""
