"""Who carries out the trials of a campaign: this process, others on this machine, other machines."""
