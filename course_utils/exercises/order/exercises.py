"""Exercises of ``08_order``."""

import inspect
import math

import numpy as np

from course_utils.exercises.engine.exercise import Exercise, Mistake, halves
from course_utils.exercises.order import answers, laws
from course_utils.exercises.order.mistakes import alibi as alibi_mistakes
from course_utils.exercises.order.mistakes import order as mistakes
from course_utils.exercises.order.mistakes import rope, rotary_cache, sinus

LESSON = "08_order"


def _also(mistake, run):
    """Another way into the same mistake, under its name."""
    return Mistake(Mistake.of(mistake).name, inspect.getdoc(mistake), run)


def _cached(mistake, run=None):
    """A mistake of the cache family."""
    return Mistake(f"cache/{mistake.__name__}", inspect.getdoc(mistake), run or mistake)


def _in_attention(turning):
    return _also(turning, rope.inside(turning))


NOT_TURNED = Mistake("rope/positions_do_not_enter", rope.NOT_TURNED, rope.inside(rope.positions_do_not_enter))
BOTH_WAYS = Mistake("rope/turns_the_other_way", rope.BOTH_WAYS, rope.inside(rope.turns_the_other_way))


def _places(*numbers):
    return np.array(numbers)


def _cache_probe(n, chunks, d_model=8, d_k=4, d_v=3, seed=0):
    return *halves((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v), seed=seed), chunks


