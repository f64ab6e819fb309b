"""PP attachment for language models: what a phrase belongs to, told by what is likely with it.

No attachment makes a clause ill-formed, so that each row crosses two changes, and only how they go
together counts. Words, lengths and places stand on both sides and cancel:

    Den Spion hat er letzten Montag mit dem Fernglas auf dem zweiten Gipfel gesucht, sagt der Jäger.
        Der Jäger / Spion hatte das Fernglas, nicht der Spion / Jäger.
    Den Spion auf dem zweiten Gipfel mit dem Fernglas hat er letzten Montag gesucht, sagt der Jäger.
        Der Jäger / Spion hatte das Fernglas, nicht der Spion / Jäger.

    Ich glaube, gegen den Minister | richtet / versteht die Anwältin den Protest.
    Ich glaube, den Protest gegen den Minister | richtet / versteht die Anwältin.

`holder`: the order decides whose the phrase is, and a second sentence tells it. What precedes the
finite verb is one constituent, so that a phrase there belongs to the noun. "hat er letzten Montag"
and "auf dem zweiten Gipfel" change places. Their words are as many, and but for "er" as long. Every
other word keeps its place. Each frame crosses whom the clause names first (Der Jäger sagt, den
Spion ...) with whom the second sentence does and how that tells (nicht der Spion, sondern der
Jäger), so that no two cues tell anything.
`selection`: the order decides, and the verb goes with one order only. The other verb stands before
it in the alphabet in half of a frame's items, behind it in the other half, always near it, and is
in no other frame. (Prepositions would do, too, but the word before them gives that away: glaube,
trotz against Haus trotz.)
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import pyarrow as pa

from builders.pp_attachment.columns import LIKELIHOOD_SCHEMA
from builders.pp_attachment.draw import DrawnPair, frame_pairs
from builders.pp_attachment.frames import (
    AttachmentFrame,
    frame_of,
    frames,
    holders,
    other_verbs,
    tellings,
    verb_forms,
)
from builders.pp_attachment.items import STILL, Variant, build_clause
from builders.pp_attachment.realizer import (
    VERB,
    Part,
    noun_phrase,
    prepositional_part,
    pronoun_phrase,
)
from builders.sorts.likelihoods import sentence
from builders.sorts.realizer import capitalized

N_ITEMS = 20  # of each frame; of `holder` four with each telling
MEMBERS = ("verb_verb", "verb_noun", "noun_verb", "noun_noun")
FRONT, INSIDE = "front", "inside"
BELIEF = "Ich glaube, "  # a verb-second clause follows, so that no first word is capitalised
ORDERS = (  # of `holder`: the phrase is of the verb, or of the noun
    "{object} hat {pronoun} {time} {phrase} {place} {participle}",
    "{object} {place} {phrase} hat {pronoun} {time} {participle}",
)
SAID = ("%s, {says} {subject}", "{subject} {says}, %s")


def likelihood_table(seed: int = 0) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA`: `N_ITEMS` items of each frame, drawn by the seed."""
    held = [frame_of(f"topology/{holder.frame}") for holder in holders().values()]
    chosen = [frame for frame in frames() if frame.group == "contrast_verb"]
    rows = [
        {
            "id": f"{one.frame.family}/{one.place:03d}/{construction}",
            "construction": construction,
            "cluster": one.frame.family,
            "preposition": one.frame.preposition,
            **dict(zip(MEMBERS, cross(one), strict=True)),
        }
        for construction, own, kind, cross in (
            ("holder", held, "front", _held),
            ("selection", chosen, "next", _fitting),
        )
        for frame in own
        for one in _items(frame, kind, seed)
    ]
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


def _items(frame: AttachmentFrame, kind: str, seed: int) -> Iterator[DrawnPair]:
    """The first items of a frame in a draw, as plain clauses in the present."""
    verbs = holders()[frame.frame].verbs if frame.group == "topology" else frame.verbs
    pairs = (one for one in frame_pairs(frame, seed) if one.pair.kind == kind)
    drawn = islice((one for one in pairs if one.words.verb in verbs), N_ITEMS)
    for place, one in enumerate(drawn):
        plain = one.setting._replace(form="plain", tense=STILL, is_pronoun=False, has_denn=False)
        yield one._replace(place=place, setting=plain)


