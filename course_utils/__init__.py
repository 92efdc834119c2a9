"""The companion package of the self-attention course. The lessons are in ``notebooks/``."""
