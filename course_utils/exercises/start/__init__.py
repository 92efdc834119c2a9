"""Exercises on start."""
