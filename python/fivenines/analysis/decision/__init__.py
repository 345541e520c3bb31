"""Decision for a solution: requirements, then preferences, for each condition that is known in advance.

Start at `decide.decisions`; `judging` judges requirements, `best_set` returns the candidates for the best.
"""
