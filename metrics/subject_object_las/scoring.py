"""Subject-object LAS: does a parser find a clause's subject and object, and which is which?

Gold clauses, whose subject and object depend on one main verb, meet the trees that a parser gave
them. The result has the share of subjects and objects with the right head and label (LAS), the
right head (UAS), the right label; clauses in which the two are exchanged; items that are right in
all word orders; tables by word order, property, role and by what settles the clause; intervals over
base triples, which were drawn together (over items they would come out 2.6 times too narrow), less
what the design fixes (`design.py`).

    strict   the label must be the gold one, subtypes aside
    merged   obj, iobj and obl:arg count as one label

Source: Fischer et al. (2020), "When Beards Start Shaving Men", section 4 and tables 6 to 10. The
paper gives the score no formula; that it counts two words a clause and nothing else was worked out
from its tables, whose cells are multiples of 1 / (2 n).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow.compute as pc

from ..alignment import align
from ..cluster_tables import Ratio, Tables, families_of, select
from ..columns import BoolArray, IntArray, check_lengths
from ..groupings import NO_GROUPING, Grouping, cross, group_of_unit, name_of_unit, restrict
from ..trees import NO_LABEL, Trees, read_trees
from .clauses import Clauses, read_clauses
from .comparison import ROLES, Arguments, compare_arguments, equal_labels
from .design import design_cells
from .inputs import INPUTS, METRIC, read_files
from .inventory import OVS, SVO, UNDECIDED
from .options import Options, read_options

VERSION = "2.0.2"
TABLE_INTERVALS = ("las", "las_merged")
WORD_SCORES = ("las", "las_merged", "uas", "label_accuracy", "label_accuracy_merged")


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of n predicted trees against n gold clauses; the metric's card describes each field.

    Args:
        inputs: `predictions`, n rows with `heads`, `deprels` and perhaps `tokens`; `references`, n
            rows of the data set `sorts`; or for either the path of a CoNLL file.
        options: What `read_options` returns; its defaults if None.

    Returns:
        Flat: scores in [0, 1], nan where nothing is counted; tables under `by_...`.

    Raises:
        ValueError: The inputs differ in length or tokens, are empty or malformed.

    Example:
        The second parser's tree has subject and object exchanged:

        >>> gold = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]}
        >>> gold |= {"subject": 0, "object": 2}
        >>> right = {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]}
        >>> wrong = {"heads": [2, 0, 2], "deprels": ["obj", "root", "nsubj"]}
        >>> result = score({"predictions": [right, wrong], "references": [gold, gold]})
        >>> result["las"], result["uas"], result["swap_rate"]
        (0.5, 1.0, 0.5)
    """
    found = INPUTS.read(read_files(inputs))
    predicted = read_trees(f"{METRIC}: predictions", found["predictions"])
    clauses = read_clauses(f"{METRIC}: references", found["references"])
    return score_clauses(clauses, predicted, options)


def score_clauses(
    clauses: Clauses, predicted: Trees, options: Options | None = None
) -> dict[str, Any]:
    """Scores of n predicted trees against n gold clauses that were read already, as in `score`."""
    options = options or read_options()
    arguments = compare_arguments(clauses, predicted, options)
    is_unresolved = _is_unresolved(clauses)
    is_apart = options.unresolved == "apart"
    counted = np.flatnonzero(~is_unresolved) if is_apart else np.arange(clauses.n)
    scores = clause_scores(arguments)
    tables = clause_tables(clauses, has_intervals=options.confidence is not None)
    result: dict[str, Any] = {
        "n": len(counted),
        "n_clusters": tables.count_clusters(counted),
        "n_unresolved": int(is_unresolved.sum()),
    }
    tables.add(
        result, {name: select(ratio, counted) for name, ratio in scores.items()}, counted, scores
    )
    items = restrict(clauses.item, counted)
    whole = _without(clauses.item, is_unresolved) if is_apart else items
    compared = _items_with_both(whole, clauses)
    standing = _standing_for_items(clauses)
    _add_item_score(result, tables, arguments, "item_score", items, standing)
    _add_item_score(result, tables, arguments, "svo_ovs_score", compared, standing)
    result["svo_ovs_score_chance"] = _coin(compared)
    result["n_unresolved_items"] = len(clauses.item.names) - len(whole.names)
    unresolved = np.flatnonzero(is_unresolved)
    preferences = {
        f"{name}_unresolved": select(scores[name], unresolved) for name in ("las", "las_merged")
    }
    tables.add(result, preferences, unresolved, preferences)
    result |= _part_tables(tables, clauses, arguments, counted)
    if options.confidence is not None:
        tables.fill_intervals(options.confidence, options.n_resamples, options.seed)
    result |= options.provenance(VERSION)
    return result | ({"per_item": _clause_rows(clauses, arguments)} if options.per_item else {})


