"""Exercises on complexity."""
