"""Published studies, run again at the scale of the machine and judged claim by claim."""
