"""Commands for experiments and their runs: `run`, `report`, `compare`, `replicate` and others."""
