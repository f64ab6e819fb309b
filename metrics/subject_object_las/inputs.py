"""What subject-object LAS takes: a tree and a row of `sorts` for each clause, or CoNLL files.

Names of word orders and properties are the final ones of the authors' repository. `LK[V]MF[SO]` is
"Deshalb sieht der Hund einen Ball ." in the files of the paper and "Sieht der Hund einen Ball ?" in
all later ones, so a file's names can only be read when its scheme is known: from its checksum, or
from names that only one scheme has.

A file of gold clauses has the authors' layout, in any language, or is CoNLL-U with comments. A
clause has exactly one `nsubj`, one `obj` and one main verb (HEAD 0), to which both are attached;
all else may be unlabelled. What a reference does not say is not scored; nothing is guessed.

Source: Fischer et al. (2020), section 3, tables 7 and 9, appendix A; DiveFish/SORTS at commits
a638db3 (paper) and 6db9eec (renamed), and the Dutch files before c625f74 (dutch);
`builders/sorts/data/label_schemes.tsv` is the same table.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .._shared.cluster_tables import (
    NO_GROUPING,
    Grouping,
    check_closed,
    closed_grouping,
    encoded_grouping,
    in_order,
    keep,
    open_grouping,
)
from .._shared.columns import IntArray, Values, check_ids
from .._shared.treebanks import ConllError, Read, Treebank, read_conll, read_given, read_output
from .._shared.trees import (
    TREE,
    UNLABELLED,
    Trees,
    as_bools,
    flat_texts,
    place_of_word,
    read_trees,
    to_lists,
    tree_inputs,
)

# Subject before object, then object before subject, in the order of the paper's tables.
WORD_ORDERS = (
    "LK[V]MF[SO]",
    "VF[S]LK[V]MF[O]",
    "VF[ADV]LK[V]MF[SO]",
    "MF[SO]VC[V]",
    "LK[V]MF[OS]",
    "VF[O]LK[V]MF[S]",
    "VF[ADV]LK[V]MF[OS]",
    "MF[OS]VC[V]",
)
SVO, OVS = "VF[S]LK[V]MF[O]", "VF[O]LK[V]MF[S]"

# `base` fills the place of a second property and is no class; `acc` is the clause without
# variation.
NO_PROPERTY = "base"
MORPHO_SYNTACTIC = ("acc", "dat", "amb", "spron", "opron", "oneg", "aux", "pp")
SEMANTIC = (
    *("sinan", "oan", "invan", "regpol", "sname", "semas"),
    *("noref", "psy", "vlight", "syn", "prov"),
)
PROPERTIES = MORPHO_SYNTACTIC + SEMANTIC

# The reverse reading is grammatical: possible but not what a reader takes, or as good as the other.
UNDECIDED = ("plausibility", "none")
# `order`, in Dutch: the reverse reading has an order of phrases that is not grammatical.
RESOLVED_BY = ("case", "agreement", "animacy", "selection", "lexicalised", "order", *UNDECIDED)

# A clause and the same nouns with their roles exchanged: what a reader expects, and what not.
CONDITIONS = ("plausible", "implausible")

# Forms that only pronouns of the first or second person have, in German and Dutch: *ihr* can be of
# the third.
LOCAL_PRONOUNS = (
    *("ich", "du", "wir", "mich", "mir", "dich", "dir", "uns", "euch"),
    *("ik", "jij", "je", "wij", "we", "mij", "me", "jou", "ons", "jullie"),
)

FINAL = "final"
Kind = Literal["property", "word_order"]

# scheme, kind, its name, the final name
CHANGES: tuple[tuple[str, Kind, str, str], ...] = (
    ("dutch", "property", "snp", "sname"),
    ("paper", "property", "idm", "prov"),
    ("paper", "property", "oempt", "noref"),
    ("paper", "property", "sinst", "regpol"),
    ("paper", "property", "sodir", "semas"),
    ("paper", "word_order", "LK[V]MF[OS]", "VF[ADV]LK[V]MF[OS]"),
    ("paper", "word_order", "LK[V]MF[OS]Q", "LK[V]MF[OS]"),
    ("paper", "word_order", "LK[V]MF[SO]", "VF[ADV]LK[V]MF[SO]"),
    ("paper", "word_order", "LK[V]MF[SO]Q", "LK[V]MF[SO]"),
    ("renamed", "property", "idm", "prov"),
)

ORDER_AND_PROPERTIES = re.compile(r"(?:^|\|)order[:=]([^|]+)\|props[:=]([^|]+)")
N_ARGUMENTS = 3  # subject, object and main verb are labelled in the paper's CoNLL
ARGUMENTS = ("subject", "verb", "object")
# Comments of CoNLL-U that say what a clause belongs to; the first is `sent_id` there.
COMMENTS = ("id", "item_id", "base_item_id", "triple_id", "resolved_by")
SLASH = ":"  # for `/` in a `sent_id`, where UD reserves it

METRIC = "subject_object_las"
GROUPS = {
    "word_order": "the clause's order",
    "item_id": "its item",
    "triple_id": "its base triple",
    "resolved_by": "what settles which phrase is the subject",
    "condition": "which member of a twin it is",
}


def schemes() -> tuple[str, ...]:
    """Names of all schemes, the final one first."""
    return (FINAL, *sorted({scheme for scheme, *_ in CHANGES}))


def final_labels(scheme: str, kind: Kind) -> dict[str, str]:
    """Every name that a scheme allows, with its final name; a ValueError for no such scheme."""
    if scheme not in schemes():
        raise ValueError(f"scheme, got {scheme!r}; expected one of {', '.join(schemes())}")
    changed = {
        label: final
        for of_scheme, of_kind, label, final in CHANGES
        if (of_scheme, of_kind) == (scheme, kind)
    }
    finals = WORD_ORDERS if kind == "word_order" else (NO_PROPERTY, *PROPERTIES)
    return {name: name for name in finals if name not in changed.values()} | changed


def detect_scheme(word_orders: Collection[str], properties: Iterable[str]) -> str:
    """Scheme of a file, told from all the names it uses: one that has all of them.

    A ValueError where none has them all, or it stays open which clause a name means.
    """
    orders, tags = set(word_orders), set(properties)
    known = {s: final_labels(s, "word_order") for s in schemes()}
    fitting = [
        s for s in known if orders <= set(known[s]) and tags <= set(final_labels(s, "property"))
    ]
    readings = {tuple((name, known[s][name]) for name in sorted(orders)) for s in fitting}
    if len(readings) != 1:
        differ = f"{' and '.join(fitting)} read them differently"
        raise ValueError(
            f"labels, got {', '.join(sorted(orders | tags))} "
            f"({differ if fitting else 'no scheme has them all'}); expected the names of one scheme"
        )
    return fitting[0]


def read_gold(path: str | Path, scheme: str | None = None) -> dict[str, Any]:
    """Columns of `INPUTS` and `verb` from a file of gold clauses, and the ids that comments give.

    A CoNLL file in the authors' layout (order and properties in column 6) or CoNLL-U with comments
    `word_order` and `properties`, perhaps gzipped. Its scheme is told from the names if None.
    Without comments a new item begins at every subject-verb-object clause, as in all the authors'
    files. A ConllError names file and line of what breaks the format or is unknown.
    """
    treebank = read_conll(path)
    columns = gold_arrays(treebank, scheme) | gold_ids(treebank)
    if "item_id" not in columns:
        orders = columns["word_order"].to_pylist()
        columns["item_id"] = [str(n) for n in np.cumsum([order == SVO for order in orders])]
    return columns


def gold_ids(treebank: Treebank) -> dict[str, list[str]]:
    """What each clause belongs to by its comments, `COMMENTS` that all clauses have."""
    ids = {name: treebank.comments("sent_id" if name == "id" else name) for name in COMMENTS}
    ids["id"] = [value and value.replace(SLASH, "/") for value in ids["id"]]
    return {
        name: [str(value) for value in values] for name, values in ids.items() if None not in values
    }


def gold_arrays(treebank: Treebank, scheme: str | None = None) -> dict[str, Any]:
    """Columns of gold clauses but ids, as arrays of Arrow and numpy; see `read_gold`."""
    codes, pairs = _word_orders_and_properties(treebank)
    scheme = scheme or scheme_of_names(treebank.path, *map(list, zip(*pairs, strict=True)))
    orders, tags = final_labels(scheme, "word_order"), final_labels(scheme, "property")
    for code, (order, properties) in enumerate(pairs):
        if order not in orders or not tags.keys() >= set(properties.split("-")):
            first = treebank.offsets[int(np.argmax(codes == code))]
            place = f"{treebank.path}:{treebank.lines[first]}"
            check_known(place, "word order", [order], orders)
            check_known(place, "property", properties.split("-"), tags)
    finals = {
        "word_order": [orders[order] for order, _ in pairs],
        "properties": [[tags[tag] for tag in found.split("-")] for _, found in pairs],
    }
    columns = {name: pa.array(found).take(pa.array(codes)) for name, found in finals.items()}
    return columns | treebank.trees() | dict(zip(ARGUMENTS, _arguments(treebank), strict=True))


def _word_orders_and_properties(treebank: Treebank) -> tuple[IntArray, list[tuple[str, str]]]:
    """Order and properties of each clause as an index into pairs of them, and these."""
    orders, properties = treebank.comments("word_order"), treebank.comments("properties")
    if None not in orders and None not in properties:
        pairs_of = zip(orders, properties, strict=True)
        features = pa.array([f"order={order}|props={tags}" for order, tags in pairs_of])
    else:
        if (word := treebank.first_change("feats")) is not None:
            got = "FEATS, got another value than on the first token"
            raise treebank.error(word, got, "the same order and properties on every token")
        features = treebank.strings("feats", treebank.offsets[:-1])
    encoded = features.dictionary_encode()
    codes = encoded.indices.to_numpy().astype(np.int64)
    pairs = []
    for code, feature in enumerate(encoded.dictionary.to_pylist()):
        match = ORDER_AND_PROPERTIES.search(feature)
        if match is None:
            word = int(treebank.offsets[np.argmax(codes == code)])
            expected = "order:...|props:..., or comments word_order and properties"
            raise treebank.error(word, f"FEATS, got {feature!r}", expected)
        pairs.append((match[1], match[2]))
    return codes, pairs


def scheme_of_names(path: str, orders: list[str], properties: list[str]) -> str:
    """Scheme of a file by the names that are known; an unknown one is reported later, by line."""
    known = [
        set().union(*(final_labels(s, kind) for s in ("final", "paper", "dutch")))
        for kind in ("word_order", "property")
    ]
    tags = {tag for tags in set(properties) for tag in tags.split("-")}
    try:
        return detect_scheme(set(orders) & known[0], tags & known[1])
    except ValueError as error:
        raise ConllError(f"{path}: {error}") from error


# SORTS, folder `annotated`: no heads
ANNOTATED_COLUMNS = ("id", "form", "lemma", "_", "pos", "feats")


def check_known(place: str, what: str, names: list[str], known: dict[str, str]) -> None:
    """Raises a ConllError that names the place of a name that is not known."""
    for name in names:
        if name not in known:
            raise ConllError(f"{place}: {what}, got {name!r}; expected one of {', '.join(known)}")


def _arguments(treebank: Treebank) -> tuple[IntArray, IntArray, IntArray]:
    """Indices of subject, main verb and object within their sentence."""
    deprels = treebank.strings("deprel").dictionary_encode()
    labels, codes = deprels.dictionary.to_pylist(), deprels.indices.to_numpy()
    code = {label: i for i, label in enumerate(labels)}
    subjects = _only(treebank, codes == code.get("nsubj", -1), "words labelled nsubj")
    objects = _only(treebank, codes == code.get("obj", -1), "words labelled obj")
    verbs = _only(treebank, treebank.heads == 0, "words with HEAD 0")
    _check_labelled(treebank)
    for words in (subjects, objects):
        if len(bad := np.flatnonzero(treebank.heads[treebank.offsets[:-1] + words] != verbs + 1)):
            word = int(treebank.offsets[bad[0]] + words[bad[0]])
            expected = f"{verbs[bad[0]] + 1}, the main verb"
            raise treebank.error(word, f"HEAD, got {treebank.heads[word]}", expected)
    return subjects, verbs, objects


def _check_labelled(treebank: Treebank) -> None:
    # a clause has a full tree, or labels on subject, object and main verb alone
    is_labelled = treebank.heads != UNLABELLED
    counts = np.add.reduceat(is_labelled.astype(np.int64), treebank.offsets[:-1])
    lengths = np.diff(treebank.offsets)
    if len(bad := np.flatnonzero((counts != N_ARGUMENTS) & (counts != lengths))):
        got = f"sentence, got labels on {counts[bad[0]]} of {lengths[bad[0]]} words"
        first = int(treebank.offsets[bad[0]])
        raise treebank.error(first, got, "3 (subject, verb, object) or all")


def _only(treebank: Treebank, is_one: Any, what: str) -> IntArray:
    counts = np.add.reduceat(is_one.astype(np.int64), treebank.offsets[:-1])
    if len(bad := np.flatnonzero(counts != 1)):
        got = f"sentence, got {counts[bad[0]]} {what}"
        raise treebank.error(int(treebank.offsets[bad[0]]), got, "exactly one")
    return np.flatnonzero(is_one) - treebank.offsets[:-1]


def read_files(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of both inputs, read from CoNLL files where paths are given."""
    readers: dict[str, Read] = {"predictions": read_output, "references": read_gold}
    return {
        name: read_given(f"{METRIC}: {name}", given, readers[name])
        for name, given in inputs.items()
    }


