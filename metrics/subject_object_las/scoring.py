"""Subject-object LAS: does a parser find a clause's subject and object, and which is which?

Intervals are over base triples, which were drawn together (over items they would come out 2.6 times
too narrow), less what the design fixes (`design_cells`), and wider by what triples of one noun or
verb share.

    strict   the label must be the gold one, subtypes aside
    merged   obj, iobj and obl:arg count as one label

Source: Fischer et al. (2020), "When Beards Start Shaving Men", section 4 and tables 6 to 10. The
paper gives the score no formula; that it counts two words a clause and nothing else was worked out
from its tables, whose cells are multiples of 1 / (2 n). Of the design, tables 7 and 9, and the
suite's tables `blocks` and `pronoun_cycles`: a family of triples has as many clauses of each word
order and combination of properties on every draw, and the person of a pronoun goes by the item's
place in its block.
"""

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._shared.cluster_tables import (
    NO_GROUPING,
    Grouping,
    Linked,
    Ratio,
    Tables,
    cross,
    divided,
    families_of,
    first_units,
    group_of_unit,
    is_named,
    linked_by,
    name_of_unit,
    restrict,
)
from .._shared.columns import BoolArray, FloatArray, IntArray, check_lengths, rows_of
from .._shared.trees import (
    ANNOTATION_SCHEMES,
    NO_LABEL,
    OBJECT,
    SUBJECT,
    Alignment,
    AnnotationScheme,
    Trees,
    align,
    as_bools,
    check_labels,
    check_parsed,
    check_scheme,
    merged_relation,
    read_trees,
    reattach,
    relation,
)
from .inputs import (
    CONDITIONS,
    INPUTS,
    LOCAL_PRONOUNS,
    METRIC,
    OVS,
    SVO,
    UNDECIDED,
    Clauses,
    read_clauses,
    read_files,
)
from .options import Options

VERSION = "3.0.0"
TABLE_INTERVALS = ("las", "las_merged")
WORD_SCORES = ("las", "las_merged", "uas", "label_accuracy", "label_accuracy_merged")
ROLES = ("subject", "object")


class Arguments(NamedTuple):
    """What a parser made of n subjects (column 0) and objects (column 1): arrays of shape (n, 2).

    Whether a word hangs on the gold head, and has the gold label, or that of the clause's other
    argument; `merged` where `obj`, `iobj` and `obl:arg` count as one.
    """

    is_head_right: BoolArray
    is_label_right: BoolArray
    is_merged_label_right: BoolArray
    has_other_label: BoolArray
    has_other_merged_label: BoolArray


def compare_arguments(clauses: Clauses, predicted: Trees, options: Options) -> Arguments:
    """Compares head and label of each subject and object with the gold ones.

    A ValueError where tokens differ and must not, a scored word has no predicted head, or labels
    are of another scheme.
    """
    gold = clauses.trees
    alignment = align(gold, predicted, options.alignment)
    words = gold.offsets[:-1, None] + np.stack([clauses.subjects, clauses.objects], axis=1)
    standing = alignment.representatives[words]
    check_parsed(predicted, standing, ROLES)
    scheme = ANNOTATION_SCHEMES[options.scheme]
    scored = predicted.deprels.take(pa.array(standing.reshape(-1)))
    check_labels(predicted.where, options.scheme, pc.unique(scored).to_pylist())
    check_scheme(predicted, options.scheme, [*scheme.relations] or (SUBJECT, OBJECT))
    heads = predicted_heads(gold, predicted, alignment, scheme)[standing]
    gold_pieces = alignment.gold_pieces[gold.head_positions[words]]
    pieces = alignment.gold_pieces[words]  # subject, object and main verb are in three of them
    is_apart = pieces[:, :1] != pieces[:, 1:]
    is_apart &= (pieces != gold_pieces).all(axis=1, keepdims=True)
    is_head_right = (heads >= 0) & (alignment.predicted_pieces[heads] == gold_pieces) & is_apart
    labels = _labels(gold, predicted)
    own, found = _label_indices(gold, words, labels), _label_indices(predicted, standing, labels)
    strict, merged = (_equality(read, labels, options) for read in (relation, merged_relation))
    labelled = [is_one[one, found] for one in (own, own[:, ::-1]) for is_one in (strict, merged)]
    return Arguments(is_head_right, *(is_right & is_apart for is_right in labelled))


