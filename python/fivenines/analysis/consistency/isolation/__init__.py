"""Isolation and linearizability, judged from the clients' observations: lists after Elle, registers, a bank.

`isolation.check.judge` reads a trial's table `history`; each checker has a file of its own.
"""
