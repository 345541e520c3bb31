"""Computation of measures, intervals and comparisons from the records of trials."""
