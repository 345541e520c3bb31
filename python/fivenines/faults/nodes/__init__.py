"""Faults of nodes: killed, stopped, frozen, silent, without power; planned changes."""
