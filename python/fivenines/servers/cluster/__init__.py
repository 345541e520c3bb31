"""The interface through which managers, access layers and faults see a solution."""
