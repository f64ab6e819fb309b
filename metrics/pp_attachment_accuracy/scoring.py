"""PP attachment accuracy: does a parser hang a prepositional phrase on the verb or on which noun?

Only the phrase counts: its head, and the label of its noun. The headline asks for both members of a
pair that differ in one word, so that order tells nothing and the same answer to both gets nothing:

    Die Polizei verheimlicht die Fahndung vor dem Dieb .     obl:arg(verheimlicht, Dieb)
    Die Polizei verheimlicht die Fahndung nach dem Dieb .    nmod(Fahndung, Dieb)

Source: de Kok et al. (2017), "PP Attachment: Where do We Stand?", EACL, on accuracy over all
candidate heads; the suite is the subset that Fischer et al. (2020), section 6, announce. Pairs and
their chance are this project's.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .._shared.cluster_tables import (
    Ratio,
    Tables,
    families_of,
    first_units,
    name_of_unit,
    restrict,
)
from .._shared.columns import BoolArray, FloatArray, IntArray, rows_of
from .._shared.treebanks import read_given, read_output
from .._shared.trees import (
    ANNOTATION_SCHEMES,
    Alignment,
    AnnotationScheme,
    Trees,
    align,
    check_labels,
    check_parsed,
    check_scheme,
    read_trees,
    relation,
)
from .inputs import (
    BY_ORDER,
    INPUTS,
    METRIC,
    ORDER_READERS,
    PAIR_FACTORS,
    TOPOLOGY,
    Attachments,
    read_attachments,
)
from .options import Options

VERSION = "3.0.0"
TABLE_INTERVALS = ("accuracy", "labelled_accuracy")
UNDECIDED_SCORES = (*TABLE_INTERVALS, "verb_rate")
NUMBERED = ("n_candidates", "distance")
LONG_TABLES = ("preposition", "distance")  # without intervals
NO_CLUSTERS = {"item": "not every row has an item_id", "family": "not every row has a family"}
AUXILIARY = "aux"
BEYOND = "beyond_order_pair"
BY_WORD = [PAIR_FACTORS.index(name) for name in PAIR_FACTORS if name not in BY_ORDER]
OUTSIDE = -1


class Choices(NamedTuple):
    """What a parser made of n phrases; all arrays have shape (n,).

    `heads` are the 0-based candidates on which they hang, -1 for none; a strict label is right only
    where `obl:arg` differs from `obl`.
    """

    heads: IntArray
    is_head_right: BoolArray
    is_label_right: BoolArray
    is_strict_label_right: BoolArray


def choices_of(gold: Attachments, predicted: Trees, options: Options) -> Choices:
    """Head and label of each phrase in a parser's trees.

    A ValueError where tokens differ and must not, a phrase has no predicted head, or labels are of
    another scheme.
    """
    scheme = ANNOTATION_SCHEMES[options.scheme]
    alignment = align(gold.trees, predicted, options.alignment)
    firsts = gold.trees.offsets[:-1]
    role = "preposition" if scheme.phrases else "noun of the phrase"
    words = [p.adposition if scheme.phrases else p.pp for p in gold.phrases]
    standing = alignment.representatives[firsts + np.array(words)]
    check_parsed(predicted, standing[:, None], (role,))
    check_scheme(predicted, options.scheme)
    labels = predicted.deprels.take(pa.array(standing)).to_pylist()
    check_labels(predicted.where, options.scheme, set(labels))
    heads = _heads(gold, predicted, alignment, standing, scheme)
    own = gold.trees.deprels.take(pa.array(firsts + [p.pp for p in gold.phrases])).to_pylist()
    return Choices(
        heads,
        heads == gold.heads,
        _are_right(own, labels, scheme, with_subtypes=False),
        _are_right(own, labels, scheme, with_subtypes=True),
    )


def _heads(
    gold: Attachments,
    predicted: Trees,
    alignment: Alignment,
    standing: IntArray,
    scheme: AnnotationScheme,
) -> IntArray:
    """The candidate that each predicted head stands for, -1 for none."""
    positions = predicted.head_positions[standing]
    pieces = np.where(positions >= 0, alignment.predicted_pieces[positions], OUTSIDE).tolist()
    gold_pieces, firsts = alignment.gold_pieces.tolist(), gold.trees.offsets[:-1].tolist()
    # Der Mann wird mit dem Fernglas die Frau sehen: in TIGER the phrase may hang on `wird`
    auxiliaries = _auxiliaries(gold.trees) if scheme.clause_complement else {}
    verbs = {gold_pieces[word]: gold_pieces[verb] for word, verb in auxiliaries.items()}
    found = []
    for phrase, piece, first in zip(gold.phrases, pieces, firsts, strict=True):
        own = {gold_pieces[first + word]: word for word in (phrase.pp, *phrase.candidates)}
        is_apart = len(own) == 1 + len(phrase.candidates)
        head = own.get(verbs.get(piece, piece), OUTSIDE)
        found.append(head if is_apart and head != phrase.pp else OUTSIDE)
    return np.array(found)


def _auxiliaries(trees: Trees) -> dict[int, int]:
    """The verb of each gold auxiliary, as positions."""
    pairs = enumerate(zip(trees.deprels.to_pylist(), trees.head_positions.tolist(), strict=True))
    return {i: head for i, (one, head) in pairs if one.split(":")[0] == AUXILIARY and head >= 0}


def _are_right(
    gold: Sequence[str], found: Sequence[str], scheme: AnnotationScheme, *, with_subtypes: bool
) -> BoolArray:
    """Whether a gold label is among those that a parser's label of a phrase may mean in UD."""
    read = functools.partial(relation, with_subtypes=with_subtypes)
    return np.array(
        [
            read(own, ANNOTATION_SCHEMES["ud"])
            in {read(one, scheme) for one in scheme.phrases.get(label, (label,))}
            for own, label in zip(gold, found, strict=True)
        ]
    )


