"""What goes wrong in an experiment of eleven cuts: ``f(measure)``."""

import numpy as np


def _whole():
    return np.ones((2, 11, 11), dtype=bool)


def cuts_add_up(measure):
    """Your mask is not fresh for each word: the cuts of the words before it are still in it.

    Then the last number is the cost of all eleven. What does the mask look like when the second word's turn comes?
    """
    mask, losses = _whole(), []
    for row in range(11):
        mask[0, row, 10] = False
        losses.append(measure(_whole()) - measure(mask))
    return losses


def returns_what_is_left(measure):
    """You return the accuracy with the cut. The cost is how much accuracy it takes away.

    A cut that changes nothing costs 0, and yours would say 1. What has to be compared?
    """
    return [measure(_cut(row)) for row in range(11)]


def compared_with_1(measure):
    """You compare with 1. A model that was not perfect before the cut would be charged for it.

    What does *this* model score with nothing cut?
    """
    return [1 - measure(_cut(row)) for row in range(11)]


def sign_turned(measure):
    """Your costs have the other sign: a cut that hurts comes out negative.

    A cost is what is lost. Which of the two accuracies comes first?
    """
    return [measure(_cut(row)) - measure(_whole()) for row in range(11)]


def cuts_what_the_adjective_sees(measure):
    """You cut row 10: what the *adjective* may see. Its readers still read it.

    A row looks, a column is looked at. Which of the two is the adjective here?
    """
    return [measure(_whole()) - measure(_cut(10, row)) for row in range(11)]


def cuts_layer_2(measure):
    """You cut in the second layer. What a word reads there comes too late for the weights of that layer, and
    they are the answer.

    mask[0] and mask[1] are the two layers. Which one brings the adjective into the words?
    """
    return [measure(_whole()) - measure(_cut(row, layers=1)) for row in range(11)]


def cuts_both_layers(measure):
    """You cut in both layers. Two cuts at once do not tell which of them cost something.

    The question is who reads the adjective in layer 1. What does mask[:, row, 10] select?
    """
    return [measure(_whole()) - measure(_cut(row, layers=slice(None))) for row in range(11)]


def cuts_the_whole_row(measure):
    """You hide all words from that row, not only the adjective.

    If accuracy falls, you cannot say which word was missed. Which single entry of the row is the edge?
    """
    return [measure(_whole()) - measure(_cut(row, slice(None))) for row in range(11)]


def cuts_all_but_the_word(measure):
    """Your mask is turned round: the word keeps its view of the adjective, and all others lose theirs.

    That asks whether the word is enough, not whether it is needed. Which rows should stay True?
    """
    return [measure(_whole()) - measure(_cut(np.arange(11) != row)) for row in range(11)]


def cuts_all_words_at_once(measure):
    """You hide the adjective from all words at once, and give that cost to each of them.

    The question is about one word at a time. Which row belongs to the word whose turn it is?
    """
    return [measure(_whole()) - measure(_cut(slice(None)))] * 11


def masks_turned_round(measure):
    """Your masks are True where you cut. In this course True means "may look", so almost nothing is left to look at.

    How does a mask begin that hides nothing?
    """
    return [measure(_whole()) - measure(~_cut(row)) for row in range(11)]


def cuts_the_word_itself(measure):
    """You cut what each word sees of itself, the diagonal.

    The column says which word is hidden. At which place does the adjective stand?
    """
    return [measure(_whole()) - measure(_cut(row, row)) for row in range(11)]


def relative_cost(measure):
    """You divide by the accuracy without a cut. That is a relative cost, and a fair one, but the plain difference
    is asked.

    From 0.8 down to 0.6: what is the difference?
    """
    return [(measure(_whole()) - measure(_cut(row))) / measure(_whole()) for row in range(11)]


def never_below_zero(measure):
    """No cost in your list is below 0. But a cut can help, where a word was misled by what it read.

    Uncut 0.6, with the cut 0.8: what does that cut cost?
    """
    return [max(measure(_whole()) - measure(_cut(row)), 0) for row in range(11)]


def without_a_sign(measure):
    return [abs(measure(_whole()) - measure(_cut(row))) for row in range(11)]


def _cut(row, column=10, layers=0):
    mask = _whole()
    mask[layers, row, column] = False
    return mask
