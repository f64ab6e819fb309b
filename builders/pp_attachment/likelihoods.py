"""PP attachment for language models: what a phrase belongs to, told by what is likely with it.

No attachment makes a clause ill-formed, so that each row crosses two changes, and only how they go
together counts. Words, lengths and places stand on both sides and cancel:

    Mit dem Fernglas beobachtet den Wanderer der Jäger. Das Fernglas hat der | Jäger. / Wanderer.
    Den Wanderer mit dem Fernglas beobachtet der Jäger. Das Fernglas hat der | Jäger. / Wanderer.

    Ich glaube, | trotz / mit dem Garten liebt die Familie das Haus.
    Ich glaube, das Haus | trotz / mit dem Garten liebt die Familie.

`holder`, `holder_verb`: the order decides whose the phrase is, a second sentence asks. In both
orders the object stands before the subject and is the noun nearest to the phrase, so that readers
of last, of first and of nearest nouns get exactly half. In `holder` the object is nearer to the
question where the phrase is the subject's, which misleads who forgets; in `holder_verb` nothing but
the finite verb moves (Den Wanderer beobachtet mit dem Fernglas dort wohl der Jäger, Den Wanderer
mit dem Fernglas beobachtet dort wohl der Jäger), and every noun keeps its place. `exclusion`,
`selection`: the order decides, and the preposition or the verb goes with one order only.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, Literal

import pyarrow as pa

from builders.likelihoods import Measures, Stretch
from builders.pp_attachment.columns import LIKELIHOOD_SCHEMA
from builders.pp_attachment.draw import DrawnPair, frame_pairs
from builders.pp_attachment.frames import AttachmentFrame, Holder, frame_of, frames, holders
from builders.pp_attachment.items import STILL, Variant, build_clause
from builders.pp_attachment.phrases import noun_phrase
from builders.pp_attachment.realizer import VERB, realize
from builders.sorts.likelihoods import sentence
from builders.sorts.phrases import Phrase

N_ITEMS = 10  # of each frame
MEMBERS = ("verb_verb", "verb_noun", "noun_verb", "noun_noun")
FRONT, INSIDE = "front", "inside"
BELIEF = "Ich glaube, "  # a verb-second clause follows, so that no first word is capitalised
KINDS = {"topology": "front", "exclusion": "next", "contrast_verb": "next"}  # one pair of an item


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
    yield "holder", held, lambda one: _held(one, "object_subject", INSIDE)
    yield "holder_verb", held, lambda one: _held(one, "object_alone", "object_phrase")
    yield "exclusion", _of_group("exclusion"), lambda one: _fitting(one, "preposition")
    yield "selection", _of_group("contrast_verb"), lambda one: _fitting(one, "verb")


def _of_group(group: str) -> list[AttachmentFrame]:
    return [frame for frame in frames() if frame.group == group]


def _items(frame: AttachmentFrame, seed: int) -> list[DrawnPair]:
    """The first items of a frame in a draw, as plain clauses in the present."""
    drawn = (one for one in frame_pairs(frame, seed) if one.pair.kind == KINDS[frame.group])
    return [
        one._replace(setting=one.setting._replace(form="plain", tense=STILL, is_pronoun=False))
        for one in islice(drawn, N_ITEMS)
    ]


def _held(one: DrawnPair, verb_order: str, noun_order: str) -> list[str]:
    holder = holders()[one.frame.frame]
    known = _known(one, holder)
    return [
        f"{_clause(one, order)} {known[0].upper()}{known[1:]} {holder.verb} {_subject(cell)}."
        for order in (verb_order, noun_order)
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


def _fitting(one: DrawnPair, changed: Literal["preposition", "verb"]) -> list[str]:
    """Both orders with the word that wants the phrase on the verb, and the one of the noun."""
    own = {"verb": one.words.other} if changed == "verb" else {"preposition": one.words.other}
    return [
        f"{BELIEF}{text[0].lower()}{text[1:]}"
        for order in (FRONT, INSIDE)
        for change in (own, {})
        for text in [_clause(one, order, change)]
    ]


def _clause(one: DrawnPair, order: str, change: Mapping[str, str] | None = None) -> str:
    variant = Variant(order, VERB, "obl", "topology", **(change or {}))  # type: ignore[arg-type]  # names of fields
    return sentence(realize(build_clause(one.frame, one.words, one.setting, variant), order).tokens)


def measures(row: Mapping[str, Any]) -> Measures:
    """What the two texts of each order have behind their common words, crossed."""
    texts = [row[name] for name in MEMBERS]
    return {"crossed": [*_contrast(*texts[:2]), *_contrast(*texts[2:])]}


def _contrast(first: str, second: str) -> Iterator[Stretch]:
    words = zip(first.split(" "), second.split(" "), strict=False)
    common = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], words)]
    start = len(" ".join(common))
    for text in (first, second):
        yield Stretch(text, start, len(text))


def crossed_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows in which more than the order differs between the texts that share a word, or less."""
    for identifier, *texts in zip(*(columns[name] for name in ("id", *MEMBERS)), strict=True):
        first, second, third, fourth = (_bag(text) for text in texts)
        if len(set(texts)) < len(MEMBERS) or (first, second) != (third, fourth):
            yield f"{identifier}: members, got {texts}; expected the same words in both orders"


def _bag(text: str) -> list[str]:
    return sorted(text.lower().replace(".", "").split(" "))