class Pairs(NamedTuple):
    """m pairs both of whose members are decided.

    Attributes:
        members: Both members of each, shape (m, 2).
        factors: Place in PAIR_FACTORS of what they differ in, shape (m,); -1 where none is named.
        is_contrast: Whether one hangs on the verb and the other on a noun, shape (m,).
        by_order: Whether each reader of word order has both heads right, shape (readers, m).
        by_draw: Probability that two drawn candidates are both heads, shape (m,).
    """

    members: IntArray
    factors: IntArray
    is_contrast: BoolArray
    by_order: BoolArray
    by_draw: FloatArray
    n_undecided: int

    @property
    def is_beyond_order(self) -> BoolArray:
        """Whether the heads differ in kind and the members in a word, not in order, shape (m,)."""
        return np.logical_and(self.is_contrast, np.isin(self.factors, BY_WORD))

    def even_weights(self, is_counted: BoolArray) -> FloatArray:
        """Weights of pairs with a factor, 1 on average, by which all factors count the same."""
        factors = self.factors[is_counted]
        sizes = np.bincount(factors)
        return np.asarray(len(factors) / (np.count_nonzero(sizes) * sizes[factors]))

    def chance(self, is_counted: BoolArray, weights: FloatArray | None = None) -> float:
        """The best share of some pairs that a reader of order or a drawer has; nan for no pairs."""
        if not is_counted.any():
            return float("nan")
        best = np.average(self.by_order[:, is_counted], axis=1, weights=weights).max()
        return float(max(best, np.average(self.by_draw[is_counted], weights=weights)))