EXERCISES = [
    Exercise(
        lesson=LESSON,
        solution=answers.sinusoidal_positions,
        probes=[(2, 4), (3, 6), (5, 8), (11, 16), (3, 5), (5, 7), (2, 1)],
        covers="even and odd widths",
        properties=[laws.the_first_row_is_0_1_0_1, laws.pairs_are_hands_of_a_clock],
        alternatives=[answers.table_by_loops],
        mistakes=[
            sinus.every_column_counts_as_a_pair,
            sinus.sine_and_cosine_at_different_speeds,
            sinus.angles_fall_half_as_fast,
            sinus.base_1000,
            sinus.floor_after_the_division,
            sinus.base_and_exponent_swapped,
            sinus.angles_grow,
            sinus.halves_side_by_side,
            _also(sinus.halves_side_by_side, sinus.halves_of_even_width),
            sinus.halves_with_the_slowest_at_10000,
            sinus.pads_an_odd_width,
            sinus.cosines_first,
            sinus.starts_at_one,
            sinus.one_row_for_all,
            sinus.sines_only,
            sinus.as_many_cosines_as_sines,
            _also(sinus.as_many_cosines_as_sines, sinus.stacked_pairs),
            sinus.as_many_sines_as_cosines,
        ],
        hints=[
            "Columns 0 and 1 are pair 0, columns 2 and 3 are pair 1: np.arange(d_model) // 2 numbers them.",
            "A column of positions divided by a row of powers gives all angles at once.",
            "table[:, 1::2] are the odd columns; with an odd d_model there is one fewer of them.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.rotate,
        probes=[
            (np.array([[1.0, 0.0]]), _places(1)),
            (np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]), _places(0, 3)),
            (*halves((3, 6), seed=1), _places(5, 6, 7)),
            (*halves((2, 3, 8), seed=2), _places(40, 2, 900)),
            (*halves((2, 5, 3, 4), seed=3), _places(1, 0, 12)),
        ],
        covers="batches, heads and positions in any order",
        properties=[laws.lengths_stay, laws.a_pair_turns_by_its_angle],
        repairs=[lambda x, positions: (x, -positions)],  # for the other way
        alternatives=[answers.rotate_half, answers.rotate_complex],
        mistakes=[
            rope.neighbours_are_paired,
            rope.takes_neighbours_and_returns_halves,
            rope.turns_the_other_way,
            rope.sine_and_cosine_swapped,
            rope.angles_fall_twice_as_fast,
            rope.angles_fall_half_as_fast,
            rope.base_500000,
            rope.base_1000,
            rope.angles_grow,
            rope.one_speed_for_all_pairs,
            rope.speeds_of_the_other_layout,
            rope.the_minus_is_missing,
            rope.positions_restart,
            rope.positions_do_not_enter,
        ],
        hints=[
            "One angle for each position and pair: shape (n, d/2). It fits (..., n, d/2) by itself.",
            "first = x[..., :half] and second = x[..., half:] are the two columns of all pairs.",
            "(a, b) turned by an angle is (a cos - b sin, a sin + b cos). np.concatenate joins the halves.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.rotary_attention,
        probes=[
            (np.eye(2)[:1], np.ones((3, 2)), np.array([[0.0], [2.0], [6.0]]), _places(2), _places(0, 1, 2)),
            (*halves((2, 4), (3, 4), (3, 5), seed=2), _places(7, 8), _places(6, 7, 8)),
            (*halves((3, 6), (5, 6), (5, 4), seed=3), _places(9, 0, 4), _places(2, 3, 11, 5, 90)),
            (*halves((5, 8), (7, 8), (7, 3), seed=4), _places(10, 11, 12, 13, 14), _places(*range(7))),
        ],
        covers="queries and keys at any positions",
        properties=[laws.only_distances_count],
        repairs=[  # for no scale, and for d_k in place of its root
            lambda query, *rest: (query / math.sqrt(query.shape[-1]), *rest),
            lambda query, *rest: (query * math.sqrt(query.shape[-1]), *rest),
        ],
        alternatives=[answers.turns_the_query_by_the_difference],
        mistakes=[
            rope.only_the_query_is_turned,
            rope.only_the_key_is_turned,
            rope.values_are_turned,
            *map(_in_attention, (rope.neighbours_are_paired, rope.positions_restart)),
            NOT_TURNED,
            BOTH_WAYS,
            *map(_in_attention, (rope.angles_fall_twice_as_fast, rope.angles_fall_half_as_fast)),
            *map(_in_attention, (rope.base_500000, rope.base_1000)),
            *map(_in_attention, (rope.one_speed_for_all_pairs, rope.the_minus_is_missing)),
            rope.does_not_scale,
            rope.divides_by_d_k,
            rope.hides_the_future,
            rope.softmax_over_the_queries,
        ],
        hints=[
            "Attention as in lesson 03, with two lines before it.",
            "turn(query, query_positions) is the rotation; what else stands somewhere and is compared?",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.alibi_attention,
        probes=[
            (np.zeros((2, 3, 1)), np.ones((2, 3, 1)), np.array([[[0.0], [2.0], [6.0]]] * 2)),
            halves((1, 3, 2), (1, 3, 2), (1, 3, 5), seed=1),
            halves((2, 3, 4), (2, 3, 4), (2, 3, 5), seed=2),
            halves((4, 6, 3), (4, 6, 3), (4, 6, 2), seed=3),
            halves((8, 5, 4), (8, 5, 4), (8, 5, 3), seed=4),
            halves((16, 3, 2), (16, 3, 2), (16, 3, 5), seed=5),
        ],
        covers="1, 2, 4, 8 and 16 heads",
        properties=[laws.rows_of_weights_sum_to_one, laws.the_past_stays, laws.slopes_can_be_read_off],
        alternatives=[answers.alibi_by_the_key_index],
        mistakes=[
            alibi_mistakes.far_keys_are_favoured,
            alibi_mistakes.slopes_start_at_one,
            alibi_mistakes.one_slope_for_all_heads,
            _also(alibi_mistakes.one_slope_for_all_heads, alibi_mistakes.one_slope_the_last),
            alibi_mistakes.slopes_of_eight_heads,
            alibi_mistakes.exponents_are_whole_numbers,
            _also(alibi_mistakes.exponents_are_whole_numbers, alibi_mistakes.exponents_rounded_the_other_way),
            _also(alibi_mistakes.exponents_are_whole_numbers, alibi_mistakes.step_is_a_whole_number),
            alibi_mistakes.slopes_in_reverse,
            alibi_mistakes.bias_is_divided_too,
            alibi_mistakes.bias_is_left_out,
            alibi_mistakes.the_future_is_rewarded,
            alibi_mistakes.the_future_is_seen,
            alibi_mistakes.hides_the_token_itself,
            alibi_mistakes.does_not_scale,
        ],
        hints=[
            "Head h of H, counted from 1, has the slope 2^(-8h/H): an array of H numbers.",
            "slopes[:, None, None] meets a table of distances (n, n) and gives (H, n, n).",
            "Scale, add the bias, hide the future with -inf, then the softmax.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.cached_rotary_attention,
        probes=[
            _cache_probe(3, [2, 1], d_model=2, d_k=2, d_v=1, seed=1),
            _cache_probe(4, [4], seed=2),
            _cache_probe(5, [1, 1, 1, 1, 1], d_k=6, seed=3),
            _cache_probe(6, [3, 3], seed=4),
            _cache_probe(6, [4, 1, 1], d_model=10, d_v=2, seed=5),
            _cache_probe(7, [1, 2, 4], d_k=6, seed=6),
        ],
        covers="one chunk, single tokens, equal and unequal chunks",
        properties=[laws.earlier_rows_stay, laws.chunks_do_not_matter],
        repairs=[
            lambda x, W_Q, *rest: (x, W_Q / math.sqrt(W_Q.shape[1]), *rest),
            lambda x, W_Q, *rest: (x, W_Q * math.sqrt(W_Q.shape[1]), *rest),
        ],
        alternatives=[answers.the_full_pass, answers.unturned_cache],
        mistakes=[
            _cached(rotary_cache.a_chunk_sees_its_own_future),
            _cached(rotary_cache.only_the_first_chunk_is_masked),
            _cached(rotary_cache.the_mask_starts_at_the_top_left),
            _cached(rotary_cache.queries_start_at_zero),
            _cached(rotary_cache.positions_restart_in_every_chunk),
            _cached(rotary_cache.offset_counts_the_calls),
            _cached(rotary_cache.offset_grows_twice),
            _cached(rotary_cache.offset_grows_twice, rotary_cache.prompt_counts_twice),
            _cached(rotary_cache.offset_grows_too_early),
            _cached(rotary_cache.offset_grows_too_early, rotary_cache.offset_too_early_in_the_mask),
            _cached(rotary_cache.x_is_turned_before_the_projections),
            _cached(rotary_cache.x_is_turned_before_the_projections, rotary_cache.values_from_turned_x),
            _cached(rotary_cache.only_the_query_is_turned),
            _cached(rotary_cache.only_the_key_is_turned),
            _cached(rotary_cache.cached_keys_turn_again),
            _cached(rotary_cache.cached_keys_turn_again, rotary_cache.the_whole_cache_turns_at_every_step),
            _cached(rotary_cache.the_cache_is_replaced),
            _cached(rotary_cache.new_keys_come_first),
            _cached(rotary_cache.nothing_is_turned),
            _cached(rotary_cache.values_are_turned),
            _cached(rotary_cache.does_not_scale),
            _cached(rotary_cache.divides_by_d_k),
            _also(rope.neighbours_are_paired, rotary_cache.with_turn(rope.neighbours_are_paired)),
            Mistake(BOTH_WAYS.name, BOTH_WAYS.text, rotary_cache.with_turn(rope.turns_the_other_way)),
        ],
        hints=[
            "A loop over chunks: take the next rows of x, project them, put keys and values into the cache.",
            "start counts the tokens so far: the rows of this chunk stand at np.arange(start, start + size).",
            "Turn a key once, when it comes in. A query at place p may look at the keys 0 to p.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.score_two_places_apart,
        tolerance=0.0015,
        covers="cos(5 - 3). At 105 and 103 it is the same.",
        mistakes=[
            mistakes.score_of_the_sum,
            mistakes.score_by_the_sine,
            mistakes.score_of_the_query_alone,
            mistakes.score_of_the_key_alone,
            mistakes.score_without_turning,
            mistakes.score_without_its_sign,
        ],
        hints=[
            "The query points at an angle of 5, the key at an angle of 3, in radians.",
            "The dot product of two arrows of length 1 is the cosine of the angle between them.",
        ],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.slopes_of_eight_heads,
        tolerance=6e-5,  # four decimals, as the lesson prints slopes
        covers="1/2 down to 1/256.",
        mistakes=[
            mistakes.slopes_begin_at_one,
            mistakes.slopes_fall_evenly,
            mistakes.slopes_are_exponents,
            mistakes.slopes_with_a_minus,
        ],
        hints=["-8h/8 is -h.", "[1 / 2, 1 / 4, ...] with eight entries; Python may do the dividing."],
    ),
    Exercise(
        lesson=LESSON,
        solution=answers.pairs_that_never_turn,
        covers="11 of 32: their angles beyond 2048 are numbers the model has never met.",
        mistakes=[
            mistakes.counts_the_pairs_that_do_turn,
            mistakes.counts_columns,
            mistakes.forgets_two_pi,
            mistakes.twice_the_length,
        ],
        hints=[
            "The wavelength of pair i, in places: 2 pi times 10000^(2i/64).",
            "Count the i from 0 to 31 whose wavelength is above 2048; a line of code may do it.",
        ],
    ),
]
