"""Faults that fivenines injects. One file each; every fault verifies that it took effect."""
