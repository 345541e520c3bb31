"""Tests of claims: eleven kinds, one file each, which turn figures into verdicts.

Pure functions: figures of runs and of publications come through `figures.Figures`.
"""