def predicted_heads(
    gold: Trees, predicted: Trees, alignment: Alignment, scheme: AnnotationScheme
) -> IntArray:
    """Predicted heads as positions, arguments of an auxiliary moved where the scheme wants it."""
    heads = predicted.head_positions
    if not scheme.clause_complement:
        return heads
    tokens = predicted.tokens
    if tokens is None:
        if gold.tokens is None:
            expected = "tokens, to tell the auxiliary of a tree of this scheme"
            raise ValueError(f"{predicted.where}: got no tokens; expected {expected}")
        tokens = gold.tokens.take(pa.array(alignment.predicted_pieces))
    is_auxiliary = pc.is_in(pc.utf8_lower(tokens), pa.array(sorted(scheme.auxiliaries)))
    is_complement = pc.equal(predicted.deprels, scheme.clause_complement)
    return reattach(heads, as_bools(is_complement), as_bools(is_auxiliary))


def _labels(gold: Trees, predicted: Trees) -> list[str]:
    found = [label for one in (gold, predicted) for label in pc.unique(one.deprels).to_pylist()]
    return list(dict.fromkeys(found))


def _label_indices(trees: Trees, words: IntArray, labels: list[str]) -> IntArray:
    """Index in `labels` of the label of each word, in the shape of `words`."""
    found = trees.deprels.take(pa.array(words.reshape(-1)))
    indices: IntArray = pc.index_in(found, pa.array(labels)).to_numpy().astype(np.int64)
    return indices.reshape(words.shape)


def _equality(read: Callable[..., str], labels: list[str], options: Options) -> BoolArray:
    """Whether a gold label (row) and a predicted label (column) mean the same relation."""
    meant = functools.partial(read, with_subtypes=bool(options.subtypes))
    gold, found = (
        np.array([meant(label, ANNOTATION_SCHEMES[scheme]) for label in labels])
        for scheme in ("ud", options.scheme)
    )
    return np.asarray(gold[:, None] == found)


def design_cells(clauses: Clauses, families: IntArray) -> IntArray:
    """Post-stratum of each of n clauses, shape (n,), from the families of the triples.

    A family, divided by word order, combination of properties, and which of subject and object are
    pronouns of the first or second person: as far as every part has enough triples.
    """
    triples, properties = group_of_unit(clauses.triple, clauses.n), clauses.properties
    combinations = np.bincount(properties.units, 2.0**properties.groups, clauses.n)
    levels = (
        np.append(families, -1)[triples] + 1,
        group_of_unit(clauses.word_order, clauses.n) + 1,
        np.unique(combinations, return_inverse=True)[1].astype(np.int64),
        _is_local(clauses, clauses.subjects) + 2 * _is_local(clauses, clauses.objects),
    )
    return divided(levels, triples)


