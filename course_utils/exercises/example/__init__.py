"""Exercises on example."""
