"""What goes wrong when projections enter: self-attention and cross-attention.

x is (n, d_model), W_Q and W_K are (d_model, d_k), W_V is (d_model, d_v); a context has its own width.
"""

import functools

from course_utils.core.scores import softmax

# Self-attention: x (n, d_model), W_Q and W_K (d_model, d_k), W_V (d_model, d_v).


def without_projections(x, W_Q, W_K, W_V):
    """You use x as query, key and value; the three matrices never enter.

    Without them, tokens mostly find themselves. What is x @ W_Q for?
    """
    return softmax(x @ x.T) @ x


def values_not_projected(x, W_Q, W_K, W_V):
    """You blend the rows of x, not the values x @ W_V.

    The output then has the width of x. Which matrix is left over in your code?
    """
    return softmax(x @ W_Q @ (x @ W_K).T) @ x


def queries_use_W_K(x, W_Q, W_K, W_V):
    """Your queries are made with W_K, so W_Q never enters.

    Asking and being found become the same thing, and the scores symmetric. Which line was copied?
    """
    return softmax(x @ W_K @ (x @ W_K).T) @ (x @ W_V)


def keys_use_W_Q(x, W_Q, W_K, W_V):
    """Your keys are made with W_Q, so W_K never enters.

    Asking and being found become the same thing, and the scores symmetric. Which line was copied?
    """
    return softmax(x @ W_Q @ (x @ W_Q).T) @ (x @ W_V)


def values_use_W_K(x, W_Q, W_K, W_V):
    """Your values are made with W_K, so W_V never enters.

    What is matched and what is passed on are then the same. Which line was copied?
    """
    return softmax(x @ W_Q @ (x @ W_K).T) @ (x @ W_K)


def queries_and_keys_swapped(x, W_Q, W_K, W_V):
    """Queries and keys have changed places: W_K makes your queries and W_Q your keys.

    The table of scores is then transposed. Which matrix belongs to the one who asks?
    """
    return softmax(x @ W_K @ (x @ W_Q).T) @ (x @ W_V)


def matrices_transposed(x, W_Q, W_K, W_V):
    """You multiply by the transposed matrices, as x @ W.T.

    That is right for torch's nn.Linear, which stores them the other way. Which product fits W_Q of shape
    (d_model, d_k)?
    """
    return softmax(x @ W_Q.T @ (x @ W_K.T).T) @ (x @ W_V.T)


# Cross-attention: queries from x (n_q, d_model), keys and values from context (n_k, d_context).


def sources_swapped(x, context, W_Q, W_K, W_V):
    """The context asks and x answers: your sources are swapped.

    The output should have one row for each token of x. Who asks?
    """
    return softmax(context @ W_Q @ (x @ W_K).T) @ (x @ W_V)


def context_ignored(x, context, W_Q, W_K, W_V):
    """Keys and values come from x as well: this is self-attention.

    The context never enters. Which of the three should be made from it?
    """
    return softmax(x @ W_Q @ (x @ W_K).T) @ (x @ W_V)


def only_context(x, context, W_Q, W_K, W_V):
    """Queries, keys and values all come from the context: this is self-attention of the context.

    x never enters. Which of the three should be made from it?
    """
    return softmax(context @ W_Q @ (context @ W_K).T) @ (context @ W_V)


def values_from_x(x, context, W_Q, W_K, W_V):
    """You match against the context, but the values come from x.

    What is found should also be what is taken. Where do the values belong to?
    """
    return softmax(x @ W_Q @ (context @ W_K).T) @ (x @ W_V)


def keys_from_x(x, context, W_Q, W_K, W_V):
    """The values come from the context, but you match against keys of x.

    A weight has to belong to the value that it multiplies. Where do the keys come from?
    """
    return softmax(x @ W_Q @ (x @ W_K).T) @ (context @ W_V)


def context_not_projected(x, context, W_Q, W_K, W_V):
    """You blend the rows of the context, not its values.

    Which matrix is left over in your code?
    """
    return softmax(x @ W_Q @ (context @ W_K).T) @ context


def matrices_swapped(x, context, W_Q, W_K, W_V):
    """x is multiplied by W_K and the context by W_Q: the two matrices have changed places.

    W_Q belongs to the one who asks. Who is that here?
    """
    return softmax(x @ W_K @ (context @ W_Q).T) @ (context @ W_V)


# Mistakes of the plain lookup, made inside.


def on_projections(mistake):
    """A mistake of the lookup, made inside self-attention."""

    @functools.wraps(mistake)
    def inside(x, W_Q, W_K, W_V):
        return mistake(x @ W_Q, x @ W_K, x @ W_V)

    return inside


def on_context(mistake):
    """A mistake of the lookup, made inside cross-attention."""

    @functools.wraps(mistake)
    def inside(x, context, W_Q, W_K, W_V):
        return mistake(x @ W_Q, context @ W_K, context @ W_V)

    return inside
