"""Measures by name, and requirements on solutions: conditions on measures, and settings that contain them.

`entries` has one entry for each measure; everything else derives from `measures.MEASURES`.
"""
