"""Exercises of ``09_depth``, first half: what one layer can do, what a cut costs, and where the weights live."""

import functools

import numpy as np

from course_utils.exercises.depth import answers
from course_utils.exercises.depth.mistakes import cuts, paths, ratio
from course_utils.exercises.depth.mistakes import depth as mistakes
from course_utils.exercises.engine.exercise import Exercise, Mistake, halves

LESSON = "09_depth"


def again(mistake, run):
    """Another way into the same mistake, under its name."""
    return Mistake(Mistake.of(mistake).name, Mistake.of(mistake).text, run)


def _never_negative(run, arguments, value):
    return "A ratio of two weights is above 0, but yours is not." if value <= 0 else None


def _the_same_key_twice(run, arguments, value):
    query, key, _ = arguments
    twice = run(query, key, key)
    if isinstance(twice, np.ndarray) and not np.allclose(twice, 1):
        return f"With the same key twice both weights are the same, so the ratio is 1. Yours is {twice:.3g}."
    return None


def _the_better_key_is_ahead(run, arguments, value):
    query, key, other_key = arguments
    if query @ key > query @ other_key and value < 1:
        return "Here key fits the query better than other_key, so the ratio is above 1. Yours is below."
    return None


# Measures for the cuts: functions of a mask (2, 11, 11), as strict as the models' own.


def _strict(measure):
    @functools.wraps(measure)
    def strict(mask):
        if not isinstance(mask, np.ndarray) or mask.dtype.kind != "b" or mask.shape != (2, 11, 11):
            came = f"{getattr(mask, 'dtype', type(mask).__name__)} of shape {np.shape(mask)}"
            raise TypeError(
                f"measure needs a boolean mask (2, 11, 11), True = may look, but was given {came}"
            )
        return measure(mask)

    return strict


def _table(seed):
    return np.random.default_rng(seed).random((2, 11, 11))


@_strict
def by_edges(mask):
    """a measure that adds up a number for each edge that is left, some below 0: to cut those helps"""
    return float(((_table(1) - 0.3) * mask).sum() / 100)


@_strict
def by_pairs(mask):
    """a measure in which two words can stand in for each other"""
    here, both = _table(2) * mask, mask[0, 1, 10] or mask[0, 5, 10]
    return 0.3 + 0.4 * bool(both) + float(here.sum() / 500)


@_strict
def whole_is_half(mask):
    """a measure that is 0.5 at the start, and only "it" can lower it"""
    return 0.5 - 0.25 * (not mask[0, 7, 10])


def _one_edge_at_a_time(run, arguments, value):
    hidden = []

    def watched(mask):
        hidden.append(np.argwhere(~mask))
        return arguments[0](mask)

    run(watched)
    if all(map(len, hidden)):
        return "None of your masks is True everywhere, so what the model scores uncut is never measured."
    for edges in hidden:
        if len(edges) > 1:
            return f"One of your masks hides {len(edges)} edges at once. One edge at a time is asked."
        for layer, row, column in edges:
            if layer or column != 10:
                place = f"mask[{layer}, {row}, {column}]"
                return f"You cut {place}. Layer 1 is mask[0], and the adjective stands in column 10."
    return None


def _edges(*edges):
    """The first of each pair may look at the second; nobody sees itself unless it is said."""
    return np.array(edges)


# So few edges that a failing input is printed in full.
CAUSAL, ALL = np.argwhere(np.tri(4)), np.argwhere(np.ones((3, 3)))
WINDOW = np.argwhere(np.tri(6) - np.tri(6, k=-2))  # itself and the one before
WIDER = np.argwhere(np.tri(11) - np.tri(11, k=-3))
RANDOM = np.argwhere(np.random.default_rng(3).random((9, 9)) < 0.17)

