"""The judge of claims: ten tests, one file each, that ask for figures and give verdicts.

Pure: what is judged comes through `figures.Figures`, of a run or of a publication alike.
"""
