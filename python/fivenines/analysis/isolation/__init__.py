"""Isolation of transactions, judged from what their clients saw: list-append after Elle, and a bank.

`isolation.check.judge` reads a trial's table `history`; each checker has a file of its own.
"""
