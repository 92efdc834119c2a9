"""What goes wrong in the Jacobian of softmax: jacobian(weights), (n,) to (n, n)."""

import numpy as np


def only_the_diagonal(weights):
    """You give p(1 - p) for each weight: how it moves with its *own* score.

    Raising one score also lowers all other weights. Where are they in your answer?
    """
    return weights * (1 - weights)


def diagonal_matrix(weights):
    """Your matrix has p(1 - p) on the diagonal and 0 elsewhere, as if the weights did not share.

    If one weight grows, what happens to the others, when the sum stays 1?
    """
    return np.diag(weights * (1 - weights))


def only_the_outer_product(weights):
    """You give -p pᵀ only: every weight would fall when any score rises, its own included.

    Each row has to sum to 0. What is missing on the diagonal?
    """
    return -np.outer(weights, weights)


def outer_product_added(weights):
    """You add p pᵀ, so all weights would grow together.

    They share out 1. Which sign do the entries beside the diagonal need?
    """
    return np.diag(weights) + np.outer(weights, weights)


def identity_for_diag(weights):
    """You take away p pᵀ from the identity, so a weight of 0 would still move.

    A key without weight hardly reacts to its score. What belongs on the diagonal instead of 1?
    """
    return np.eye(len(weights)) - np.outer(weights, weights)


def jacobian_negative(weights):
    """All your signs are turned round: a weight would fall when its own score rises.

    Which of the two terms comes first?
    """
    return np.outer(weights, weights) - np.diag(weights)


def transposes_a_row(weights):
    """For a row of numbers .T does nothing, so p @ p.T is one number, not a table.

    The formula means a column times a row. Which NumPy function gives all products p_i p_j?
    """
    return np.diag(weights) - weights @ weights.T


def squares_for_the_outer_product(weights):
    """p * p gives the squares only, and they are taken away from every row of the table.

    Entry (i, j) needs p_i times p_j. Which NumPy function gives all these products?
    """
    return np.diag(weights) - weights * weights


def off_diagonal_positive(weights):
    """Your diagonal is right, but the entries beside it are positive.

    If score j rises, weight j takes from all the others. Which sign does that give them?
    """
    outer = np.outer(weights, weights)
    return np.diag(weights - weights**2) + outer - np.diag(np.diag(outer))
