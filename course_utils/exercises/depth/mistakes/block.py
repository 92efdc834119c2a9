"""What goes wrong when a pre-norm block is put together: ``f(x, attend, feed)``."""

from course_utils.core.transformer import layer_norm


def norm_after_the_sum(x, attend, feed):
    """You normalise each sum: that is post-norm, as in the first Transformer. It is valid there, with warm-up.

    Here pre-norm is asked for: the stream itself should run through untouched. What is normalised in pre-norm?
    """
    x = layer_norm(x + attend(x))
    return layer_norm(x + feed(x))


def residual_around_the_norm(x, attend, feed):
    """Your residual starts after the norm: what is added to is the normalised copy, so the stream itself is lost.

    With parts that give zeros, a block should give back x exactly; yours gives a normalised x. What goes
    on the left of +?
    """
    x = layer_norm(x)
    x = x + attend(x)
    x = layer_norm(x)
    return x + feed(x)


def no_residual(x, attend, feed):
    """Nothing is added to what came in: each part replaces the stream.

    Stacked, such blocks make all tokens alike within a few layers. What should a part do to the stream?
    """
    return feed(layer_norm(attend(layer_norm(x))))


def no_residual_around_attention(x, attend, feed):
    """What attention gives replaces the stream; only the feed-forward is added.

    A token then keeps of itself only what it looks at. What is the result of attention added to?
    """
    x = attend(layer_norm(x))
    return x + feed(layer_norm(x))


def attention_is_not_added(x, attend, feed):
    """What attention gives goes into the feed-forward, but is never added to the stream.

    If the feed-forward gives zeros, all that attention has found is lost. What should x be before the second norm?
    """
    return x + feed(layer_norm(attend(layer_norm(x))))


def feed_forward_is_missing(x, attend, feed):
    """Your block has attention, but feed is never called.

    Attention moves; what works on each token alone is the other half. What is the second line?
    """
    return x + attend(layer_norm(x))


def attention_is_missing(x, attend, feed):
    """Your block calls feed, but never attend: no token sees another.

    Which part gathers, before the other one works on it?
    """
    return x + feed(layer_norm(x))


def no_residual_around_the_feed_forward(x, attend, feed):
    """What the feed-forward gives replaces the stream, so x and all that attention brought are gone.

    With a feed-forward that gives zeros, your block gives zeros. What is its result added to?
    """
    x = x + attend(layer_norm(x))
    return feed(layer_norm(x))


def residual_twice(x, attend, feed):
    """The stream is added once too often, so it doubles with each part; 24 blocks make that 2 to the power of 48.

    With parts that give zeros, x should come out as it went in. How often is x in your sum?
    """
    x = x + x + attend(layer_norm(x))
    return x + x + feed(layer_norm(x))


def second_residual_from_the_start(x, attend, feed):
    """Your second sum adds to the x from the start, so what attention brought is thrown away again, but for what the
    feed-forward saw of it.

    The stream is a running total. What is it after attention?
    """
    return x + feed(layer_norm(x + attend(layer_norm(x))))


def side_by_side(x, attend, feed):
    """Both parts read the same x: that is a parallel block. GPT-J and PaLM have it, and it is valid there.

    Here the feed-forward should work on what attention has just brought. What does it read?
    """
    return x + attend(layer_norm(x)) + feed(layer_norm(x))


def feed_forward_first(x, attend, feed):
    """The feed-forward comes first here, and attention second.

    The order matters: the feed-forward works on what has been gathered. Who gathers?
    """
    x = x + feed(layer_norm(x))
    return x + attend(layer_norm(x))


def second_norm_is_missing(x, attend, feed):
    """The feed-forward reads the stream as it is. In a deep model that stream has grown, and differs from
    block to block.

    Each part reads a normalised copy. How many norms does a block have?
    """
    x = x + attend(layer_norm(x))
    return x + feed(x)


def first_norm_is_missing(x, attend, feed):
    """Attention reads the stream as it is: the larger the stream has grown, the sharper its softmax becomes.

    Each part reads a normalised copy. How many norms does a block have?
    """
    x = x + attend(x)
    return x + feed(layer_norm(x))


def no_norm(x, attend, feed):
    """Neither part reads a normalised copy. The stream grows with depth, and each part sees larger numbers
    than the last.

    Where do the two norms of a pre-norm block stand?
    """
    x = x + attend(x)
    return x + feed(x)


def norm_on_what_a_part_gives(x, attend, feed):
    """You normalise what each part gives, before adding it. Then every part writes equally loudly, even if
    it has nothing
    to say.

    Pre-norm normalises what a part *reads*. On which side of attend does it stand?
    """
    x = x + layer_norm(attend(x))
    return x + layer_norm(feed(x))


def normalised_once_more(x, attend, feed):
    """You normalise the result as well. One such norm stands at the end of the whole stack, not of each block.

    Inside the stack it would stop the stream. What should the next block get?
    """
    x = x + attend(layer_norm(x))
    return layer_norm(x + feed(layer_norm(x)))


def one_norm_for_both(x, attend, feed):
    """Both parts read the copy that was normalised at the start, or what attention made of it: the second norm never
    looks at the sum.

    The stream has changed after attention. What should be normalised for the feed-forward?
    """
    copy = layer_norm(x)
    x = x + attend(copy)
    return x + feed(copy + attend(copy))
