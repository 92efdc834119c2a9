"""The check engine: it knows no topic."""
