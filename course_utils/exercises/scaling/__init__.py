"""Exercises on scaling."""
