"""Notebooks as data: tidy them, run them, solve them, hand out copies."""


class Trouble(Exception):
    """Something that can be expected to go wrong, said in one sentence with its remedy."""
