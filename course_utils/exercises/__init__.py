"""Exercises and their checks: ``check.NAME(answer)``, ``hint(name)``, ``show_solution(name)``."""

from course_utils.exercises.engine.judge import Verdict, check, hint, judge, show_solution
from course_utils.exercises.engine.quizzes import ask, recall

__all__ = ["Verdict", "ask", "check", "hint", "judge", "recall", "show_solution"]
