"""Exercises on masking."""
