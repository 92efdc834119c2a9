"""Exercises and their checks: ``check.NAME(answer)``, ``hint(name)``, ``show_solution(name)``."""

from course_utils.exercises.engine.cell import ask, check, hint, recall, show_solution
from course_utils.exercises.engine.judge import judge
from course_utils.exercises.engine.verdict import Verdict

__all__ = ["Verdict", "ask", "check", "hint", "judge", "recall", "show_solution"]