LISTS = {
    "properties": "tags",
    "lemmas": "lemma of each word",
    "upos": "part of speech of each word",
}
INPUTS = tree_inputs(
    METRIC,
    GROUPS,
    {
        **dict.fromkeys(("subject", "object"), place_of_word("")),
        "id": Values("name", "id of the clause", is_optional=True),
        **{name: replace(TREE["tokens"], help=what) for name, what in LISTS.items()},
    },
)


@dataclass(frozen=True, eq=False)
class Clauses:
    """n gold clauses; what references do not say has no groups.

    Words other than subject, object and main verb may be unlabelled in the trees. `subjects` and
    `objects` are 0-based, shape (n,); `lexeme` are the nouns and verbs of the three.
    """

    trees: Trees
    subjects: IntArray
    objects: IntArray
    ids: list[str] | None
    word_order: Grouping
    properties: Grouping
    item: Grouping
    triple: Grouping
    resolved_by: Grouping
    condition: Grouping
    lexeme: Grouping

    @property
    def n(self) -> int:
        """Number of clauses."""
        return len(self.subjects)


def read_clauses(where: str, columns: Mapping[str, Any]) -> Clauses:
    """Gold clauses from columns as `INPUTS` reads them.

    A ValueError where an index is outside its clause, a subject or object is unlabelled, a name is
    unknown, or an id occurs twice.
    """
    trees = read_trees(where, columns)
    subjects, objects = columns["subject"], columns["object"]
    _check_arguments(trees, subjects, objects)
    if (ids := columns.get("id")) is not None:
        check_ids(where, ids)
    about = (trees, subjects, objects, ids)
    return Clauses(
        *about,
        word_order=closed_grouping(where, columns, "word_order", WORD_ORDERS),
        properties=_property_grouping(where, columns),
        item=open_grouping(columns.get("item_id")),
        triple=open_grouping(columns.get("triple_id")),
        resolved_by=closed_grouping(where, columns, "resolved_by", RESOLVED_BY),
        condition=closed_grouping(where, columns, "condition", CONDITIONS),
        lexeme=_lexemes(trees, columns),
    )


