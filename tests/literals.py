"""The numbers that stand in a text as they are: a list beside it has to hold them, so that none changes unnoticed."""

from course_utils.exercises.engine.words import literals


def unlisted(texts, given):
    """What is wrong with the list of the numbers that stand in texts as they are; "" if nothing."""
    found = " ".join(number for text in texts for number in literals(text))
    return "" if found == " ".join(given.split()) else f'fill these in, or write: given = "{found}"'
