"""The web page: all runs of a folder in a browser, with live figures of running experiments."""
