"""Hosts on other machines, reached over SSH.

An inventory, connections, hosts (`hosts/`), the network between them (`network/`), and their lab.
"""
