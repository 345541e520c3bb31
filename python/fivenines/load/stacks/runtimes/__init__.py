"""What the programs of the stacks need, built once into the cache and used without a network afterwards.

base        a runtime: sources, command line, folder in the cache
tools       compilers and package managers, of this machine or of a Debian root that is removed afterwards
relocated   programs of a Debian root that run with the machine's files
python      packages from PyPI
psql        psql of the engine postgres-18
go          one static program
rust        one program
node        packages from npm, Node.js among them
java        classes, packages of Maven, and a Java runtime of Debian
"""
