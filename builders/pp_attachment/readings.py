"""What a prepositional phrase can belong to: a proof from the row alone, by order and tables.

First the order of words leaves some candidates:

    # Mit dem Fernglas sieht ...           the verb: one constituent stands before the finite verb
    # Die Frau mit dem Fernglas sieht ...  the noun: what stands there is one constituent
    # ... sieht mit dem Fernglas die Frau  the verb: an attribute follows its noun
    # ... sieht die Frau vermutlich mit    the verb: an adverb on the sentence closes the phrase
    # ... sieht die Frau mit dem Fernglas  both
    # ... die Frau diesen Tag mit ...       the verb: nor does a time take it
    # ... hat die Frau gesehen mit ...     the verb and every noun

A noun that asks for the preposition stays a candidate where its phrase has left it. Among those
left decides what asks for the preposition, then what cannot take the phrase.
"""

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from builders.pp_attachment.frames import exclusions, frame_of, frames, prepositions
from builders.sorts.lexicon import split_phrase

NOUNS = ("NOUN", "PROPN")
CASES = {"Acc": "accusative", "Dat": "dative", "Gen": "genitive"}
BEFORE, MIDDLE, AFTER = "VF", "MF", "NF"


class AttachmentReading(NamedTuple):
    """What settles a row, and the places that are left: one, but for plausibility and none."""

    resolved_by: str
    heads: tuple[int, ...]


class ReadPhrase(NamedTuple):
    """A row's phrase, as the tables know it: preposition and case, its noun, its role."""

    preposition: str
    case: str
    role: str | None


def read_row(row: Mapping[str, Any]) -> AttachmentReading:
    """Settles a row of config `conll` from words, tags, fields and heads but the phrase's."""
    phrase = _phrase(row)
    left = _structural_heads(row, phrase)
    if len(left) == 1:
        return AttachmentReading("topology", left)
    lemmas, verb = row["lemmas"], row["verb"]
    # objects with which the verb asks for the preposition, empty where with all
    objects = _asking_verbs().get((lemmas[verb], phrase.preposition, phrase.case))
    present = {lemmas[i] for i in row["candidates"]}
    if verb in left and objects is not None and (not objects or objects & present):
        return AttachmentReading("selection_verb", (verb,))
    nouns = tuple(i for i in left if i != verb and noun_asks(lemmas[i], phrase))
    if len(nouns) == 1:
        return AttachmentReading("selection_noun", nouns)
    possible = tuple(i for i in left if not is_excluded(row, i, phrase.role))
    if len(possible) == 1:
        return AttachmentReading("exclusion", possible)
    is_plausible = frame_of(row["family"]).group == "plausibility"
    return AttachmentReading("plausibility" if is_plausible else "none", possible)


def _structural_heads(row: Mapping[str, Any], phrase: ReadPhrase) -> tuple[int, ...]:
    """Candidates that the order of words leaves, ascending; a phrase may leave a noun that asks."""
    start, field = row["adposition"], row["fields"][row["adposition"]]
    nouns = [i for i in row["candidates"] if i != row["verb"]]
    if field == AFTER:
        return tuple(sorted([row["verb"], *nouns]))
    if field == BEFORE and BEFORE in row["fields"][:start]:
        return tuple(i for i in nouns if i in _phrase_before(row))
    behind = [i for i in nouns if i > row["pp"] and row["fields"][i] == MIDDLE]
    asking = [i for i in behind if noun_asks(row["lemmas"][i], phrase)]
    return tuple(sorted([row["verb"], *_phrase_before(row), *asking]))


def noun_asks(noun: str, phrase: ReadPhrase) -> bool:
    """Whether a noun asks for the preposition with the case."""
    return (noun, phrase.preposition, phrase.case) in _asking_nouns()


def is_excluded(row: Mapping[str, Any], place: int, role: str | None) -> bool:
    """Whether the tables say that a candidate cannot take a phrase of this role."""
    lemma, is_verb = row["lemmas"][place], place == row["verb"]
    if not is_verb and lemma in _events():
        return False
    relation = "adverbial" if is_verb else "attribute"
    return any(
        (one.relation, one.role) == (relation, role) and one.host in ("*", lemma)
        for one in exclusions()
    )


def _phrase_before(row: Mapping[str, Any]) -> list[int]:
    """Nouns of the noun phrase that ends where the prepositional phrase begins."""
    place, start = row["adposition"] - 1, row["adposition"]
    if place >= 0 and row["upos"][place] == "ADV" and row["upos"][row["heads"][place] - 1] in NOUNS:
        place -= 1  # die Frau dort mit dem Fernglas
    if place < 0 or row["upos"][place] not in NOUNS or row["fields"][place] != row["fields"][start]:
        return []
    if row["deprels"][place] == "obl":  # diesen Montag mit dem Fernglas: a time is no host
        return []
    found = [place]
    while row["deprels"][found[-1]] == "nmod":  # die Schwester des Jägers mit dem Fernglas
        found.append(row["heads"][found[-1]] - 1)
    return found


def _phrase(row: Mapping[str, Any]) -> ReadPhrase:
    preposition = row["lemmas"][row["adposition"]]
    feats = dict(feat.split("=") for feat in row["feats"][row["pp"]].split("|"))
    role: str | None = prepositions()[preposition].role
    if not role and frame_of(row["family"]).group == "contrast_verb":
        role = "modifier"
    return ReadPhrase(preposition, CASES[feats["Case"]], role)


@functools.cache
def _events() -> frozenset[str]:
    """Nouns of what happens, which has causes and times: objects of topology frames with these."""
    return frozenset(
        split_phrase(cell)[1]
        for frame in frames()
        if frame.group == "topology" and prepositions()[frame.preposition].role
        for cell in frame.objects
    )


@functools.cache
def _asking_nouns() -> frozenset[tuple[str, str, str]]:
    """Nouns with preposition and case that they ask for."""
    found = set()
    for frame in frames():
        nouns = frame.objects if frame.group in ("noun", "contrast_preposition") else ()
        if "noun_selects" in frame.traits:
            nouns = frame.contrast if frame.group == "contrast_noun" else frame.objects
        found |= {(split_phrase(cell)[1], frame.preposition, frame.case) for cell in nouns}
    return frozenset(found)


@functools.cache
def _asking_verbs() -> dict[tuple[str, str, str], frozenset[str]]:
    """Objects with which a verb asks for a preposition and case; empty where with all."""
    found: dict[tuple[str, str, str], frozenset[str]] = {}
    for frame in frames():
        key = frame.preposition, frame.case
        asking = {"verb": frame.verbs, "contrast_verb": frame.contrast}.get(frame.group, ())
        found |= {(verb, *key): frozenset() for verb in asking}
        for other in frame.contrast if frame.group == "contrast_preposition" else ():
            case = prepositions()[other].cases[0]
            found |= {(verb, other, case): frozenset() for verb in frame.verbs}
        if frame.group == "contrast_noun":
            objects = {split_phrase(cell)[1] for cell in frame.objects}
            for verb in frame.verbs:
                found[(verb, *key)] = found.get((verb, *key), frozenset()) | objects
    return found
