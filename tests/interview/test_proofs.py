"""Every answer is tied to its proof: its numbers are filled in, or listed, and the proof computes what it returns."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from course_utils.exercises.engine.words import NUMBER, literals
from course_utils.interview.bank import filled, questions
from tests.literals import unlisted

QUESTIONS = list(questions().values())
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
TRIVIAL = {"round", "abs", "len", "sum", "min", "max", "int", "float", "math", "np"}


@every_question
def test_each_number_of_an_answer_is_filled_in_or_listed(question):
    problem = unlisted(question.texts.values(), question.given)
    assert not problem, f"{question.topic}.toml, question {question.name}: {problem}"


@every_question
def test_an_answer_can_be_filled(question):
    for text in filled(question).texts.values():
        assert text.strip() and not re.search(r"np\.float|\{[a-z_]+[:}\[]|array\(", text), text


@pytest.mark.parametrize("question", QUESTIONS[::9], ids=lambda question: question.name)
def test_a_changed_number_is_noticed(question):
    texts = list(question.texts.values())
    for place, text in enumerate(texts):
        for number in NUMBER.finditer(text):
            inside = text.rfind("{", 0, number.start()) > text.rfind("}", 0, number.start())
            if not inside:
                other = f"{text[: number.start()]}{number[0]}7{text[number.end() :]}"
                assert unlisted([*texts[:place], other, *texts[place + 1 :]], question.given)


# ---------------------------------------------------------------- the proofs' syntax


def proofs():
    for topic in sorted({question.topic for question in QUESTIONS}):
        module = importlib.import_module(f"course_utils.interview.proofs.{topic}")
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        names = {question.proof for question in QUESTIONS if question.topic == topic}
        constants = _bound([node for node in tree.body if isinstance(node, ast.Assign)])
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in names:
                yield pytest.param(node, constants, id=f"{topic}.{node.name}")


def _bound(body):
    """The names that are bound to literals in some statements, and nothing else."""
    bound = {}
    for node in ast.walk(ast.Module(body, [])):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                bound |= _pairs(target, node.value)
    return {name: value for name, value in bound.items() if value is not None}


def _pairs(target, value):
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return {k: v for pair in zip(target.elts, value.elts, strict=True) for k, v in _pairs(*pair).items()}
    names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
    plain = value.value if isinstance(value, ast.Constant) else None
    return {name: plain for name in names}


def conjuncts(test):
    """The parts of a condition that hold each on its own."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in conjuncts(value)]
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = test.left, test.comparators[0]
        if all(isinstance(side, ast.Tuple | ast.List) for side in sides) and len(sides[0].elts) == len(sides[1].elts):
            return [ast.Tuple(list(pair)) for pair in zip(sides[0].elts, sides[1].elts, strict=True)]
    return [test]


def computes(expression):
    """Whether there is anything in it but literals and what works on them."""
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    return bool(names - TRIVIAL)


@pytest.mark.parametrize("proof, constants", proofs())
def test_a_proof_asserts_nothing_about_literals(proof, constants):
    for node in ast.walk(proof):
        if isinstance(node, ast.Assert):
            for part in conjuncts(node.test):
                assert computes(part), f"line {node.lineno}: {ast.unparse(part)} holds whatever the course computes"


def returned(proof):
    """(name, expression) of all that a proof returns."""
    for node in ast.walk(proof):
        if isinstance(node, ast.Return) and node.value is not None:
            made = node.value
            if isinstance(made, ast.Call) and ast.unparse(made.func) == "dict" and not made.args:
                yield from ((keyword.arg, keyword.value) for keyword in made.keywords)
                continue
            assert isinstance(made, ast.Dict), f"line {node.lineno}: return a dict, written out: name by name"
            for key, value in zip(made.keys, made.values, strict=True):
                yield key.value if isinstance(key, ast.Constant) else "**", value


@pytest.mark.parametrize("proof, constants", proofs())
def test_what_a_proof_returns_is_computed(proof, constants):
    gives = {n for q in QUESTIONS if q.proof == proof.name for n in (*literals(q.question), *q.given.split())}
    own = constants | _bound(proof.body)
    for name, expression in returned(proof):
        assert computes(expression), f"{name} is made of literals: {ast.unparse(expression)}"
        if isinstance(expression, ast.Name) and expression.id in own and isinstance(own[expression.id], int | float):
            value = own[expression.id]
            said = {f"{value:,}", str(value), f"{value:g}"}
            asked = any(f"{{{name}" in q.question for q in QUESTIONS if q.proof == proof.name)
            assert asked or said & gives, f"{name} is the literal {value}, which the question does not give"
