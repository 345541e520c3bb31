"""Client stacks: drivers with their connection pools, which write to a cluster as an application does.

stack       what a kind of stack is: its program, its servers, its recommended settings
kinds/      one file for each kind
programs/   the programs, one folder for each language, with their pinned packages
runtimes/   what a language's program needs, built once into the cache
protocol    the lines that a program writes, and what is wrong with them
process     a running program
sockets     the servers that its connections lead to
measure     several programs against the servers of a DSN
rows        the table that the programs write to, and what it shows afterwards
"""
