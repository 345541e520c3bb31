"""Access layers: how a client reaches the node that takes its reads and writes. One file each."""
