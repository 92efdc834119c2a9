"""One example of every widget, found by itself: a widget without an example fails the tests."""

import importlib
import pkgutil

import numpy as np

import course_utils
from course_utils.core import pronoun
from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.core.tokens import cat, cat_projections, library
from course_utils.views.complexity import CostCalculator
from course_utils.views.depth import CutTool
from course_utils.views.example import Stepper
from course_utils.views.explorer import Explorer
from course_utils.views.heads import HeadGrid
from course_utils.views.interview import Trainer
from course_utils.views.maps import WeightMap
from course_utils.views.masking import MaskEditor
from course_utils.views.order import OrderMap
from course_utils.views.prediction import Prediction
from course_utils.views.retrieval import RetrievalPlane
from course_utils.views.scaling import ScalingExplorer
from course_utils.views.widget import Widget

WORDS = "the cat sat on the mat".split()


def scores(n_queries=6, n_keys=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n_queries, n_keys)) * 2


def leaky_map():
    """Fixed weights with leaks, a NaN and a row that may look at nothing."""
    mask = causal_mask(6)
    mask[4] = False  # may look at nothing
    weights = softmax(np.where(mask, scores(), -np.inf))
    weights[2, 3] = 0.18
    weights[3, 0] = np.nan
    return WeightMap(weights=weights, queries=WORDS, mask=mask, focus="sat")


def weight_map(**settings):
    return WeightMap(scores(), WORDS, focus="sat", **settings)


def explorer(**settings):
    return Explorer(**settings)


def retrieval_plane(**settings):
    shelf = library()
    return RetrievalPlane(shelf.titles, shelf.keys, shelf.values, ["food", "travel", "repair"], **settings)


def mask_editor(**settings):
    words, x = cat()
    return MaskEditor(*(x @ W for W in cat_projections()), words, **settings)


def head_grid(**settings):
    weights = softmax(np.stack([scores(seed=seed) * 1.5 for seed in range(4)]))
    return HeadGrid(weights, WORDS, mean=True, **settings)


def order_map(**settings):
    query, key = np.random.default_rng(5).normal(size=(2, 4, 4)).round(2)
    return OrderMap(query * 1.5, key, "dog bites man today".split(), **settings)


def cut_tool(**settings):
    rng = np.random.default_rng(9)
    shapes = (2, len(pronoun.WORDS), 8), *[(2, 2, 8, 8)] * 3
    return CutTool(pronoun.Weights(*(rng.normal(size=shape) / 2 for shape in shapes)), held_out=50, **settings)


def trainer_card(**changes):
    """A screen of the interview trainer with everything that a screen can have."""
    return {
        "kind": "drill",
        "title": "2 of 5",
        "facts": "debug · level 3",
        "text": "What is `d_k`?\n\nTwo lines.",
        "parts": [{"label": "How it shows", "text": "yours\n  [1. 2.]"}],
        "points": [{"text": "the width", "ticked": False}, {"text": "of `key`", "ticked": True}],
        "box": {"kind": "code", "label": "Your code", "text": "def f(x):\n    return x\n"},
        "message": "Not yet.",
        "notes": ["A line is damaged."],
        "table": [["topic", "masking", 3, "67%"]],
        "clock": {"seconds": 61, "minutes": 5, "running": False},
        "actions": [["check", "Check", "c"], ["hint", "Name the mistake", "h"]],
    } | changes


def trainer(**settings):
    return Trainer(trainer_card(), **settings)


def prediction(predict="What is the row sum?"):
    return Prediction(predict, "It is <b>1</b>.")


# {class: (a function that makes one and takes predict=, its code in a notebook)}
EXAMPLES = {
    WeightMap: (weight_map, "weight_map()"),
    Explorer: (explorer, "explorer()"),
    RetrievalPlane: (retrieval_plane, "retrieval_plane()"),
    Prediction: (prediction, "prediction()"),
    ScalingExplorer: (ScalingExplorer, "ScalingExplorer()"),
    Stepper: (Stepper, "Stepper()"),
    OrderMap: (order_map, "order_map()"),
    MaskEditor: (mask_editor, "mask_editor()"),
    HeadGrid: (head_grid, "head_grid()"),
    CutTool: (cut_tool, "cut_tool()"),
    CostCalculator: (CostCalculator, "CostCalculator()"),
    Trainer: (trainer, "trainer()"),
}


def widget_classes():
    """Every subclass of Widget in the views, by import of all their modules."""
    for module in pkgutil.iter_modules(course_utils.views.__path__, "course_utils.views."):
        importlib.import_module(module.name)
    return sorted(
        {cls for cls in Widget.__subclasses__() if cls.__module__.startswith("course_utils.views.")},
        key=lambda cls: cls.__name__,
    )
