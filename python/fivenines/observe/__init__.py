"""What is watched during a trial beside the load."""
