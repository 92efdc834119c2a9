"""What goes wrong in scaled dot-product attention: ``f(query, key, value)``, with any batch axes."""

import math

import numpy as np

from course_utils.core.scores import softmax


def _t(array):
    return np.swapaxes(array, -1, -2)


def does_not_scale(query, key, value):
    """You do not divide the scores by sqrt(d_k), so the softmax is too sharp.

    The larger d_k is, the more it matters. How does the spread of a dot product grow with d_k?
    """
    return softmax(query @ _t(key)) @ value


def divides_by_d_k(query, key, value):
    """You divide the scores by d_k, not by its square root.

    The spread of a dot product grows like sqrt(d_k), so this shrinks it too far and all weights come close to
    equal. Which power of d_k brings the spread back to 1?
    """
    return softmax(query @ _t(key) / key.shape[-1]) @ value


def multiplies_by_the_root(query, key, value):
    """Your scores are multiplied by sqrt(d_k): dividing by d_k ** -0.5 does that.

    A negative power is already one over something. Which sign does the power need?
    """
    return softmax(query @ _t(key) * math.sqrt(key.shape[-1])) @ value


def scales_by_the_value_width(query, key, value):
    """You scale by the square root of d_v, the width of the values.

    The spread of the scores comes from the sum in the dot product. How many terms does that sum have?
    """
    return softmax(query @ _t(key) / math.sqrt(value.shape[-1])) @ value


def scales_by_the_number_of_keys(query, key, value):
    """You scale by the square root of the number of keys. With four tokens and d_k = 4, nobody sees the difference.

    The spread of a score does not depend on how many other scores there are. On what does it depend?
    """
    return softmax(query @ _t(key) / math.sqrt(key.shape[-2])) @ value


def scales_by_the_number_of_queries(query, key, value):
    """You scale by the square root of the number of queries.

    A score does not change when more queries are asked. On what does its spread depend?
    """
    return softmax(query @ _t(key) / math.sqrt(query.shape[-2])) @ value


def scales_by_the_second_axis(query, key, value):
    """You take d_k from shape[1]. In a batch, that is the number of tokens.

    Counting from the end works for every number of axes. Which index is the last?
    """
    return softmax(query @ _t(key) / math.sqrt(query.shape[1])) @ value


def divides_by_two(query, key, value):
    """You divide by 2, which is right for d_k = 4 only.

    d_k can be read off the arrays. Which of their sizes is it?
    """
    return softmax(query @ _t(key) / 2) @ value


def hides_the_future(query, key, value):
    """Each query sees only the keys up to its own place: that is a causal mask.

    It comes in lesson 04; here every query may look at every key. Which line hides some?
    """
    scores = query @ _t(key) / math.sqrt(key.shape[-1])
    return softmax(np.where(np.tril(np.ones(scores.shape[-2:], dtype=bool)), scores, -np.inf)) @ value


def fourth_root_on_one_side(query, key, value):
    """Your scores are divided by the fourth root of d_k only.

    That is right if query and key are both divided by it. What happens if only one is?
    """
    return softmax(query @ _t(key) * key.shape[-1] ** -0.25) @ value


def scales_after_the_softmax(query, key, value):
    """You scale the weights after the softmax, so each row sums to 1/sqrt(d_k).

    The scale is there to keep the softmax from being too sharp. Where does it have to be, then?
    """
    return softmax(query @ _t(key)) / math.sqrt(key.shape[-1]) @ value


def softmax_over_the_queries(query, key, value):
    """Your softmax runs over the queries: the columns of the weights sum to 1, the rows do not.

    Each query shares out its attention over the keys. Which axis are the keys?
    """
    return softmax(query @ _t(key) / math.sqrt(key.shape[-1]), axis=-2) @ value


def softmax_over_the_first_axis(query, key, value):
    """Your softmax runs over axis 0: in a batch, sentences share out their attention with each other.

    The keys are on the last axis, however many there are. Which index is the last?
    """
    return softmax(query @ _t(key) / math.sqrt(key.shape[-1]), axis=0) @ value


def one_sum_for_the_whole_table(query, key, value):
    """The weights of all queries together sum to 1: one sum was used for the whole table.

    Each row should sum to 1 by itself. Along which axis should you sum?
    """
    scaled = query @ _t(key) / math.sqrt(key.shape[-1])
    exponentials = np.exp(scaled - scaled.max())
    return exponentials / exponentials.sum() @ value


def no_softmax(query, key, value):
    """There is no softmax: the scores themselves are the weights.

    They can be negative and sum to anything. What turns them into shares?
    """
    return query @ _t(key) / math.sqrt(key.shape[-1]) @ value