def decided_pairs(gold: Attachments) -> Pairs:
    """The pairs of n attachments; a row without its partner is in none."""
    order = np.argsort(gold.pair.groups, kind="stable")
    groups, units = gold.pair.groups[order], gold.pair.units[order]
    firsts = np.flatnonzero(groups[1:] == groups[:-1])
    members = np.stack([units[firsts], units[firsts + 1]], axis=1).reshape(-1, 2)
    is_decided = ~gold.is_undecided[members].any(axis=1)
    factors = _factors(gold)[members[:, 0]]
    members, factors = members[is_decided], factors[is_decided]
    of_verb = gold.is_verb[members]
    sizes: FloatArray = np.array([len(phrase.candidates) for phrase in gold.phrases], float)
    hits = (
        np.array([read(phrase) for phrase in gold.phrases]) == gold.heads
        for read in ORDER_READERS.values()
    )
    return Pairs(
        members,
        factors,
        of_verb[:, 0] != of_verb[:, 1],
        np.array([found[members].all(axis=1) for found in hits]),
        1 / sizes[members].prod(axis=1),
        int((~is_decided).sum()),
    )


def add_pair_scores(result: dict[str, Any], tables: Tables, pairs: Pairs, choices: Choices) -> None:
    """Adds the headline and the same over all pairs that differ in the head, with their chance."""
    parts = {
        "topology_pair": pairs.factors == PAIR_FACTORS.index(TOPOLOGY),
        "contrast_pair": pairs.is_contrast,
        BEYOND: pairs.is_beyond_order,
    }
    for name, is_counted in parts.items():
        members = pairs.members[is_counted]
        # a reader of one cue has a third of what verb, noun and preposition tell apart
        weights = pairs.even_weights(is_counted) if name == BEYOND else None
        scores = _pair_scores(members, choices, weights)
        named = {f"{name}_{score}": ratio for score, ratio in scores.items()}
        tables.add(result, named, members[:, 0], named)
        result[f"{name}_accuracy_chance"] = pairs.chance(is_counted, weights)
        result[f"n_{name}s"] = len(members)
    result["n_undecided_pairs"] = pairs.n_undecided


def pair_rows(tables: Tables, pairs: Pairs, choices: Choices) -> list[dict[str, Any]]:
    """One row per factor: its pairs, how many hang on a verb and a noun, what they are worth."""
    rows = []
    for place in np.unique(pairs.factors[pairs.factors >= 0]).tolist():
        is_counted = pairs.factors == place
        members = pairs.members[is_counted]
        row: dict[str, Any] = {"pair_factor": PAIR_FACTORS[place], "n": len(members)}
        row["n_contrasts"] = int(pairs.is_contrast[is_counted].sum())
        row["chance"] = pairs.chance(is_counted)
        scores = _pair_scores(members, choices)
        tables.add(row, scores, members[:, 0], scores)
        rows.append(row)
    return rows


def _pair_scores(
    members: IntArray, choices: Choices, weights: FloatArray | None = None
) -> dict[str, Ratio]:
    """Both members right in head and label, and in their heads; pairs of equal weight if None."""
    sizes = np.ones(len(members)) if weights is None else weights
    heads = choices.is_head_right
    hits = {"accuracy": heads & choices.is_label_right, "head_accuracy": heads}
    return {
        name: Ratio(sizes * values[members].all(axis=1), sizes) for name, values in hits.items()
    }


def _factors(gold: Attachments) -> IntArray:
    places = np.full(gold.n, -1)
    names = gold.pair_factor.names
    codes = np.array([PAIR_FACTORS.index(name) for name in names], np.int64)
    places[gold.pair_factor.units] = codes[gold.pair_factor.groups]
    return places


