"""Replication of published studies, claim by claim. A study is one YAML file in this folder."""
