"""Commands for this machine and for others: `doctor`, `engines`, `hosts`, `workers` and others."""
