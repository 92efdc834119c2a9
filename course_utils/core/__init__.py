"""The mathematics of the course: NumPy in, NumPy out; torch in, torch out."""