def divides_by_the_plain_sum(query, key, value):
    """You divide the scores by their sum. Rows then sum to 1, but a negative score would get a negative weight.

    When the sum is near 0, the weights explode as well. What comes before the division in a softmax?
    """
    scores = query @ _t(key) / math.sqrt(key.shape[-1])
    return scores / scores.sum(axis=-1, keepdims=True) @ value


def exp_overflows(query, key, value):
    """exp() overflows for large scores: infinity divided by infinity is NaN.

    You solved this in lesson 02. What is taken away from each row first?
    """
    exponentials = np.exp(query @ _t(key) / math.sqrt(key.shape[-1]))
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ value


def one_maximum_for_all_rows(query, key, value):
    """You take away the largest score of the whole table. Rows far below it become 0/0, which is NaN.

    Each row is a softmax of its own. Whose maximum does it need?
    """
    scaled = query @ _t(key) / math.sqrt(key.shape[-1])
    exponentials = np.exp(scaled - scaled.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ value


def softmax_twice(query, key, value):
    """The softmax is taken twice. The second one sees numbers between 0 and 1 and makes them nearly equal.

    How far apart can two weights be after that?
    """
    return softmax(softmax(query @ _t(key) / math.sqrt(key.shape[-1]))) @ value


def weights_transposed(query, key, value):
    """Your weights are transposed before they meet the values.

    Row i of the weights says what query i takes. What does column i say?
    """
    return _t(softmax(query @ _t(key) / math.sqrt(key.shape[-1]))) @ value


def queries_and_keys_swapped(query, key, value):
    """Queries and keys have changed places, so each row of the scores belongs to a key.

    The one who asks gets the row. Which of the two comes first in the product?
    """
    return softmax(key @ _t(query) / math.sqrt(key.shape[-1])) @ value


def key_not_transposed(query, key, value):
    """You multiply query and key without turning the key. That only runs when there happen to be d_k keys.

    A score is a dot product of two rows. Which axis of the key has to meet d_k of the query?
    """
    return softmax(query @ key / math.sqrt(key.shape[-1])) @ value


def blends_the_keys(query, key, value):
    """Your weights are right, but they blend the keys. The values never enter.

    Keys decide where to look. What is it that is taken home?
    """
    return softmax(query @ _t(key) / math.sqrt(key.shape[-1])) @ key


def blends_the_queries(query, key, value):
    """Your weights are right, but they blend the queries.

    What is taken home has to belong to the keys that were found. Which of the three does?
    """
    return softmax(query @ _t(key) / math.sqrt(key.shape[-1])) @ query


def all_from_the_key(query, key, value):
    """Your output depends on the key alone: it plays query and value as well.

    Who asks, and what is passed on?
    """
    return softmax(key @ _t(key) / math.sqrt(key.shape[-1])) @ key


def reverses_all_axes(query, key, value):
    """.T turns round *all* axes of a batched array, the batch included.

    With one sentence it works, with a batch it does not. How do you swap the last two axes only?
    """
    return softmax(query @ key.T / math.sqrt(key.shape[-1])) @ value


def dot_pairs_all_batches(query, key, value):
    """np.dot pairs every sentence of the batch with every other, and the result has an axis too many.

    For one sentence it is the same as @. Which product keeps batches apart?
    """
    return softmax(np.dot(query, _t(key)) / math.sqrt(key.shape[-1])) @ value


def attends_over_the_batch(query, key, value):
    """Sentences of the batch look at each other: the first axis is used as the axis of tokens.

    The last two axes are (tokens, width); those before are the batch. Which axes do you swap?
    """
    if query.ndim < 3:
        return softmax(query @ _t(key) / math.sqrt(key.shape[-1])) @ value
    first, second, third = (np.swapaxes(array, 0, -2) for array in (query, key, value))
    output = softmax(first @ _t(second) / math.sqrt(key.shape[-1])) @ third
    return np.swapaxes(output, 0, -2)


def plain_average(query, key, value):
    """Every query gets the plain average of the values, whatever it asks for.

    All weights are equal. Where do the scores get lost?
    """
    return np.zeros(query.shape[:-1] + (1,)) + value.mean(axis=-2, keepdims=True)


def takes_the_best_match(query, key, value):
    """You take the value of the best match only, as argmax does.

    The others should have a share, too. Which function gives every key a weight?
    """
    best = np.argmax(query @ _t(key), axis=-1)
    return np.take_along_axis(value, best[..., None], axis=-2)


def returns_the_weights(query, key, value):
    """You return the weights. They say how much to take of each value, but nothing was taken yet.

    What is left to do?
    """
    return softmax(query @ _t(key) / math.sqrt(key.shape[-1]))
