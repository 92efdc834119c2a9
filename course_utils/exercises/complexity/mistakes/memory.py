"""What goes wrong when memory is worked out by hand: caches, sums that are carried on, the reach of a window."""

# seven_billion_cache: 2 GiB


def keys_or_values():
    """1 GiB is half: keys or values, not both. (Or one byte a number, where there are two.)

    What does the cache keep of a token, in each head?
    """
    return 1


def four_bytes():
    """4 GiB is twice too much: 4 bytes for a number, or keys and values counted twice.

    Each token has one key and one value, of 16 bits a number. How many bytes are 16 bits?
    """
    return 4


def bits_for_bytes():
    """16 GiB takes a number of 16 bits for 16 bytes.

    A byte has 8 bits. How many bytes does a number take?
    """
    return 16


def in_gigabytes():
    """2.147 is in GB, billions of bytes.

    A GiB is 1024 times 1024 times 1024 bytes. By what did you divide?
    """
    return 2.147


def in_mebibytes():
    """2048 is in MiB.

    1024 MiB are one GiB. How many GiB is it?
    """
    return 2048


def in_bytes():
    """That is the right number of bytes.

    GiB are asked. How many bytes has one?
    """
    return 2**31


def one_layer_or_one_head():
    """0.0625 GiB is one layer, or one head of each: 32 times too little.

    Each layer has a cache of its own, for all its heads. Which of the two 32 is missing?
    """
    return 2 / 32


def heads_times_the_full_width():
    """64 GiB takes each of 32 heads to be 4096 wide. (32 texts at once would come to the same.)

    The heads share the 4096. How wide is one?
    """
    return 64


def one_token_only():
    """0.5 is one token, in MiB. (Or the whole text with 8 key/value heads; here are 32.)

    Every token of the text stays in the cache. How many are there?
    """
    return 0.5


def one_token_in_kibibytes():
    """512 is one token, in KiB.

    Every token of the text stays in the cache. How many are there, and how many KiB are one GiB?
    """
    return 512


# published_cache: 0.328 MB


def copies_the_published_size():
    """2.62 MB is what was printed. It takes the full width of 8192 for keys and values.

    Keys and values are made for 8 heads of width 128. How wide are they together?
    """
    return 2 * 80 * 8192 * 2 / 1e6


def half_of_the_pair():
    """0.164 MB is keys or values, not both.

    What does the cache keep of a token, in each key/value head?
    """
    return 80 * 8 * 128 * 2 / 1e6


def four_bytes_a_number():
    """0.655 MB is twice too much: 4 bytes a number, or keys and values counted twice.

    How many bytes does a number have in the text?
    """
    return 2 * 80 * 8 * 128 * 4 / 1e6


def in_kilobytes():
    """328 is in kB, thousands of bytes.

    MB are asked, millions of bytes. Where does the point go?
    """
    return 327.68


def mixes_1000_and_1024():
    """0.32 is in thousands of KiB: divided by 1024 once, and by 1000 once.

    MB are asked, millions of bytes. By what do you divide?
    """
    return 0.32


def one_shared_head():
    """0.041 MB is one key/value head.

    Eight query heads share one of them. How many key/value heads are there?
    """
    return 2 * 80 * 128 * 2 / 1e6


def a_single_layer():
    """0.0041 MB is one layer.

    How many layers keep a cache?
    """
    return 2 * 8 * 128 * 2 / 1e6


def in_kibibytes():
    """320 is in KiB.

    MB are asked, millions of bytes. How many bytes are 320 KiB?
    """
    return 2 * 80 * 8 * 128 * 2 / 1024


def bytes_of_a_token():
    """That is the right number, in bytes.

    MB are asked. By what do you divide?
    """
    return 2 * 80 * 8 * 128 * 2


def mebibytes_of_a_token():
    """0.3125 is in MiB.

    MB are asked, millions of bytes, as in the published answer. By what did you divide?
    """
    return 2 * 80 * 8 * 128 * 2 / 2**20


# window_reach: 4 * (8 - 1) + 1


def layers_times_width():
    """32 is 4 times 8. The token itself is then counted in every layer.

    A window of 8 holds the token and 7 before it. How far back does each layer go?
    """
    return 32


def itself_forgotten():
    """28 counts the tokens before it; the token itself is there as well.

    How many tokens is that together?
    """
    return 28


def one_layer_only():
    """8 is what one layer reaches.

    In layer 2 it sees tokens that have looked back themselves. How far does each further layer go?
    """
    return 8


def one_more_in_each_layer():
    """11 lets each further layer add one token.

    The oldest token in the window has looked back itself, as far as the window goes. How far is that?
    """
    return 11


def grows_like_a_power():
    """4096 is 8 to the power of 4.

    Each layer goes 7 tokens further back: it adds. What do four layers add up to?
    """
    return 8**4


def window_without_itself():
    """33 takes 8 tokens before the token itself.

    A window of 8 includes the token. How many are before it?
    """
    return 33


def both_sides():
    """57 looks to both sides.

    The window is causal. Which half is left?
    """
    return 57


# merged_sum: the blocks (2, 1), (4, 3), (5, 1)


def sum_not_shrunk():
    """2.571 adds 1.018 to the old sum as it is.

    The old sum is measured from 4, the new block from 5. By which factor does the old one shrink?
    """
    return 1.553 + 1.018


def sum_grown():
    """5.240 multiplies the old sum by e.

    A larger maximum makes every exponential smaller. Is the factor e or 1/e?
    """
    return 1.5532 * 2.71828 + 1.0183


def new_block_missing():
    """0.571 is the old sum, shrunk to be measured from 5.

    Now the new block comes in. What are its two exponentials, measured from 5?
    """
    return 1.5532 * 0.36788


def one_of_the_two_scores():
    """1.571 is the old sum, shrunk, and exp(0) for the 5. The block has another score.

    How much does the 1 add, measured from 5?
    """
    return 1.5532 * 0.36788 + 1


def third_block_alone():
    """1.018 is the third block alone.

    The four scores before it count, too. How much of their sum is left, measured from 5?
    """
    return 1.0183


def measured_from_four():
    """4.321 is the sum measured from 4, the old maximum.

    The sum has to be measured from the largest score so far. Which is it now?
    """
    return 1.5532 + 2.71828 + 0.0498


def everything_shrunk():
    """0.946 shrinks the new block as well.

    The third block is measured from 5 already. Which of the two has to shrink?
    """
    return (1.5532 + 1.0183) * 0.36788


def second_block_forgotten():
    """1.0864 goes on from 1.368 with the factor exp(-3), as if the second block had not been there.

    Which sum stood at the end of the second block?
    """
    return 1.3679 * 0.0498 + 1.0183


def shrunk_by_the_whole_maximum():
    """1.029 shrinks the old sum by exp(-5).

    It is measured from 4 already, not from 0. How far is it from 4 to 5?
    """
    return 1.5532 * 0.00674 + 1.0183
