"""Isolation of transactions, judged from the clients' observations: list-append after Elle, and a bank.

`isolation.check.judge` reads a trial's table `history`; each checker has a file of its own.
"""