EXERCISES = [
    Exercise(
        lesson=LESSON,
        solution=answers.weight_ratio,
        probes=[
            (np.array([1.0, 0.5, 0.0, -1.0]), np.array([2.0, 1.0, 3.0, 0.0]), np.array([0.0, 0.0, 1.0, 1.0])),
            *(halves((d,), (d,), (d,), seed=d) for d in (2, 3, 9)),
            (np.array([40.0, 40.0]), np.array([50.0, 1.0]), np.array([50.0, 1.01])),
        ],
        covers="huge scores included. No other word enters: that is the theorem",
        properties=[_never_negative, _the_same_key_twice, _the_better_key_is_ahead],
        alternatives=[answers.ratio_by_softmax],
        notes=[ratio.by_two_exponentials, again(ratio.by_two_exponentials, ratio.by_two_of_maths)],
        mistakes=[
            ratio.ratio_of_the_scores,
            ratio.difference_of_the_scores,
            ratio.does_not_scale,
            ratio.divides_by_d_k,
            ratio.other_way_round,
            ratio.share_of_the_two,
            ratio.other_key_is_not_used,
        ],
        hints=[
            "A weight is exp(scaled score), divided by the sum of the row. Both weights have the same sum.",
            "So the ratio is exp(a) / exp(b), with the two scaled scores a and b. That is exp of what?",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.path_length,
        probes=[
            (_edges((2, 1), (1, 0)), 0, 2),
            (_edges((2, 1), (1, 0)), 1, 1),
            (CAUSAL, 3, 1),
            (CAUSAL, 1, 3),
            (CAUSAL, 2, 2),
            (ALL, 2, 0),
            (WINDOW, 1, 4),
            (WIDER, 1, 7),
            (WIDER, 0, 9),
            (_edges((1, 0), (2, 1), (3, 2), (4, 3), (3, 0)), 0, 4),
            (_edges((1, 0), (0, 1), (2, 1), (5, 4)), 0, 5),
            (_edges((1, 0), (2, 0), (3, 2), (0, 3)), 0, 3),
            (_edges((1, 0), (2, 0), (3, 2), (4, 3), (4, 1)), 0, 4),
            (_edges((1, 0), (2, 0), (3, 1), (4, 3), (4, 2)), 0, 4),
            *((RANDOM, 0, target) for target in range(1, 9)),
        ],
        covers="causal masks, windows, words that do not see themselves, no path",
        alternatives=[answers.path_by_powers, answers.path_by_walks],
        mistakes=[
            paths.follows_the_rows_backwards,
            paths.one_layer_or_none,
            paths.counts_the_words,
            paths.no_path_is_zero,
            paths.no_path_is_the_length,
            paths.the_word_itself_takes_a_layer,
            paths.the_distance_of_the_places,
            Mistake.of(paths.always_one, exact=True),
            paths.the_first_path_found,
            again(paths.the_first_path_found, paths.with_a_stack),
            paths.counts_all_that_were_reached,
            paths.passes_on_in_the_same_layer,
            again(paths.passes_on_in_the_same_layer, paths.in_the_same_layer_from_the_end),
        ],
        hints=[
            "Keep the set of words that hold the content; it starts with the source alone. A layer makes it larger.",
            "After a layer, i holds it if it did before, or if there is an edge (i, j) to some j that did.",
            "Count the layers until the target is in the set. If a layer adds nobody, return -1.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.cost_of_each_cut,
        probes=[(whole_is_half,), (by_edges,), (by_pairs,)],
        covers="a fresh mask for each word, cuts that help",
        properties=[_one_edge_at_a_time],
        alternatives=[answers.costs_by_lists],
        mistakes=[
            cuts.cuts_add_up,
            cuts.returns_what_is_left,
            cuts.compared_with_1,
            cuts.sign_turned,
            cuts.cuts_what_the_adjective_sees,
            cuts.cuts_layer_2,
            cuts.cuts_both_layers,
            cuts.cuts_the_whole_row,
            cuts.cuts_all_but_the_word,
            cuts.cuts_all_words_at_once,
            cuts.masks_turned_round,
            cuts.cuts_the_word_itself,
            cuts.relative_cost,
            cuts.never_below_zero,
            again(cuts.never_below_zero, cuts.without_a_sign),
        ],
        hints=[
            "np.ones((2, 11, 11), dtype=bool) hides nothing. Measure it once, then eleven cut masks.",
            "In layer 1, mask[0], row i loses the adjective at column 10. Then a fresh mask for the next row.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.block_weights,
        covers="12 d²: 4 d² for attention, 8 d² for the feed-forward, whatever the number of heads.",
        mistakes=[
            mistakes.attention_only,
            mistakes.feed_forward_only,
            mistakes.without_w_o,
            mistakes.hidden_as_wide_as_the_stream,
            mistakes.once_for_each_head,
            mistakes.attention_for_one_head,
        ],
        hints=["W_Q, W_K, W_V, W_O: each 512 by 512.", "W_1 is 512 by 2048, W_2 is 2048 by 512."],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.feed_forward_share,
        tolerance=0.006,
        covers="46 %: two thirds of each block, less than half of the model.",
        mistakes=[
            mistakes.share_of_a_block,
            mistakes.share_of_all_blocks,
            mistakes.share_of_the_embeddings,
            mistakes.share_of_attention,
            mistakes.share_of_one_block,
            mistakes.share_of_the_blocks_and_the_table_twice,
        ],
        hints=["Feed-forward: 12 blocks of 8 d².", "All: 12 blocks of 12 d², and 51,281 rows of d numbers."],
    ),
]
