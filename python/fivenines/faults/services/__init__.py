"""Faults of what surrounds the nodes: managers, proxies, arbiters, clients, custom commands."""
