"""Exercises on order."""
