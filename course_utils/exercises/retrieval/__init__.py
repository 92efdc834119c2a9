"""Exercises on retrieval."""
