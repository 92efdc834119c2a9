"""What a round of practice shows, as plain data: a panel and a terminal draw the same. Texts, never HTML."""

from course_utils.interview import catalogue, log, score

# What is revealed of a question, in this order.
STEPS = ("20 seconds", "2 minutes", "Follow-ups", "Trap")
EMPTY = {
    "title": "",
    "facts": "",
    "text": "",
    "parts": [],
    "points": [],
    "box": {"kind": "", "label": "", "text": ""},
    "table": [],
    "clock": {"seconds": 0, "minutes": 0, "running": False},
    "actions": [],
}
ANSWER_FIRST = "Answer aloud first, then compare."
TICK = "Tick the key points you said."


def screen(practice):
    """The screen of a Practice. ``actions`` are (what to do, its label, its key)."""
    draw = {"start": start, "question": question, "drill": drill, "result": result}[practice.screen]
    common = {"kind": practice.screen, "notes": list(practice.notes), "message": practice.message}
    return EMPTY | common | draw(practice)


def start(practice):
    due = len(practice.due())
    fresh = len(practice.today()) - due
    day = log.interview_date(practice.entries)
    days = (day - practice.day()).days if day else -1
    when = {0: "today", 1: "tomorrow"}.get(days, f"in {days} days")
    when = f"The interview is {when}, on {day}." if days >= 0 else "No interview date is set."
    actions = [("today", "Practise what is for today", "t")] if due or fresh else []
    if not actions and practice.ahead():
        actions = [("today", "Practise some new ones ahead", "t")]
    actions += [
        (f"mock {minutes}", f"Mock interview, {minutes} minutes", str(minutes)[0]) for minutes in catalogue.MOCKS
    ]
    actions += [(f"drill {kind}", f"Drill: {kind}", kind[0]) for kind in catalogue.DRILLS]
    actions += [("date", "Set the interview date", "s")]
    actions += [("no_date", "Remove the interview date", "n")] if days >= 0 else []
    actions += [("result", "Results so far", "r")]
    return {
        "title": "Interview trainer",
        "text": f"To repeat today: {due}. New: {fresh}. In all: {len(practice.items)}. {when}",
        "box": {"kind": "line", "label": "Interview date, such as 2030-05-31", "text": str(day) if days >= 0 else ""},
        "actions": actions,
    }


def question(practice):
    q, step = practice.current, practice.step
    follow_ups = "\n\n".join(f"{f.ask}\n→ {f.answer}" for f in q.follow_ups)
    parts = list(zip(STEPS, (q.brief, q.full, follow_ups, q.trap), strict=True))[:step]
    parts += [("Proof", practice.proof)] if practice.proof else []
    actions = [("reveal", f"Show: {STEPS[step]}", "n")] if step < len(STEPS) else []
    actions += [("next", "Done, next", "d")] if step else []
    actions += [("proof", "Run the proof", "p")] if step > 1 and q.proof and not practice.proof else []
    hint = TICK if step else ANSWER_FIRST
    return _item(practice) | {
        "text": q.question,
        "message": (practice.message if step else "") or f"{practice.message}\n\n{hint}".strip(),
        "parts": [{"label": label, "text": text} for label, text in parts],
        "points": [{"text": text, "ticked": text in practice.ticked} for text in q.rubric] if step else [],
        "actions": actions + _ways_out(practice),
    }


def drill(practice):
    task = practice.current
    box = {"kind": task.box, "label": "Your answer" if task.box == "line" else "Your code", "text": practice.written}
    if practice.done:
        parts = [{"label": "Reference", "text": task.solution}]
        actions = [("next", "Next", "d")]
    else:
        parts = [{"label": "How it shows", "text": task.symptom}] if task.symptom else []
        actions = [("check", "Check", "c")]
        actions += [("hint", "Name the mistake", "h")] if task.hint and not practice.hinted else []
        actions += [("give_up", "Show the answer", "g")]
    return _item(practice) | {
        "text": task.question,
        "parts": parts,
        "box": box,
        "actions": actions + _ways_out(practice)[practice.done * 2 :],
    }


def result(practice):
    entries, left_out = practice.round if practice.queue else practice.entries, practice.left_out()
    lessons = {name: item.lesson for name, item in practice.items.items()}
    return {
        "title": "Result of this round" if practice.queue else "Results so far",
        "text": "\n".join(score.advice(entries, lessons, left_out)),
        "table": [[line.group, line.name, line.count, f"{line.score:.0%}"] for line in score.table(entries, left_out)],
        "actions": [("home", "Back to the start", "b")],
    }


def _item(practice):
    item, watch, left = practice.current, practice.watch, practice.minutes_left()
    facts = [item.type, f"level {item.level}", f"{item.minutes} minutes", item.lesson]
    facts += [f"interview: {left} minutes left"] if left is not None else []
    return {
        "title": f"{practice.place + 1} of {len(practice.queue)}",
        "facts": " · ".join(facts),
        "clock": {"seconds": round(watch.seconds()), "minutes": item.minutes, "running": watch.running},
    }


def _ways_out(practice):
    pause = ("pause", "Go on" if practice.paused else "Pause", "u")
    return [pause, ("skip", "Skip", "k"), ("stop", "Stop, and see the result", "q")]
