"""What goes wrong when the parameters of lesson 09 are counted: values."""

BLOCKS, TABLES = 12 * 12 * 768**2, 51281 * 768  # of GPT-2 small


def attention_only():
    """You counted the four matrices of attention. The feed-forward belongs to the block, too.

    It goes from 512 to 2048 and back. How many weights are that?
    """
    return 4 * 512**2


def feed_forward_only():
    """You counted 8 d². That is the feed-forward alone, 512 to 2048 and back.

    Which matrices does attention have?
    """
    return 8 * 512**2


def without_w_o():
    """You counted 11 d²: one matrix of attention is missing.

    Queries, keys and values are three. What brings the joined heads back to the stream?
    """
    return 11 * 512**2


def hidden_as_wide_as_the_stream():
    """You counted 6 d²: a feed-forward that stays 512 wide inside.

    Inside it is 2048 wide here. What are the shapes of W_1 and W_2?
    """
    return 6 * 512**2


def once_for_each_head():
    """You counted the attention matrices once for each of the 8 heads.

    Heads cut the same matrices into slices. How wide is one head?
    """
    return (4 * 8 + 8) * 512**2


def attention_for_one_head():
    """You counted the attention matrices of one head, 64 wide. There are 8 of them side by side.

    What is 8 times 64?
    """
    return 4 * 64 * 512 + 8 * 512**2


def share_of_a_block():
    """2/3 is the share of the feed-forward in a *block*. The model has more than blocks.

    51,281 rows of 768 numbers stand before the first block. What share of the 124 million are they?
    """
    return 2 / 3


def share_of_all_blocks():
    """That is the share of the blocks, attention included.

    How much of a block is feed-forward?
    """
    return BLOCKS / (BLOCKS + TABLES)


def share_of_the_embeddings():
    """That is the share of the embeddings.

    And the feed-forward: 8 d² in each of the 12 blocks. What is that of the total?
    """
    return TABLES / (BLOCKS + TABLES)


def share_of_attention():
    """That is the share of attention: 4 d² in each of the 12 blocks.

    The feed-forward has 8 d². What is that of the total?
    """
    return BLOCKS / 3 / (BLOCKS + TABLES)


def share_of_one_block():
    """You took the feed-forward of one block. There are 12.

    How many weights have the twelve together?
    """
    return 8 * 768**2 / (BLOCKS + TABLES)


def share_of_the_blocks_and_the_table_twice():
    """You counted the table of tokens twice, for input and output. GPT-2 shares it.

    What is the total with one table?
    """
    return BLOCKS * 2 / 3 / (BLOCKS + TABLES + 50257 * 768)
