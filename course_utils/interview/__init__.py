"""The interview trainer: questions whose answers are proven, drills graded by code, and what to repeat today."""
