"""Whom to take: needs, then preferences, for each condition that one can know beforehand.

`decide.decisions` begins; `judging` says whether a need is met, `best_set` who may be the best.
"""
