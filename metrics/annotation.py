"""Annotation schemes: which label means subject or object, and where it is attached.

SORTS has Universal Dependencies: `nsubj` and `obj` depend on the main verb, with or without an
auxiliary. TIGER (spaCy's German models) says `sb`, `oa` and `da`, attaches the subject to the
finite auxiliary and the infinitive to it as `oc`; Alpino (Frog, for Dutch) says `su`, `obj1` and
`obj2`, and hangs infinitive or participle on the auxiliary as `vc`. Scored as they stand they would
fail every clause with an auxiliary. The scheme table below makes them comparable:

    Die Katze wird die Maus sehen.    UD      nsubj(sehen, Katze) aux(sehen, wird)  obj(sehen, Maus)
                                      TIGER   sb(wird, Katze)     oc(wird, sehen)   oa(sehen, Maus)
    De kat zal de muis zien.          Alpino  su(zal, kat)        vc(zal, zien)     obj1(zien, muis)

Source: https://universaldependencies.org/de/ and /nl/; Brants et al. (2004), the TIGER annotation
scheme; van Noord et al. (2013), Large Scale Syntactic Annotation of Written Dutch: Lassy, for the
labels of Alpino, and UD_Dutch-Alpino, which is made of them, for what they are in UD.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from .columns import BoolArray, IntArray

SUBJECT, OBJECT = "nsubj", "obj"
# What the merged scores hold equal: a parser that calls a dative or a selected oblique by its own
# name has understood the clause.
MERGED_OBJECTS = ("obj", "iobj", "obl:arg")
# Closed classes, needed to know an auxiliary in a predicted tree.
WERDEN = frozenset(("werde", "wirst", "wird", "werden", "werdet"))
# The verbs that the Dutch UD treebanks call aux or aux:pass.
DUTCH_AUXILIARIES = frozenset(
    (
        *("heb", "hebt", "heeft", "hebben", "had", "hadden", "gehad"),
        *("ben", "bent", "is", "zijn", "was", "waren", "geweest"),
        *("word", "wordt", "worden", "werd", "werden", "geworden"),
        *("zal", "zult", "zul", "zullen", "zou", "zouden"),
        *("kan", "kunt", "kun", "kunnen", "kon", "konden"),
        *("moet", "moeten", "moest", "moesten", "mag", "mogen", "mocht", "mochten"),
        *("krijg", "krijgt", "krijgen", "kreeg", "kregen"),
    )
)


class AnnotationScheme(NamedTuple):
    """How a parser's labels are read.

    Attributes:
        relations: The parser's label of an argument, and the UD relation that it means.
        clause_complement: The label of an infinitive or participle under its auxiliary, to which
            arguments of the auxiliary move; empty for none.
        auxiliaries: The forms of verbs whose arguments move, in lower case.
        subject: The parser's label of a subject; its absence tells that another scheme was meant.
        phrases: The parser's label of a preposition that heads its phrase, and the UD relations of
            the noun that it may mean; empty where the noun is the head.
    """

    relations: Mapping[str, str]
    clause_complement: str
    auxiliaries: frozenset[str]
    subject: str
    phrases: Mapping[str, tuple[str, ...]]


ANNOTATION_SCHEMES = {
    "ud": AnnotationScheme({}, "", frozenset(), SUBJECT, {}),
    "tiger": AnnotationScheme(
        {"sb": SUBJECT, "oa": OBJECT, "da": "iobj"},
        "oc",
        WERDEN,
        "sb",
        {
            "mo": ("obl",),  # sieht mit dem Fernglas
            "op": ("obl:arg", "nmod"),  # wartet auf den Bericht; das Interesse an der Frau
            "mnr": ("nmod",),  # die Frau mit dem Fernglas
            "pg": ("nmod",),  # die Frau von dem Mann
            "cvc": ("obl", "obl:arg"),  # kommt zur Sprache
            "sbp": ("obl",),  # wird von dem Mann gesehen
        },
    ),
    "alpino": AnnotationScheme(
        {"su": SUBJECT, "obj1": OBJECT, "obj2": "iobj"},
        "vc",
        DUTCH_AUXILIARIES,
        "su",
        {
            "mod": ("obl", "nmod"),  # ziet met de kijker; de vrouw met de kijker
            "pc": ("obl:arg", "nmod"),  # wacht op het rapport; de vraag naar het rapport
            "ld": ("obl:arg", "obl"),  # woont in de stad
        },
    ),
}


def relation(label: str, scheme: AnnotationScheme, *, with_subtypes: bool) -> str:
    """UD relation that a parser's label means, by default without its subtype.

    Example:
        >>> relation("nsubj:pass", ANNOTATION_SCHEMES["ud"], with_subtypes=False)
        'nsubj'
        >>> relation("da", ANNOTATION_SCHEMES["tiger"], with_subtypes=False)
        'iobj'
    """
    label = scheme.relations.get(label, label)
    return label if with_subtypes else label.split(":")[0]


def merged_relation(label: str, scheme: AnnotationScheme, *, with_subtypes: bool) -> str:
    """Same relation with `obj`, `iobj` and `obl:arg` merged into `obj`.

    Example:
        >>> merged_relation("obl:arg", ANNOTATION_SCHEMES["ud"], with_subtypes=False)
        'obj'
        >>> merged_relation("obl", ANNOTATION_SCHEMES["ud"], with_subtypes=False)
        'obl'
    """
    plain = relation(label, scheme, with_subtypes=with_subtypes)
    return OBJECT if plain in MERGED_OBJECTS or label in MERGED_OBJECTS else plain


def scheme_of(labels: Iterable[str]) -> str:
    """Annotation scheme of a parser, told from its label of subjects; "ud" where it has none.

    Example:
        >>> scheme_of(["ROOT", "nk", "oa", "sb"]), scheme_of(["root", "nsubj:pass"])
        ('tiger', 'ud')
    """
    names = {label.split(":")[0] for label in labels}
    return next(
        (name for name, scheme in ANNOTATION_SCHEMES.items() if scheme.subject in names), "ud"
    )


def reattach(heads: IntArray, is_complement: BoolArray, is_auxiliary: BoolArray) -> IntArray:
    """Moves dependents of an auxiliary to its infinitive, the first one where there are several.

    Args:
        heads: Head of each word as a position in the same array, negative for none, shape (n,).
        is_complement: Whether a word is the infinitive or participle of its head, shape (n,).
        is_auxiliary: Whether a word is a form of an auxiliary, shape (n,).

    Returns:
        The new heads; those of the infinitives themselves stay.
    """
    infinitives = np.flatnonzero(is_complement & (heads >= 0))[::-1]
    infinitive_of = np.full(len(heads), -1)
    infinitive_of[heads[infinitives]] = infinitives
    target = np.where(heads >= 0, infinitive_of[heads], -1)
    moves = (target >= 0) & is_auxiliary[heads] & (target != np.arange(len(heads)))
    return np.where(moves, target, heads)
