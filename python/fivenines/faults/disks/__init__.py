"""Faults of disks: slow, full, failing."""
