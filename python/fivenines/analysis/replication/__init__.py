"""Replication: lag, execution latency, replicated disks, distance between sites."""
