"""What goes wrong when parameters and cache of shared heads are counted: Llama-3-8B."""

# parameters_of_grouped_layer: Llama-3-8B, d_model 4096, 32 heads of width 128, 8 key/value heads


def all_four_square():
    """Here W_K and W_V are as large as W_Q.

    They make 8 heads of width 128, not 32. How many columns has W_K?
    """
    return 4 * 4096 * 4096


def forgets_W_O():
    """Three matrices are counted here.

    What follows when the heads are joined?
    """
    return 4096 * 4096 + 2 * 4096 * 1024


def one_key_value_matrix():
    """W_K and W_V are counted as one here.

    Keys and values share heads, not numbers. How many matrices of 4096 by 1024 are there?
    """
    return 2 * 4096 * 4096 + 4096 * 1024


def W_O_shrinks_too():
    """W_O is counted with 1024 rows here.

    All 32 query heads give an output. How wide are they, joined?
    """
    return 4096 * 4096 + 3 * 4096 * 1024


# cache_of_a_token: the same model, 32 layers, 2 bytes a number, in KiB


def cache_of_all_query_heads():
    """Here every query head has keys and values of its own: that would be 32 heads, four times as many as there are.

    A published answer makes this very slip. How many heads are stored?
    """
    return 512


def cache_without_one_two():
    """This is half of it: a 2 is missing.

    There is a 2 for keys *and* values, and one for the bytes of a float16 number. Which did you leave out?
    """
    return 64


def cache_of_one_layer():
    """This is one layer.

    Each layer has keys and values of its own. How many layers are there?
    """
    return 4


def cache_in_float32():
    """Here a number takes 4 bytes.

    That is float32. How many bytes has a float16 number?
    """
    return 256


def cache_in_bytes():
    """These are bytes.

    How many bytes are a KiB?
    """
    return 131072


def cache_in_kilobytes():
    """These are kB, of 1000 bytes.

    How many bytes are a KiB?
    """
    return 131.072


def cache_of_one_head():
    """This is one key/value head.

    How many of them are stored?
    """
    return 16
