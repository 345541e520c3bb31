"""Data folders of hosts, and faults of the disks below them."""
