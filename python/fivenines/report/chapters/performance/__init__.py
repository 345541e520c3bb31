"""Chapters on speed, transactions, clients, counters and sweeps."""
