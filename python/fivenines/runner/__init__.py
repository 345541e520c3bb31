"""Experiments at work: campaigns, trials, duets, and the faults in them."""
