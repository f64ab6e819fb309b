"""Weights of paradigms in the sign-flip test of the occlusion effect.

    s   true sentiment of a paradigm, 1 or -1
    m   number of paradigms of a family

What a mask leaves of the wording of test and control goes into a paradigm's effect with the sign s,
and paradigms of a family, which share a word, have part of it in common. In a family of both
sentiments that part cancels, in others it adds up: their sums are not equally good evidence.
"""

import numpy as np

from ..columns import FloatArray, IntArray


def sign_flip_weights(effects: FloatArray, signs: FloatArray, families: IntArray) -> FloatArray:
    """Weights of the paradigms' effects whose sums over families have the most power.

    They are V^-1 1, the best linear weights of a mean where the effects of a family have covariance
    V = (1 - r) I + r s s': a random intercept of the family in what the effects are before they are
    turned by s. r is half its moment estimate, in [0, 1], and a quarter: of 16 families the
    estimate is too uncertain to be taken whole. The weights need not be right for the test to be:
    they are functions of products of two effects of one family, which stay what they are when the
    family changes its sign, so that the weights are the same for every pattern of signs and the
    test is exact wherever each family's effects are as likely with all signs turned.

    Args:
        effects: Occlusion effect of each paradigm, oriented by s, shape (c,).
        signs: s of each, shape (c,).
        families: Number of each one's family, from 0, shape (c,).

    Returns:
        Above 0, at most 1, shape (c,); all 1 where every family has one paradigm.

    Source: generalised least squares, Aitken (1935); sign flips of clusters' scores, Hagemann
        (2019) and Canay, Romano & Shaikh (2017).

    Example:
        A family of both sentiments counts whole, one of two alike counts less:

        >>> ones = np.ones(4)
        >>> sign_flip_weights(ones, np.array([1.0, -1, 1, 1]), np.array([0, 0, 1, 1]))
        array([1. , 1. , 0.6, 0.6])
    """
    m = np.bincount(families)
    if m.max() == 1:
        return np.ones(len(effects))
    r = 0.25 + 0.5 * shared_variance(signs * effects, families)
    surplus = np.bincount(families, weights=signs)[families]
    weights: FloatArray = 1 - r * signs * surplus / (1 - r + r * m[families])
    return weights


def shared_variance(values: FloatArray, families: IntArray) -> float:
    """Share of the mean square that values of one family have in common, in [0, 1].

    The mean product of two of a family by the mean square of all; 0 where all are 0.

    Args:
        values: Shape (c,).
        families: Number of each one's family, from 0, shape (c,); some has several.
    """
    m, sums = np.bincount(families), np.bincount(families, weights=values)
    square = float(values @ values)
    if square == 0:
        return 0.0
    products = float(sums @ sums) - square
    return min(1.0, max(0.0, products / float(m @ (m - 1)) / (square / len(values))))
