"""Hosts on other machines, reached over SSH: an inventory, connections, hosts (`hosts/`), and their lab."""