def _fitting(one: DrawnPair) -> list[str]:
    """Both orders with the verb that wants the phrase for itself, and with the other one."""
    texts = []
    for order in (FRONT, INSIDE):
        for verb in (one.words.other, other_verbs()[one.frame.frame][one.place % 2]):
            variant = Variant(order, VERB, "obl", "topology", verb=verb)
            text = sentence(build_clause(one.frame, one.words, one.setting, variant).tokens)
            texts.append(f"{BELIEF}{text[0].lower()}{text[1:]}")
    return texts


def _held(one: DrawnPair) -> list[str]:
    """The four texts of an item; a frame's items cross who is named first in both sentences."""
    turn, number = divmod(one.place, len(tellings()))
    cells = _cells(one, number)
    people, told = (cells["subject"], cells["other"]), cells["last" if turn % 2 else "first"]
    said = [(SAID[turn // 2 % 2] % order).format(**cells) for order in ORDERS]
    return [
        f"{capitalized(clause)}. {capitalized(told.format(**cells, holder=holder, lacks=lacks))}."
        for clause in said
        for holder, lacks in (people, people[::-1])
    ]


def _cells(one: DrawnPair, number: int) -> dict[str, str]:
    """What stands in the gaps of clauses and tellings."""
    words, frame, holder = one.words, one.frame, holders()[one.frame.frame]
    filler = noun_phrase(words.filler, "definite", frame.case)
    return {
        "subject": _text(noun_phrase(words.subject, "definite", "nominative").words),
        "pronoun": _text(pronoun_phrase(words.subject, "nominative").words),
        "other": _text(noun_phrase(words.object, "definite", "nominative").words),
        "object": _text(noun_phrase(words.object, "definite", "accusative").words),
        "known": _text(noun_phrase(words.filler, "definite", "accusative").words),
        "phrase": _text(prepositional_part(frame.preposition, filler, "obl")),
        "participle": verb_forms()[words.verb].participle,
        "place": holder.places[number % len(holder.places)],
        **vars(holder),
        **vars(tellings()[number]),
    }


def _text(words: Part) -> str:
    return " ".join(word.form for word in words)


def likelihood_problems(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Checks rows of config `pairs`: one line per problem, none for valid rows."""
    return list(crossed_problems(columns)) or list(balance_problems(columns))


def crossed_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows in which more than the order differs between the texts that share a word, or less."""
    for identifier, *texts in zip(*(columns[name] for name in ("id", *MEMBERS)), strict=True):
        first, second, third, fourth = (
            sorted(text.lower().replace(".", "").split(" ")) for text in texts
        )
        if len(set(texts)) < len(MEMBERS) or (first, second) != (third, fourth):
            yield f"{identifier}: members, got {texts}; expected the same words in both orders"


def balance_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Cues of `holder` that are right in a frame more often than wrong, or less.

    Four decide together: the place of the finite verb, whom the clause names first, whether the
    second sentence keeps that order, and how it says who had what. No three of them may tell.
    """
    gained: Counter[tuple[str, str]] = Counter()
    names = ("construction", "cluster", *MEMBERS)
    for construction, cluster, *texts in zip(*(columns[n] for n in names), strict=True):
        if construction == "holder":
            for at, sign in enumerate((1, -1, -1, 1)):
                for cues in combinations(_cues(texts[at], texts[at ^ 1]), 3):
                    gained[cluster, "; ".join(cues)] += sign
    for (cluster, cue), n in sorted(gained.items()):
        if n:
            yield f"{cluster}: {cue}, got {n} more right than wrong; expected as many"


def _cues(text: str, other: str) -> tuple[str, ...]:
    """What a reader of places sees in a text; in the other text the two who are named change."""
    (clause, told), (_, turned) = (one.removesuffix(".").split(". ") for one in (text, other))
    words = zip(told.split(" "), turned.split(" "), strict=True)
    changed = [one.rstrip(",") for one, its in words if one != its]
    first, last = (noun for noun in changed if noun.lower() not in ("der", "die"))
    start, end = (next(re.finditer(rf"{noun}e?n?\b", clause)).start() for noun in (first, last))
    form = told.replace(first, "A").replace(last, "B")
    return (
        "hat third" if re.search(r"(^|, )\w+ \w+ hat ", clause) else "hat later",
        "comma early" if 2 * clause.index(",") < len(clause) else "comma late",
        "told in the same order" if start < end else "told the other way round",
        " ".join(re.findall(r"\b[AB]\b|,|nicht|sondern|schon", form)),
    )
