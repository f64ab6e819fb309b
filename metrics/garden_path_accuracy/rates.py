"""The rates of garden path accuracy, paradigm by paradigm, and what chance would give.

Every score is a mean over paradigms with equal weight (`paradigm_rates`), or a ratio of two such
means (`ratio_parts`).

Source: Li & Hao (2025), "ERAS", section 3.1; the rates beside the accuracies are ours.
"""

import numpy as np

from .._shared.columns import FloatArray
from .inputs import PATTERN_FLAGS, SiteCounts, are_turned, branching_places

COMPANIONS = ("canary", "both", "neither", "crossing")


def paradigm_rates(counts: SiteCounts) -> dict[str, FloatArray]:
    """Every rate of a result for c paradigms, (c,), in [0, 1]; `difference` in [-1, 1]."""
    places = branching_places(counts.paradigm_ids)
    n = counts.table.sum(axis=(1, 2))
    share = {name: flags[places].astype(float) for name, flags in PATTERN_FLAGS.items()}
    test, control = counts.table.sum(axis=2) / n[:, None], counts.table.sum(axis=1) / n[:, None]
    true, right = share["true_word"], 1 - share["wrong"]
    rates = {
        "pair_accuracy": joint_rate(counts, true, true),
        "word_accuracy": (test * true).sum(axis=1),
        "control_word_accuracy": (control * true).sum(axis=1),
        "commitment": (test * (true + share["canary"])).sum(axis=1),
        "test_accuracy": (test * right).sum(axis=1),
        "control_accuracy": (control * right).sum(axis=1),
    }
    rates["difference"] = rates["control_accuracy"] - rates["test_accuracy"]
    rates["garden_path_rate"] = joint_rate(counts, share["wrong"], right)
    for prefix, patterns in (("", test), ("control_", control)):
        rates |= {
            f"{prefix}{name}_rate": (patterns * share[name]).sum(axis=1) for name in COMPANIONS
        }
    return rates


def ratio_parts(
    counts: SiteCounts, rates: dict[str, FloatArray]
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Numerators and denominators per paradigm, shape (c,), of ratios of means."""
    places = branching_places(counts.paradigm_ids)
    wrong, true = (PATTERN_FLAGS[name][places].astype(float) for name in ("wrong", "true_word"))
    given = rates["control_word_accuracy"]
    is_defined = given > 0
    misled = np.divide(
        joint_rate(counts, wrong, true), given, out=np.zeros_like(given), where=is_defined
    )
    return {
        "resolution": (rates["word_accuracy"], rates["commitment"]),
        "garden_path_rate_given_control": (misled, is_defined.astype(float)),
    }


def joint_rate(counts: SiteCounts, test: FloatArray, control: FloatArray) -> FloatArray:
    """Share of each paradigm's pairs whose test and control patterns count, 1 of (c, 16)."""
    n = counts.table.sum(axis=(1, 2))
    rate: FloatArray = np.einsum("cij,ci,cj->c", counts.table, test, control) / n
    return rate


def chance_parts(counts: SiteCounts) -> FloatArray:
    """What the chance value of `pair_accuracy` is computed from, shape (c, 4).

    Columns: pair accuracy; the pair accuracy that the same cuts would have if the paradigm were
    left-branching, and if it were right-branching; 1 for left-branching paradigms. Strings with two
    readings are cut one way in the test and the other way in the control: cuts that do not depend
    on the sentence never have both, so chance is 0 there.
    """
    places = branching_places(counts.paradigm_ids)
    sides = (np.tile(row, (len(places), 1)) for row in PATTERN_FLAGS["true_word"].astype(float))
    either = [joint_rate(counts, flags, flags) for flags in sides]
    own = np.where(places == 0, either[0], either[1])
    either = [np.where(are_turned(counts.paradigm_ids), 0.0, rate) for rate in either]
    return np.stack([own, *either, (places == 0).astype(float)], axis=1)


def pair_accuracy_and_chance(parts: FloatArray, w: FloatArray) -> FloatArray:
    """Pair accuracy, its chance value and their difference for weights (r, c); shape (r, 3).

    Chance is the pair accuracy expected if the cuts did not depend on where the true word is: the
    shares of left- and right-branching paradigms, each times the share of pairs cut as it wants.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        own, if_left, if_right, left = ((w @ parts) / w.sum(axis=1, keepdims=True)).T
    chance = left * if_left + (1 - left) * if_right
    return np.stack([own, chance, own - chance], axis=1)
