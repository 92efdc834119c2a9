"""One example of every widget, found by itself: a widget without an example fails the tests."""

import importlib
import pkgutil

import numpy as np

import course_utils
from course_utils.core.masks import causal_mask
from course_utils.core.scores import softmax
from course_utils.core.tokens import cat, cat_projections, library
from course_utils.views.complexity import CostCalculator
from course_utils.views.explorer import Explorer
from course_utils.views.heads import HeadGrid
from course_utils.views.maps import WeightMap
from course_utils.views.masking import MaskEditor
from course_utils.views.prediction import Prediction
from course_utils.views.retrieval import RetrievalPlane
from course_utils.views.scaling import ScalingExplorer
from course_utils.views.stepper import Stepper
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
    MaskEditor: (mask_editor, "mask_editor()"),
    HeadGrid: (head_grid, "head_grid()"),
    CostCalculator: (CostCalculator, "CostCalculator()"),
}


def widget_classes():
    """Every subclass of Widget in the views, by import of all their modules."""
    for module in pkgutil.iter_modules(course_utils.views.__path__, "course_utils.views."):
        importlib.import_module(module.name)
    return sorted(
        {cls for cls in Widget.__subclasses__() if cls.__module__.startswith("course_utils.views.")},
        key=lambda cls: cls.__name__,
    )
