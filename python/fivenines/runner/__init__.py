"""Experiments at work: campaigns, trials, blocks, and the faults in them."""
