"""PP attachment accuracy: does a parser hang a prepositional phrase on the verb or on which noun?

Gold attachments, each with all words that could be its head, meet the trees that a parser gave
them. Only the phrase counts: its head, and the label of its noun. The headline asks for both
members of a pair that differ in word order alone, so that the same answer to both gets nothing:

    Mit dem Fernglas sieht der Mann die Frau .     obl(sieht, Fernglas): one phrase stands there
    Die Frau mit dem Fernglas sieht der Mann .     nmod(Frau, Fernglas)

Source: de Kok et al. (2017), "PP Attachment: Where do We Stand?", EACL, on accuracy over all
candidate heads; the suite is the subset that Fischer et al. (2020), section 6, announce. Pairs and
their chance are this project's.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..cluster_tables import Ratio, Tables, families_of, select
from ..columns import BoolArray, FloatArray, IntArray, check_lengths
from ..groupings import Grouping, name_of_unit, restrict
from ..trees import Trees, read_trees
from .attachments import Attachments, read_attachments
from .choices import OUTSIDE, Choices, choices_of
from .inputs import INPUTS, METRIC
from .options import Options, read_options
from .pairs import add_pair_scores, decided_pairs, pair_rows

VERSION = "1.0.0"
TABLE_INTERVALS = ("accuracy", "labelled_accuracy")
UNDECIDED_SCORES = (*TABLE_INTERVALS, "verb_rate")
NUMBERED = ("n_candidates", "distance")
LONG_TABLES = ("preposition", "distance")  # without intervals
NO_CLUSTERS = {
    "item": "not every row has an item_id",
    "family": "not every row has a family",
}


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of n predicted trees against n gold attachments; the card describes each field.

    Args:
        inputs: `predictions`, n rows with `heads` (1-based, 0 the root), `deprels` and perhaps
            `tokens`; `references`, n rows of the data set `pp_attachment`.
        options: What `read_options` returns; its defaults if None.

    Returns:
        Flat: scores in [0, 1], nan where nothing is counted; tables under `by_...`.

    Raises:
        ValueError: The inputs differ in length or tokens, are empty or malformed, or labels are of
            another scheme.

    Example:
        "Der Mann sieht die Frau mit Brille", with the phrase on the verb and on the noun:

        >>> gold = {"heads": [2, 3, 0, 5, 3, 7, 5], "adposition": 5, "pp": 6, "verb": 2}
        >>> gold |= {"deprels": ["det", "nsubj", "root", "det", "obj", "case", "nmod"]}
        >>> gold |= {"candidates": [1, 2, 4]}
        >>> verb = {"heads": [2, 3, 0, 5, 3, 7, 3], "deprels": [*gold["deprels"][:6], "obl"]}
        >>> result = score({"predictions": [gold, verb], "references": [gold, gold]})
        >>> result["accuracy"], result["verb_rate"], result["outside_rate"]
        (0.5, 0.5, 0.0)
    """
    found = INPUTS.read(inputs)
    predicted = read_trees(f"{METRIC}: predictions", found["predictions"])
    gold = read_attachments(f"{METRIC}: references", found["references"])
    return score_attachments(gold, predicted, options)


def score_attachments(
    gold: Attachments, predicted: Trees, options: Options | None = None
) -> dict[str, Any]:
    """Scores of n predicted trees against n attachments that were read already, as in `score`."""
    options = options or read_options()
    check_lengths(METRIC, predictions=range(predicted.n), references=range(gold.n))
    choices = choices_of(gold, predicted, options)
    scores = row_scores(gold, choices)
    decided = np.flatnonzero(~gold.is_undecided)
    tables = _tables(gold, options)
    result: dict[str, Any] = {
        "n": len(decided),
        "n_clusters": tables.count_clusters(decided),
        "n_undecided": gold.n - len(decided),
    }
    pairs = decided_pairs(gold)
    add_pair_scores(result, tables, pairs, choices)
    counted = {name: select(ratio, decided) for name, ratio in scores.items()}
    tables.add(result, counted, decided, TABLE_INTERVALS)
    result |= _gold_shares(gold, decided)
    _add_undecided(result, tables, gold, scores)
    result |= _part_tables(tables, gold, scores, decided)
    result["by_pair_factor"] = pair_rows(tables, pairs, choices)
    if options.confidence is not None:
        tables.fill_intervals(options.confidence, options.n_resamples, options.seed)
    result |= options.provenance(VERSION)
    return result | ({"per_item": _rows(gold, choices)} if options.per_item else {})


