"""What goes wrong when costs are counted. A layer: attention over n tokens and a feed-forward part 4 times as wide."""

# layer_flops(n, d_model)


def one_product_or_multiply_adds_for_pairs(n, d_model):
    """2 n² d is there, not 4: one of the two n-by-n products, or both in multiply-adds, or half for a causal mask.

    Both are asked, unmasked, each multiply-add as two operations. Which of the three is it?
    """
    return 2 * n * n * d_model + 24 * n * d_model**2


def multiply_adds(n, d_model):
    """Your number is half: you count a multiplication and its addition as one.

    One multiply-add is two operations. Which number do you have if you count both?
    """
    return 2 * n * n * d_model + 12 * n * d_model**2


def no_feed_forward_or_half_of_it_alone(n, d_model):
    """8 n d² is there once, not three times: the feed-forward part is missing, or half of it and the projections.

    Its two matrices are d_model by 4 d_model and back. How much does each of them cost for n tokens?
    """
    return 4 * n * n * d_model + 8 * n * d_model**2


def no_projections(n, d_model):
    """16 n d² is there once, not 24: the four projections are missing, or half of the feed-forward part.

    W_Q, W_K, W_V and W_O cost 8 n d² together, the way up to 4 d_model and back 16. Which is not in your sum?
    """
    return 4 * n * n * d_model + 16 * n * d_model**2


def three_projections(n, d_model):
    """You count three projections, for query, key and value.

    The joined heads go through one more matrix. Which one is it?
    """
    return 4 * n * n * d_model + 22 * n * d_model**2


def feed_forward_not_widened_or_multiply_adds(n, d_model):
    """12 n d² is there, not 24: the inside is not 4 times as wide, or all six matrices are in multiply-adds.

    The pairs are counted as they should be. How many operations is one matrix, d_model by 4 d_model, for n tokens?
    """
    return 4 * n * n * d_model + 12 * n * d_model**2


def only_the_pairs(n, d_model):
    """You count the two products over pairs of tokens, and nothing else.

    For short texts most of the work is elsewhere. Which matrices does every token meet by itself?
    """
    return 4 * n * n * d_model


def no_pairs(n, d_model):
    """You count the matrices every token meets by itself; the products over pairs of tokens are missing.

    They are what grows with n squared. Which two are they?
    """
    return 24 * n * d_model**2


def squares_the_width_for_pairs(n, d_model):
    """n and d_model have changed places: pairs are pairs of tokens, and the matrices are d_model by d_model.

    Which of the two terms has n squared?
    """
    return 4 * n * d_model**2 + 24 * n * n * d_model


def one_token(n, d_model):
    """Your count is that of a single token.

    All n tokens go through the layer. Which terms are missing a factor n?
    """
    return 4 * n * d_model + 24 * d_model**2


# attention_operations: 4 * 512**2 * 768, in millions


def one_product_or_multiply_adds():
    """402.7 is half. It counts one of the two products, or a multiplication and its addition as one.

    There are Q Kᵀ and weights V, and each term of a dot product is two operations. Which of the two did you leave out?
    """
    return 2 * 512**2 * 768 / 1e6


def one_product_of_multiply_adds():
    """201.3 is a quarter: one product, and a multiplication with its addition counted as one.

    What else is as large as Q Kᵀ, and how many operations is a multiply-add?
    """
    return 512**2 * 768 / 1e6


def one_head():
    """67.1 is one head: 4 times 512 times 512 times 64.

    All heads of the layer work. How many are there?
    """
    return 4 * 512**2 * 64 / 1e6


def one_head_one_product():
    """33.6 is one product of one head.

    How many heads are there, and which product comes after the softmax?
    """
    return 2 * 512**2 * 64 / 1e6


def the_published_count():
    """16.8 is what is often printed: the multiply-adds of one product, of one head.

    What about the other heads, the other product, and the additions?
    """
    return 512**2 * 64 / 1e6


def all_layers_or_full_width():
    """9663.7 is 12 times too much: all twelve layers, or 12 heads each 768 wide.

    One layer is asked, and its heads share the 768. How wide is one head?
    """
    return 9663.4


def counts_the_projections():
    """2415.9 is 8 n d²: the four projections.

    Asked are the two products over pairs of tokens. Which of the factors do they have twice?
    """
    return 8 * 512 * 768**2 / 1e6


def pairs_of_features():
    """1208 comes from 512 once and 768 twice: pairs of features.

    A score belongs to a pair of tokens. Which number has to be squared?
    """
    return 4 * 512 * 768**2 / 1e6


def not_in_millions():
    """That is the right count, in single operations.

    Millions are asked. By what do you divide?
    """
    return 4 * 512**2 * 768


def in_billions():
    """That is the right count, in billions.

    Millions are asked. Where does the point go?
    """
    return 4 * 512**2 * 768 / 1e9


# crossover_length: 6 * 512


def against_the_projections_only():
    """1024 is 2 d_model: there attention has caught up with the projections alone.

    The feed-forward part does twice as much again. What is 8 + 16?
    """
    return 2 * 512


def against_the_feed_forward_only():
    """2048 is 4 d_model: there attention has caught up with the feed-forward part alone.

    The projections are there as well. What is 8 + 16?
    """
    return 4 * 512


def three_projections_only():
    """2816 counts three projections, without W_O.

    How many matrices d_model by d_model does attention have?
    """
    return 5.5 * 512


def one_product_against_all():
    """6144 is twice too far: one product over pairs is counted, not two. (A causal kernel that skips half gets there.)

    Which product comes after the softmax?
    """
    return 12 * 512


def multiply_adds_on_one_side():
    """1536 comes from multiply-adds on one side and operations on the other.

    Both sides have to count the same thing. What is 24 divided by 4?
    """
    return 3 * 512


def width_of_another_model():
    """4608 is 6 times 768.

    The factor is right. How large is d_model here?
    """
    return 6 * 768


def length_equals_width():
    """512 is where the number of tokens equals d_model; at that length a sixth of 24 n d² is spent on pairs.

    Set 4 n² d equal to 24 n d². What is left when you divide by 4 n d?
    """
    return 512


def factor_only():
    """6 is the factor between the length and d_model.

    The length in tokens is asked. How large is d_model?
    """
    return 6


# doubling_factor: 2.2


def four_times():
    """4 holds for the products over pairs. They are 10 % of this layer.

    The other 90 % only double. What is 0.9 times 2 and 0.1 times 4, together?
    """
    return 4


def only_twice():
    """2 holds for what every token does by itself: 90 % of this layer.

    What happens to the other 10 %?
    """
    return 2


def without_the_feed_forward():
    """2.5 holds for the attention part of the layer: projections and pairs.

    The feed-forward part doubles only, and it is the largest. What is the share of the pairs in all three?
    """
    return 2.5


def doubles_without_the_projections():
    """2.29 leaves the projections out.

    They double only, so they pull the factor down. What is the share of the pairs in the whole layer?
    """
    return 2 + 2 * 4 / 28


def doubles_with_one_product():
    """2.11 counts one product over pairs.

    There are two of the same size. What share of the layer do both have?
    """
    return 2 + 2 * 2 / 38


def plain_average():
    """3 is the middle between 2 and 4, as if both parts were equally large.

    They are not. What share of the work is over pairs?
    """
    return 3


def added_in_percent():
    """120 is how much is added, in percent.

    The factor is asked: new cost over old cost. What does 100 % more mean as a factor?
    """
    return 120


def in_percent():
    """220 is the new cost in percent of the old.

    The factor is asked. Where does the point go?
    """
    return 220