def _lexemes(trees: Trees, columns: Mapping[str, Any]) -> Grouping:
    """Clauses by their nouns and main verb; pronouns and names are of no triple."""
    if columns.get("lemmas") is None or columns.get("upos") is None:
        return NO_GROUPING
    starts, subjects = trees.offsets[:-1], columns["subject"]
    places = [subjects, columns["object"], trees.heads[starts + subjects] - 1]
    words = pa.array((starts[:, None] + np.stack(places, axis=1)).reshape(-1))
    lemmas, upos = (
        flat_texts(trees.where, name, columns[name], trees.offsets).take(words)
        for name in ("lemmas", "upos")
    )
    is_drawn = pc.is_in(upos, pa.array(["NOUN", "VERB"]))
    units = np.repeat(np.arange(len(starts)), 3)[as_bools(is_drawn)]
    names = pc.binary_join_element_wise(upos.filter(is_drawn), lemmas.filter(is_drawn), " ")
    return encoded_grouping(units, names)


def _check_arguments(trees: Trees, subjects: IntArray, objects: IntArray) -> None:
    lengths = np.diff(trees.offsets)
    for role, words in (("subject", subjects), ("object", objects)):
        if len(bad := np.flatnonzero((words < 0) | (words >= lengths))):
            i, got = bad[0], f"{role}, got {words[bad[0]]}"
            expected = f"a word from 0 to {lengths[i] - 1}"
            raise ValueError(f"{trees.where}[{i}]: {got}; expected {expected}")
        if len(bad := np.flatnonzero(trees.heads[trees.offsets[:-1] + words] < 1)):
            got = f"heads, got no head for the {role}"
            raise ValueError(f"{trees.where}[{bad[0]}]: {got}; expected the main verb")
    if len(bad := np.flatnonzero(subjects == objects)):
        got = f"object, got {objects[bad[0]]}, the subject"
        raise ValueError(f"{trees.where}[{bad[0]}]: {got}; expected another word")


def _property_grouping(where: str, columns: Mapping[str, Any]) -> Grouping:
    if "properties" not in columns:
        return NO_GROUPING
    lists = to_lists(columns["properties"], pa.string())
    clauses = np.repeat(np.arange(len(lists)), lists.value_lengths().to_numpy())
    grouping = encoded_grouping(clauses, lists.flatten())
    check_closed(where, "properties", grouping, (NO_PROPERTY, *PROPERTIES), "some of")
    if NO_PROPERTY in grouping.names:
        grouping = keep(grouping, grouping.groups != grouping.names.index(NO_PROPERTY))
    return in_order(grouping, PROPERTIES)
