"""Mistakes that people really make, one module a family: the docstring is what the learner reads."""