def row_scores(gold: Attachments, choices: Choices) -> dict[str, Ratio]:
    """Scores of n sentences as ratios.

    Returns:
        `accuracy` (right head), `labelled_accuracy` (right head and label, subtypes aside) and
        `labelled_accuracy_strict` (`obl:arg` differs from `obl`), higher is better;
        `outside_rate` (head is no candidate), lower is better; `verb_rate` (head is the verb), no
        direction.
    """
    heads = choices.is_head_right
    hits = {
        "accuracy": heads,
        "labelled_accuracy": heads & choices.is_label_right,
        "labelled_accuracy_strict": heads & choices.is_strict_label_right,
        "outside_rate": choices.heads == OUTSIDE,
        "verb_rate": choices.heads == np.array([phrase.verb for phrase in gold.phrases]),
    }
    return {name: Ratio(values.astype(float), np.ones(gold.n)) for name, values in hits.items()}


def _tables(gold: Attachments, options: Options) -> Tables:
    """Tables whose intervals resample items within frames, or frames within groups."""
    is_item = options.clusters == "item"
    clusters, strata = (gold.item, gold.family) if is_item else (gold.family, gold.group)
    return Tables(
        clusters,
        gold.n,
        _strata(clusters, strata, gold.n),
        NO_CLUSTERS[options.clusters],
        has_intervals=options.confidence is not None,
        table_intervals=TABLE_INTERVALS,
    )


def _strata(clusters: Grouping, strata: Grouping, n: int) -> IntArray:
    """Stratum of each cluster by that of its first unit, one for all where none is known."""
    names = name_of_unit(strata, n)
    firsts = clusters.units[np.unique(clusters.groups, return_index=True)[1]]
    return families_of([f"{names[unit] or ''}/" for unit in firsts.tolist()])


def _gold_shares(gold: Attachments, decided: IntArray) -> dict[str, float]:
    """Share of gold heads that are the verb, and accuracy of a candidate drawn at random."""
    chances: FloatArray = np.array([1 / len(phrase.candidates) for phrase in gold.phrases])
    is_verb: BoolArray = gold.is_verb
    return {
        "verb_rate_gold": _mean(is_verb[decided].astype(float)),
        "accuracy_chance": _mean(chances[decided]),
    }


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _add_undecided(
    result: dict[str, Any], tables: Tables, gold: Attachments, scores: Mapping[str, Ratio]
) -> None:
    undecided = np.flatnonzero(gold.is_undecided)
    preferences = {
        f"{name}_undecided": select(scores[name], undecided) for name in UNDECIDED_SCORES
    }
    tables.add(result, preferences, undecided, preferences)


def _part_tables(
    tables: Tables, gold: Attachments, scores: dict[str, Ratio], decided: IntArray
) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for name, grouping in gold.groupings.items():
        part = grouping if name == "resolved_by" else restrict(grouping, decided)
        rows = tables.table(name, part, scores, has_intervals=name not in LONG_TABLES)
        for row in rows if name in NUMBERED else ():
            row[name] = int(row[name])  # in place: intervals are filled into these rows
        found[f"by_{name}"] = rows
    return found


def _rows(gold: Attachments, choices: Choices) -> list[dict[str, Any]]:
    """One row per sentence: where it belongs, the candidate chosen, what was right."""
    groupings = {
        "item_id": gold.item,
        "family": gold.family,
        "pair_id": gold.pair,
        "pair_factor": gold.pair_factor,
        "position": gold.groupings["position"],
        "resolved_by": gold.groupings["resolved_by"],
    }
    columns: dict[str, list[Any]] = {"id": list(gold.ids or range(gold.n))}
    columns |= {name: name_of_unit(grouping, gold.n) for name, grouping in groupings.items()}
    columns["head"] = gold.heads.tolist()
    columns["chosen"] = [None if head == OUTSIDE else head for head in choices.heads.tolist()]
    columns["is_head_right"] = choices.is_head_right.tolist()
    columns["is_right"] = (choices.is_head_right & choices.is_label_right).tolist()
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
