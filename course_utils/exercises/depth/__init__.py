"""Exercises on depth."""
