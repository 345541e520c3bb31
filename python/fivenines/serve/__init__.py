"""The live page: all runs of a folder in a browser on this machine, the running one as it runs."""