def _is_local(clauses: Clauses, words: IntArray) -> IntArray:
    """Whether a word of each clause is a pronoun of the first or second person; 0 or 1."""
    if clauses.trees.tokens is None:
        return np.zeros(clauses.n, np.int64)
    found = clauses.trees.tokens.take(pa.array(clauses.trees.offsets[:-1] + words))
    return as_bools(pc.is_in(pc.utf8_lower(found), pa.array(LOCAL_PRONOUNS))).astype(np.int64)


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of n predicted trees against n gold clauses; the metric's card describes each field.

    Inputs are `predictions`, n rows with `heads`, `deprels` and perhaps `tokens`; and `references`,
    n rows of the data set `sorts`; or for either the path of a CoNLL file. Scores lie in [0, 1],
    nan where nothing is counted; tables stand under `by_...`. A ValueError where the inputs differ
    in length or tokens, are empty or malformed.
    """
    options = options or Options()
    found = INPUTS.read(read_files(inputs))
    predicted = read_trees(f"{METRIC}: predictions", found["predictions"])
    clauses = read_clauses(f"{METRIC}: references", found["references"])
    arguments = compare_arguments(clauses, predicted, options)
    is_unresolved = is_named(clauses.resolved_by, clauses.n, UNDECIDED)
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
        result, {name: ratio.select(counted) for name, ratio in scores.items()}, counted, scores
    )
    items = restrict(clauses.item, counted)
    whole = _without(clauses.item, is_unresolved) if is_apart else items
    compared = _items_with_both(whole, clauses)
    standing = _standing_for_items(clauses)
    _add_item_score(result, tables, arguments, "item_score", items, standing)
    _add_item_score(result, tables, arguments, "svo_ovs_score", compared, standing)
    sizes = np.bincount(compared.groups, minlength=len(compared.names))
    result["svo_ovs_score_chance"] = float((0.5**sizes).mean()) if len(sizes) else math.nan
    gains = _gains(tables, clauses, arguments, (compared, standing), counted)
    result["n_unresolved_items"] = len(clauses.item.names) - len(whole.names)
    unresolved = np.flatnonzero(is_unresolved)
    preferences = {
        f"{name}_unresolved": scores[name].select(unresolved) for name in ("las", "las_merged")
    }
    tables.add(result, preferences, unresolved, preferences)
    result |= _part_tables(tables, clauses, arguments, counted)
    if options.confidence is not None:
        tables.fill_intervals(**options.resampling())
    for name, value in gains.items():  # differences, from their shares
        result[name] = value if isinstance(value, str) else 2 * value - 1
    result["informedness_chance"] = 0.0
    result |= options.provenance(VERSION)
    return result | ({"per_item": _clause_rows(clauses, arguments)} if options.per_item else {})


def informedness(right_svo: BoolArray, right_ovs: BoolArray) -> float:
    """Mean over items of right(SVO) + right(OVS) - 1, Youden's J of telling subject from object.

    From whether subject and object of each item's subject-first, and object-first clause are right.
    In [-1, 1]: 1 where all is right, 0 for whoever goes by order alone, or throws coins for clauses
    or for items, nan for no items.

    Example:
        >>> informedness(np.array([True, True]), np.array([True, False]))
        0.5
    """
    if not len(right_svo):
        return float("nan")
    return float((right_svo.astype(float) + right_ovs - 1).mean())


def _gains(
    tables: Tables,
    clauses: Clauses,
    arguments: Arguments,
    compared: tuple[Grouping, IntArray],
    counted: IntArray,
) -> dict[str, Any]:
    """Informedness, and the gap between the members of twins, as shares: x for 2 x - 1."""
    items, standing = compared
    hits, found = _word_hits(arguments), dict[str, Any]()
    firsts = standing[first_units(items)]
    n = len(items.names)
    means = {
        f"informedness{end}": Ratio(
            np.bincount(items.groups, hits[f"las{end}"][items.units].all(axis=1), n).astype(float),
            np.full(n, 2.0),
        )
        for end in ("", "_merged")
    }
    tables.add(found, means, firsts, means)
    signs = _signs(clauses, counted)
    gaps = {
        f"plausibility_gap{end}": Ratio(
            0.5 + signs * hits[f"las{end}"][counted].mean(axis=1), np.ones(len(counted))
        )
        for end in ("", "_merged")
    }
    if signs.any():
        tables.add(found, gaps, counted, gaps)
    else:
        found.update(dict.fromkeys(gaps, math.nan))
    return found  # the very one whose intervals are filled in later


def _signs(clauses: Clauses, counted: IntArray) -> FloatArray:
    """Weight of each counted clause in half of the gap; zeros where one condition is missing."""
    groups, names = group_of_unit(clauses.condition, clauses.n)[counted], clauses.condition.names
    signs = np.zeros(len(counted))
    if set(CONDITIONS) <= set(names):
        for name, sign in zip(CONDITIONS, (0.5, -0.5), strict=True):
            is_member = groups == names.index(name)
            signs[is_member] = sign * len(counted) / max(1, int(is_member.sum()))
        if (groups < 0).any():
            signs[:] = 0.0
    return signs


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
        linked=_linked(clauses) if has_intervals else None,
    )


def _linked(clauses: Clauses) -> Linked | None:
    """Which triples have a noun or a verb in common; triples of the same words are of a kind."""
    if not clauses.lexeme.names or len(clauses.triple.units) < clauses.n:
        return None
    triples = group_of_unit(clauses.triple, clauses.n)[clauses.lexeme.units]
    of_triple: list[set[int]] = [set() for _ in clauses.triple.names]
    for triple, lexeme in zip(triples.tolist(), clauses.lexeme.groups.tolist(), strict=True):
        of_triple[triple].add(lexeme)
    return linked_by(list(map(frozenset, of_triple)))


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
        "by_condition": tables.table("condition", restrict(clauses.condition, counted), scores),
    }


def attachment_scores(gold: Trees, predicted: Trees, *, subtypes: bool = False) -> dict[str, float]:
    """LAS and UAS, in [0, 1], over all words of n full UD trees, as the official UD scorer's.

    With subtypes `nsubj:pass` differs from `nsubj`; not so in the UD scorer. A ValueError where
    tokens differ, or a word has no head.
    """
    check_lengths("attachment_scores", predicted=range(predicted.n), gold=range(gold.n))
    align(gold, predicted, "tokens")
    for trees in (gold, predicted):
        is_labelled = (trees.heads >= 0) & as_bools(pc.not_equal(trees.deprels, NO_LABEL))
        if len(bad := np.flatnonzero(~is_labelled)):
            place = f"{trees.where}[{trees.sentence_of(bad[0])}]"
            got = "heads and deprels, got a word without"
            raise ValueError(f"{place}: {got}; expected both for every word")
    is_head_right = np.equal(gold.heads, predicted.heads)
    labels, words = _labels(gold, predicted), np.arange(len(gold.heads))
    own, found = (_label_indices(trees, words, labels) for trees in (gold, predicted))
    is_label_right = _equality(relation, labels, Options(subtypes=subtypes))[own, found]
    return {
        "las": float((is_head_right & is_label_right).mean()),
        "uas": float(is_head_right.mean()),
    }


def clause_scores(arguments: Arguments) -> dict[str, Ratio]:
    """Scores of n clauses as ratios, all but `uas` also as `_merged`.

    Over subjects and objects, two a clause: `las`, `uas`, `label_accuracy`; over clauses:
    `clause_score` (both words right), `swap_rate` (both on the gold head, each other's label).
    """
    words, heads = _word_hits(arguments), arguments.is_head_right
    ones = np.ones(len(heads))
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


def _word_hits(arguments: Arguments) -> dict[str, BoolArray]:
    heads, labels, merged = arguments[:3]
    hits = (heads & labels, heads & merged, heads, labels, merged)
    return dict(zip(WORD_SCORES, hits, strict=True))


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
    result[{"item_score": "n_items", "svo_ovs_score": "n_svo_ovs_items"}[name]] = len(items.names)
    n = len(items.names)
    scores = {}
    for end in ("", "_merged"):
        is_wrong = ~np.all(hits[f"las{end}"], axis=1)
        n_wrong = np.bincount(items.groups, is_wrong[items.units], n)
        scores[f"{name}{end}"] = Ratio((n_wrong == 0).astype(float), np.ones(n))
    tables.add(result, scores, standing[first_units(items)], scores)


def _standing_for_items(clauses: Clauses) -> IntArray:
    """The clause that stands for the item of each of n: in subject-verb-object order, or first."""
    item, names = group_of_unit(clauses.item, clauses.n), clauses.word_order.names
    orders = group_of_unit(clauses.word_order, clauses.n)
    svo = names.index(SVO) if SVO in names else -2
    ranked = np.lexsort((np.where(orders == svo, -2, orders), item))
    found, firsts = np.unique(item[ranked], return_index=True)
    return ranked[firsts][np.searchsorted(found, item)]


def _without(items: Grouping, is_unresolved: BoolArray) -> Grouping:
    """The items none of whose clauses is unresolved, whole."""
    n_unresolved = np.bincount(items.groups, is_unresolved[items.units], len(items.names))
    return restrict(items, items.units[n_unresolved[items.groups] == 0])


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
    return [
        {"property": tag, "word_order": order} | {name: row[name] for name in ("n", *WORD_SCORES)}
        for (tag, order), row in zip(names, table, strict=True)
    ]


def _by_role(tables: Tables, arguments: Arguments, counted: IntArray) -> list[dict[str, Any]]:
    rows = []
    for role, name in enumerate(ROLES):
        row: dict[str, Any] = {"role": name, "n": len(counted)}
        row["n_clusters"] = tables.count_clusters(counted)
        scores = {
            score: Ratio(values[counted, role].astype(float), np.ones(len(counted)))
            for score, values in _word_hits(arguments).items()
        }
        tables.add(row, scores, counted, TABLE_INTERVALS)
        rows.append(row)
    return rows


def _clause_rows(clauses: Clauses, arguments: Arguments) -> list[dict[str, Any]]:
    """One row per clause: where it belongs, and what was right in it."""
    belongs = {"item_id": clauses.item, "triple_id": clauses.triple}
    belongs |= {"word_order": clauses.word_order, "resolved_by": clauses.resolved_by}
    hits = _word_hits(arguments)
    columns: dict[str, list[Any]] = {"id": list(clauses.ids or range(clauses.n))}
    columns |= {name: name_of_unit(grouping, clauses.n) for name, grouping in belongs.items()}
    for end in ("", "_merged"):
        are_right = zip(ROLES, hits[f"las{end}"].T.tolist(), strict=True)
        columns |= {f"is_{role}_right{end}": right for role, right in are_right}
    swapped = arguments.is_head_right & arguments.has_other_label
    columns["is_swapped"] = np.all(swapped, axis=1).tolist()
    return rows_of(columns)
