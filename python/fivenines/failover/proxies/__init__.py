"""Access layers: how a client reaches the node for its reads and writes. One file each."""
