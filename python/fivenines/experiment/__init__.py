"""From an experiment file to a plan, from a plan to trials on disk."""
