"""Exercises and their checks: ``check.NAME(answer)``, ``hint(name)``, ``show_solution(name)``."""

from course_utils.exercises.checks import Verdict, check, hint, judge, show_solution
from course_utils.exercises.questions import ask

__all__ = ["Verdict", "ask", "check", "hint", "judge", "show_solution"]
