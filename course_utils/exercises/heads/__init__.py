"""Exercises on heads."""