def clause_tables(clauses: Clauses, *, has_intervals: bool) -> Tables:
    """Tables of scores over clauses: intervals over base triples, less what the design fixes."""
    families = families_of(clauses.triple.names)
    return Tables(
        clauses.triple,
        clauses.n,
        families,
        "not every clause has a triple_id",
        has_intervals=has_intervals,
        table_intervals=TABLE_INTERVALS,
        is_unequal=True,
        cells=design_cells(clauses, families) if has_intervals else None,
    )


def _part_tables(
    tables: Tables, clauses: Clauses, arguments: Arguments, counted: IntArray
) -> dict[str, list[dict[str, Any]]]:
    scores = clause_scores(arguments)
    word_order, properties = (
        restrict(grouping, counted) for grouping in (clauses.word_order, clauses.properties)
    )
    return {
        "by_word_order": tables.table("word_order", word_order, scores),
        "by_property": tables.table("property", properties, scores),
        "by_property_and_word_order": _by_property_and_word_order(clauses, scores, counted),
        "by_role": _by_role(tables, arguments, counted),
        "by_resolved_by": tables.table("resolved_by", clauses.resolved_by, scores),
    }


def labeled_attachment_score(is_head_right: BoolArray, is_label_right: BoolArray) -> float:
    """Share of words with the right head and the right label.

    Args:
        is_head_right: One value per word, any shape.
        is_label_right: The same shape.

    Returns:
        A share in [0, 1], higher is better; nan for no words.

    Example:
        >>> is_head_right = np.array([[True, True], [True, False]])
        >>> labeled_attachment_score(is_head_right, np.array([[True, True], [False, False]]))
        0.5
    """
    return float((is_head_right & is_label_right).mean()) if is_head_right.size else float("nan")


def attachment_scores(gold: Trees, predicted: Trees, *, subtypes: bool = False) -> dict[str, float]:
    """LAS and UAS over all words of full trees, the same as the official UD scorer's.

    Args:
        gold: n UD trees.
        predicted: n UD trees.
        subtypes: Whether `nsubj:pass` differs from `nsubj`; not so in the UD scorer.

    Returns:
        `las` and `uas` in [0, 1].

    Raises:
        ValueError: Tokens differ, or a word has no head.
    """
    check_lengths("attachment_scores", predicted=range(predicted.n), gold=range(gold.n))
    align(gold, predicted, "tokens")
    for trees in (gold, predicted):
        is_labelled = (trees.heads >= 0) & pc.not_equal(trees.deprels, NO_LABEL).to_numpy(
            zero_copy_only=False
        )
        if len(bad := np.flatnonzero(~is_labelled)):
            place = f"{trees.where}[{trees.sentence_of(bad[0])}]"
            raise ValueError(
                f"{place}: heads and deprels, got a word without; expected both for every word"
            )
    is_head_right = np.equal(gold.heads, predicted.heads)
    is_label_right = equal_labels(gold, predicted, subtypes=subtypes)
    return {
        "las": labeled_attachment_score(is_head_right, is_label_right),
        "uas": float(is_head_right.mean()),
    }


def clause_scores(arguments: Arguments) -> dict[str, Ratio]:
    """Scores of n clauses as ratios.

    Returns:
        Over subjects and objects, two a clause: `las`, `uas`, `label_accuracy`; over clauses:
            `clause_score` (both words right) and
        `swap_rate` (both on the gold head, with each other's label); all but `uas` also as
        `_merged`.
    """
    ones = np.ones(len(arguments.is_head_right))
    words = _word_hits(arguments)
    heads = arguments.is_head_right
    clauses = {
        "clause_score": words["las"],
        "clause_score_merged": words["las_merged"],
        "swap_rate": heads & arguments.has_other_label,
        "swap_rate_merged": heads & arguments.has_other_merged_label,
    }
    scores = {name: Ratio(hits.sum(axis=1).astype(float), 2 * ones) for name, hits in words.items()}
    return scores | {
        name: Ratio(hits.all(axis=1).astype(float), ones) for name, hits in clauses.items()
    }


def item_scores(item: Grouping, is_right: BoolArray) -> Ratio:
    """Share of items that are right in all their clauses.

    Args:
        item: Which clauses an item has.
        is_right: Whether subject and object of each clause are right, shape (n,).
    """
    n_items = len(item.names)
    n_wrong = np.bincount(item.groups, ~is_right[item.units], n_items)
    return Ratio((n_wrong == 0).astype(float), np.ones(n_items))


def _word_hits(arguments: Arguments) -> dict[str, BoolArray]:
    heads, labels, merged = (
        arguments.is_head_right,
        arguments.is_label_right,
        arguments.is_merged_label_right,
    )
    return dict(
        zip(WORD_SCORES, (heads & labels, heads & merged, heads, labels, merged), strict=True)
    )


def _is_unresolved(clauses: Clauses) -> BoolArray:
    """Which clauses allow the reverse reading: what settles them is plausibility, or nothing."""
    groups = group_of_unit(clauses.resolved_by, clauses.n)
    names = clauses.resolved_by.names
    return np.isin(groups, [names.index(name) for name in UNDECIDED if name in names])


