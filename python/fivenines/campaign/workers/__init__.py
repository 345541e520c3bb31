"""Workers that run the trials of a campaign: this process, other processes, other machines."""
