"""The contract: what managers, access layers and faults know of a solution."""