def _add_item_score(
    result: dict[str, Any],
    tables: Tables,
    arguments: Arguments,
    name: str,
    items: Grouping,
    standing: IntArray,
) -> None:
    """Adds the share of items that are right in all clauses of the grouping, and their number."""
    hits = _word_hits(arguments)
    firsts = standing[items.units[np.unique(items.groups, return_index=True)[1]]]
    result[{"item_score": "n_items", "svo_ovs_score": "n_svo_ovs_items"}[name]] = len(items.names)
    scores = {
        f"{name}{end}": item_scores(items, np.all(hits[f"las{end}"], axis=1))
        for end in ("", "_merged")
    }
    tables.add(result, scores, firsts, scores)


def _standing_for_items(clauses: Clauses) -> IntArray:
    """The clause that stands for the item of each of n clauses, one of the same order in all.

    It is the one in subject-verb-object order, which every item of the suite has.
    """
    item, names = group_of_unit(clauses.item, clauses.n), clauses.word_order.names
    orders = group_of_unit(clauses.word_order, clauses.n)
    svo = names.index(SVO) if SVO in names else -2
    ranked = np.lexsort((np.where(orders == svo, -2, orders), item))
    found, firsts = np.unique(item[ranked], return_index=True)
    places: IntArray = ranked[firsts][np.searchsorted(found, item)]
    return places


def _coin(items: Grouping) -> float:
    """Share of items that a coin for the roles of each clause gets right in all; nan for none."""
    sizes = np.bincount(items.groups, minlength=len(items.names))
    return float((0.5**sizes).mean()) if len(sizes) else float("nan")


def _without(items: Grouping, is_unresolved: BoolArray) -> Grouping:
    """The items none of whose clauses is unresolved, whole."""
    is_touched = np.bincount(
        items.groups, is_unresolved[items.units], minlength=len(items.names)
    ).astype(bool)
    return restrict(items, items.units[~is_touched[items.groups]])


def _items_with_both(items: Grouping, clauses: Clauses) -> Grouping:
    """SVO and OVS clauses of the items that have both."""
    orders = group_of_unit(clauses.word_order, clauses.n)
    names = clauses.word_order.names
    wanted = [names.index(order) if order in names else -2 for order in (SVO, OVS)]
    has = [
        np.bincount(items.groups[orders[items.units] == order], minlength=len(items.names)) > 0
        for order in wanted
    ]
    is_kept = np.isin(orders[items.units], wanted) & (has[0] & has[1])[items.groups]
    return restrict(items, items.units[is_kept])


def _by_property_and_word_order(
    clauses: Clauses, scores: dict[str, Ratio], counted: IntArray
) -> list[dict[str, Any]]:
    cells, names = cross(restrict(clauses.properties, counted), clauses.word_order)
    no_intervals = Tables(NO_GROUPING, clauses.n, families_of(()), "", has_intervals=False)
    table = no_intervals.table("cell", cells, {name: scores[name] for name in WORD_SCORES})
    rows = zip(names, table, strict=True)
    return [
        {"property": tag, "word_order": order, "n": row["n"]}
        | {name: row[name] for name in WORD_SCORES}
        for (tag, order), row in rows
    ]


def _by_role(tables: Tables, arguments: Arguments, counted: IntArray) -> list[dict[str, Any]]:
    rows = []
    for role, name in enumerate(ROLES):
        row: dict[str, Any] = {
            "role": name,
            "n": len(counted),
            "n_clusters": tables.count_clusters(counted),
        }
        hits = {
            score: values[counted, role].astype(float)
            for score, values in _word_hits(arguments).items()
        }
        tables.add(
            row,
            {score: Ratio(values, np.ones(len(counted))) for score, values in hits.items()},
            counted,
            TABLE_INTERVALS,
        )
        rows.append(row)
    return rows


def _clause_rows(clauses: Clauses, arguments: Arguments) -> list[dict[str, Any]]:
    """One row per clause: where it belongs, and what was right in it."""
    belongs = {
        "item_id": name_of_unit(clauses.item, clauses.n),
        "triple_id": name_of_unit(clauses.triple, clauses.n),
        "word_order": name_of_unit(clauses.word_order, clauses.n),
        "resolved_by": name_of_unit(clauses.resolved_by, clauses.n),
    }
    hits = _word_hits(arguments)
    columns: dict[str, list[Any]] = {"id": list(clauses.ids or range(clauses.n)), **belongs}
    for end in ("", "_merged"):
        columns |= {
            f"is_{role}_right{end}": hits[f"las{end}"][:, i].tolist()
            for i, role in enumerate(ROLES)
        }
    columns["is_swapped"] = np.all(
        arguments.is_head_right & arguments.has_other_label, axis=1
    ).tolist()
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
