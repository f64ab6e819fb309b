"""PP attachment for language models: what a phrase belongs to, told by what is likely with it.

No attachment makes a clause ill-formed, so that each row crosses two changes, and only how they go
together counts. Words, lengths and places stand on both sides and cancel:

    Den Wanderer beobachtet mit dem Fernglas dort wohl der Jäger.
        Das Fernglas hat der | Jäger. / Wanderer.
    Den Wanderer dort mit dem Fernglas beobachtet wohl der Jäger.
        Das Fernglas hat der | Jäger. / Wanderer.

    Ich glaube, gegen den Minister | richtet / versteht die Anwältin den Protest.
    Ich glaube, den Protest gegen den Minister | richtet / versteht die Anwältin.

`holder`: the order decides whose the phrase is, a second sentence asks. The finite verb and dort
change places, and every other word keeps its own, so that no distance and no place tells.
`selection`: the order decides, and the verb goes with one order only. (Prepositions would, too, but
the word before them gives that away: glaube, trotz against Haus trotz.)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from builders.pp_attachment.columns import LIKELIHOOD_SCHEMA
from builders.pp_attachment.draw import DrawnPair, frame_pairs
from builders.pp_attachment.frames import AttachmentFrame, Holder, frame_of, frames, holders
from builders.pp_attachment.items import STILL, Variant, build_clause
from builders.pp_attachment.phrases import noun_phrase
from builders.pp_attachment.realizer import VERB, realize
from builders.sorts.likelihoods import sentence
from builders.sorts.phrases import Phrase

N_ITEMS = 20  # of each frame
MEMBERS = ("verb_verb", "verb_noun", "noun_verb", "noun_noun")
FRONT, INSIDE = "front", "inside"
BELIEF = "Ich glaube, "  # a verb-second clause follows, so that no first word is capitalised
KINDS = {"topology": "front", "contrast_verb": "next"}  # one pair of an item


def likelihood_table(seed: int = 0) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA`: `N_ITEMS` items of each frame, drawn by the seed."""
    rows = [
        {
            "id": f"{one.frame.family}/{one.place:03d}/{construction}",
            "construction": construction,
            "cluster": one.frame.family,
            "preposition": one.frame.preposition,
            **dict(zip(MEMBERS, texts, strict=True)),
        }
        for construction, own, cross in _crossings()
        for frame in own
        for one in _items(frame, seed)
        for texts in [cross(one)]
    ]
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


Cross = Callable[[DrawnPair], list[str]]


def _crossings() -> Iterator[tuple[str, list[AttachmentFrame], Cross]]:
    """Each construction with its frames, and what makes the four texts of an item."""
    held = [frame_of(f"topology/{holder.frame}") for holder in holders().values()]
    yield "holder", held, _held
    chosen = [frame for frame in frames() if frame.group == "contrast_verb"]
    yield "selection", chosen, _fitting


def _items(frame: AttachmentFrame, seed: int) -> list[DrawnPair]:
    """The first items of a frame in a draw, as plain clauses in the present."""
    drawn = (one for one in frame_pairs(frame, seed) if one.pair.kind == KINDS[frame.group])
    return [
        one._replace(
            setting=one.setting._replace(
                form="plain", tense=STILL, is_pronoun=False, has_denn=False
            )
        )
        for one in islice(drawn, N_ITEMS)
    ]


def _held(one: DrawnPair) -> list[str]:
    holder = holders()[one.frame.frame]
    known = _known(one, holder)
    return [
        f"{_clause(one, order)} {known[0].upper()}{known[1:]} {holder.verb} {_subject(cell)}."
        for order in ("object_alone", "adverb_inside")
        for cell in (one.words.subject, one.words.object)
    ]


def _known(one: DrawnPair, holder: Holder) -> str:
    """The phrase's noun as an object, or the phrase: it is known now, so that it is definite."""
    if holder.known == "object":
        return _text(noun_phrase(one.words.filler, "definite", "accusative"))
    phrase = noun_phrase(one.words.filler, "definite", one.frame.case)
    return f"{one.frame.preposition} {_text(phrase)}"


def _subject(cell: str) -> str:
    return _text(noun_phrase(cell, "definite", "nominative"))


def _text(phrase: Phrase) -> str:
    return " ".join(word.form for word in phrase.words)


def _fitting(one: DrawnPair) -> list[str]:
    """Both orders with the verb that wants the phrase for itself, and with the other one."""
    return [
        f"{BELIEF}{text[0].lower()}{text[1:]}"
        for order in (FRONT, INSIDE)
        for verb in (one.words.other, None)
        for text in [_clause(one, order, verb)]
    ]


def _clause(one: DrawnPair, order: str, verb: str | None = None) -> str:
    variant = Variant(order, VERB, "obl", "topology", verb=verb)
    return sentence(realize(build_clause(one.frame, one.words, one.setting, variant), order).tokens)


def crossed_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows in which more than the order differs between the texts that share a word, or less."""
    for identifier, *texts in zip(*(columns[name] for name in ("id", *MEMBERS)), strict=True):
        first, second, third, fourth = (_bag(text) for text in texts)
        if len(set(texts)) < len(MEMBERS) or (first, second) != (third, fourth):
            yield f"{identifier}: members, got {texts}; expected the same words in both orders"


def _bag(text: str) -> list[str]:
    return sorted(text.lower().replace(".", "").split(" "))
