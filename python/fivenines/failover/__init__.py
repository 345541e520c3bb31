"""Failover: managers that promote another node, proxies that lead clients to it, custom programs."""
