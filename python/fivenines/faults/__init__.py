"""Faults that fivenines injects. One module per fault; every fault verifies that it took effect."""