def score(inputs: Mapping[str, Any], options: Options | None = None) -> dict[str, Any]:
    """Scores of n predicted trees against n gold attachments; the card describes each field.

    Inputs are `predictions`, n rows with `heads` (1-based, 0 the root), `deprels` and perhaps
    `tokens`, or the path of a CoNLL file; and `references`, n rows of the data set
    `pp_attachment`. Scores lie in [0, 1], nan where nothing is counted; tables stand under
    `by_...`. A ValueError where the inputs differ in length or tokens, are empty or malformed, or
    labels are of another scheme.
    """
    options = options or Options()
    trees = read_given(f"{METRIC}: predictions", inputs.get("predictions"), read_output)
    found = INPUTS.read({**inputs, "predictions": trees})
    predicted = read_trees(f"{METRIC}: predictions", found["predictions"])
    gold = read_attachments(f"{METRIC}: references", found["references"])
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
    counted = {name: ratio.select(decided) for name, ratio in scores.items()}
    tables.add(result, counted, decided, TABLE_INTERVALS)
    chances = np.array([1 / len(phrase.candidates) for phrase in gold.phrases])
    for name, values in (("verb_rate_gold", gold.is_verb), ("accuracy_chance", chances)):
        result[name] = float(values[decided].mean()) if len(decided) else float("nan")
    undecided = np.flatnonzero(gold.is_undecided)
    preferences = {f"{name}_undecided": scores[name].select(undecided) for name in UNDECIDED_SCORES}
    tables.add(result, preferences, undecided, preferences)
    result |= _part_tables(tables, gold, scores, decided)
    result["by_pair_factor"] = pair_rows(tables, pairs, choices)
    if options.confidence is not None:
        tables.fill_intervals(**options.resampling())
    result |= options.provenance(VERSION)
    return result | ({"per_item": _rows(gold, pairs, choices)} if options.per_item else {})


def row_scores(gold: Attachments, choices: Choices) -> dict[str, Ratio]:
    """Scores of n sentences as ratios.

    `accuracy` (right head), `labelled_accuracy` (right head and label, subtypes aside) and
    `labelled_accuracy_strict` (`obl:arg` differs from `obl`), higher is better; `outside_rate`
    (head is no candidate), lower is better; `verb_rate` (head is the verb), no direction.
    """
    heads = choices.is_head_right
    hits = {
        "accuracy": heads,
        "labelled_accuracy": heads & choices.is_label_right,
        "labelled_accuracy_strict": heads & choices.is_strict_label_right,
        "outside_rate": choices.heads == OUTSIDE,
        "verb_rate": np.equal(choices.heads, [phrase.verb for phrase in gold.phrases]),
    }
    return {name: Ratio(values.astype(float), np.ones(gold.n)) for name, values in hits.items()}


def _tables(gold: Attachments, options: Options) -> Tables:
    """Tables whose intervals resample items within frames, or frames within groups."""
    is_item = options.clusters == "item"
    clusters, strata = (gold.item, gold.family) if is_item else (gold.family, gold.group)
    names = name_of_unit(strata, gold.n)  # of the first unit of a cluster
    return Tables(
        clusters,
        gold.n,
        families_of([f"{names[unit] or ''}/" for unit in first_units(clusters).tolist()]),
        NO_CLUSTERS[options.clusters],
        has_intervals=options.confidence is not None,
        table_intervals=TABLE_INTERVALS,
    )


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


def _rows(gold: Attachments, pairs: Pairs, choices: Choices) -> list[dict[str, Any]]:
    """One row per sentence: where it belongs, the candidate chosen, what was right."""
    is_beyond_order = np.zeros(gold.n, bool)
    is_beyond_order[pairs.members[pairs.is_beyond_order]] = True
    groupings = {"item_id": gold.item, "family": gold.family, "pair_id": gold.pair}
    groupings |= {"pair_factor": gold.pair_factor, "position": gold.groupings["position"]}
    groupings["resolved_by"] = gold.groupings["resolved_by"]
    columns: dict[str, list[Any]] = {"id": list(gold.ids or range(gold.n))}
    columns |= {name: name_of_unit(grouping, gold.n) for name, grouping in groupings.items()}
    columns["is_beyond_order"] = is_beyond_order.tolist()
    columns["head"] = gold.heads.tolist()
    columns["chosen"] = [None if head == OUTSIDE else head for head in choices.heads.tolist()]
    columns["is_head_right"] = choices.is_head_right.tolist()
    columns["is_right"] = (choices.is_head_right & choices.is_label_right).tolist()
    return rows_of(columns)
