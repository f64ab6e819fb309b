"""A draw of the suite: items of every frame, their pairs, one row per member of a pair.

Each group has its share of the rows, divided evenly among its frames; a frame takes as many items
as its share needs, each another choice of its words, and goes through all settings in turn.

Source: the numbers are this suite's own; Fischer et al. (2020) announce no design.
"""

import functools
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice, product, zip_longest
from typing import Any, NamedTuple

from builders.pp_attachment.frames import AttachmentFrame, companions, frames, orders, verb_forms
from builders.pp_attachment.items import (
    PAIRS,
    PHRASE_FORMS,
    FramePair,
    FrameSetting,
    Variant,
    Words,
    build_clause,
    can_be_pronoun,
    has_pronoun,
    is_marked,
    relatives_for,
)
from builders.pp_attachment.readings import NOUNS
from builders.pp_attachment.realizer import TENSES, noun_of
from builders.views import hashed_share

DEFAULT_SIZE, LITE_SIZE = 8_000, 1_000
SHARES = {  # of all rows
    "topology": 0.41,
    "verb": 0.17,
    "noun": 0.15,
    "contrast_preposition": 0.08,
    "adjunct": 0.04,
    "contrast_verb": 0.08,
    "contrast_noun": 0.03,
    "plausibility": 0.04,
}
TURNED = {  # what the two members of a pair do not share
    "contrast_verb": ("verb",),
    "contrast_noun": ("object",),
    "plausibility": ("filler",),
}


class DrawnPair(NamedTuple):
    """A pair of the suite: its frame, the place of its item there, its words and setting."""

    frame: AttachmentFrame
    place: int
    words: Words
    setting: FrameSetting
    pair: FramePair

    @property
    def item_id(self) -> str:
        """Family and place, such as `topology/mit_fernglas/003`."""
        return f"{self.frame.family}/{self.place:03d}"

    @property
    def pair_id(self) -> str:
        """Item and kind of pair, such as `topology/mit_fernglas/003/front`."""
        return f"{self.item_id}/{self.pair.kind}"

    @property
    def members(self) -> tuple[Variant, Variant]:
        """Both, in an order by which nobody tells whose phrase is the verb's."""
        first, second = self.pair.first, self.pair.second
        is_turned = hashed_share(self.pair_id, "members") < 0.5
        return (second, first) if is_turned else (first, second)


def draw(seed: int = 0, size: int | None = None, *, lite: bool = False) -> dict[str, list[Any]]:
    """Columns of config `conll` of a draw, seeds from 0; the members of a pair stand together.

    The size is a number of sentences, None 8,000; `lite` is a subset of 1,000 of them, as many as
    possible of each frame. A ValueError for an odd size, or more than the tables can fill.
    """
    pairs = draw_pairs(seed, DEFAULT_SIZE if size is None else size)
    return pair_columns(lite_pairs(pairs) if lite else pairs)


def pair_columns(pairs: Iterable[DrawnPair]) -> dict[str, list[Any]]:
    """The columns of config `conll` of some pairs, of at least one; the members stand together."""
    rows = [
        _columns(one, number, variant)
        for one in pairs
        for number, variant in enumerate(one.members)
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


@functools.lru_cache(maxsize=2)
def draw_pairs(seed: int, size: int) -> list[DrawnPair]:
    """Draws the pairs; arguments and errors as in `draw`."""
    if size % 2:
        raise ValueError(f"pp_attachment: size, got {size}; expected an even number, for pairs")
    drawn: list[DrawnPair] = []
    quotas = {group: round(share * (size // 2)) for group, share in SHARES.items()}
    quotas["topology"] += size // 2 - sum(quotas.values())  # what rounding leaves
    for group, n_pairs in quotas.items():
        members = [frame for frame in frames() if frame.group == group]
        order = random.Random(f"pp_attachment {seed} {group}").sample(members, len(members))
        counts = {
            frame.frame: n_pairs // len(members) + (i < n_pairs % len(members))
            for i, frame in enumerate(order)
        }
        for frame in members:
            found = list(islice(frame_pairs(frame, seed), counts[frame.frame]))
            if len(found) < counts[frame.frame]:
                expected = f"at most {capacity()}, what the tables fill"
                raise ValueError(f"pp_attachment: size, got {size}; expected {expected}")
            drawn += found
    return drawn


def capacity() -> int:
    """Number of sentences that the tables can fill: the scarcest frame decides."""
    n_frames = Counter(frame.group for frame in frames())
    return min(
        2 * math.floor(n_pairs * n_frames[frame.group] / SHARES[frame.group])
        for frame in frames()
        for n_pairs in [(3 if frame.group == "contrast_noun" else 2) * len(_choices(frame))]
    )


def lite_pairs(pairs: list[DrawnPair]) -> list[DrawnPair]:
    """Pairs of the lite subset, in the order of the suite: one of each frame in turn."""
    places: dict[str, list[int]] = {}
    for i, one in enumerate(pairs):
        places.setdefault(one.frame.family, []).append(i)
    queues = [
        random.Random(f"lite {family}").sample(members, len(members))
        for family, members in sorted(places.items())
    ]
    in_turn = chain.from_iterable(zip_longest(*queues))
    chosen = [place for place in in_turn if place is not None]
    return [pairs[i] for i in sorted(chosen[: LITE_SIZE // 2])]


@functools.cache
def _choices(frame: AttachmentFrame) -> tuple[Words, ...]:
    """Every choice of a frame's words that makes a sentence.

    What a pair contrasts goes through its alternatives in turn, so that no member comes twice.
    """
    others = frame.contrast or ("",)
    if frame.group == "adjunct":
        others = (frame.preposition, *frame.contrast)
    cells = {"verb": frame.verbs, "subject": frame.subjects}
    cells |= {"object": frame.objects or ("",), "filler": frame.fillers}
    turned = TURNED.get(frame.group, ())
    free = [name for name in cells if name not in turned]
    found = []
    for i, words in enumerate(product(*(cells[name] for name in free))):
        chosen = dict(zip(free, words, strict=True))
        chosen |= {name: cells[name][i % len(cells[name])] for name in turned}
        found.append(Words(**chosen, other=others[i % len(others)]))
    sentences = []
    for words in found:
        nouns = [cell for cell in (words.subject, words.object, words.filler) if cell]
        is_clear = frame.group != "topology" or is_marked(words.subject, words.object)
        if is_clear and len(set(nouns)) == len(nouns):
            sentences.append(words)
    return tuple(sentences)


def frame_pairs(frame: AttachmentFrame, seed: int) -> Iterator[DrawnPair]:
    """Every pair of a frame, in the order of a draw, which takes the first of them."""
    rng = random.Random(f"pp_attachment {seed} {frame.family}")
    choices = rng.sample(_choices(frame), len(_choices(frame)))
    settings = list(product(PHRASE_FORMS, TENSES, frame.articles))
    rng.shuffle(settings)
    turn = rng.randrange(len(settings))
    for place, words in enumerate(choices):
        setting = _setting(frame, words, settings[place % len(settings)], place, rng)
        pairs = list(PAIRS[frame.group](frame, words, setting))
        turned = (turn + place) % len(pairs)  # so that a small draw has pairs of all kinds
        for pair in pairs[turned:] + pairs[:turned]:
            yield DrawnPair(frame, place, words, setting, pair)


def _setting(
    frame: AttachmentFrame, words: Words, factors: tuple[str, ...], place: int, rng: random.Random
) -> FrameSetting:
    form, tense, article = factors
    takes_pronoun = frame.group in ("verb", "noun") or "pronoun" in frame.traits
    if form == "pronoun" and not (words.object and can_be_pronoun(words.subject)):
        form = "plain"
    first, second, comment = rng.randrange(1000), rng.randrange(1, 4), rng.randrange(1000)
    return FrameSetting(
        form,
        tense,
        article,
        rng.choice(relatives_for(words)),
        rng.choice(companions("time")),
        (first, first + second, comment),
        takes_pronoun and place % 2 == 1 and can_be_pronoun(words.filler),
        place % 2 == 0,
        rng.random() < 0.5,
    )


def _columns(one: DrawnPair, number: int, variant: Variant) -> dict[str, Any]:
    row = build_clause(one.frame, one.words, one.setting, variant)
    article = variant.article or one.setting.article
    is_pronoun = has_pronoun(one.setting, variant)
    host = variant.object or one.words.object or one.words.subject
    words = range(len(row.tokens))
    candidates = [i for i in words if i == row.verb or (row.upos[i] in NOUNS and i != row.pp)]
    return {
        "id": f"{one.pair_id}/{number}",
        "item_id": one.item_id,
        "pair_id": one.pair_id,
        "pair_factor": one.pair.factor,
        "pair_kind": one.pair.kind,
        "family": one.frame.family,
        "group": one.frame.group,
        "position": orders()[variant.order].position,
        "preposition": variant.preposition or one.frame.preposition,
        "definiteness": "definite" if is_pronoun else article,
        "is_pronoun": is_pronoun,
        "dependent": variant.dependent,
        "resolved_by": variant.resolved_by,
        "verb_zipf": verb_forms()[variant.verb or one.words.verb].zipf,
        "noun_zipf": noun_of(host).zipf,
        "pp_zipf": None if is_pronoun else noun_of(variant.filler or one.words.filler).zipf,
        **row._asdict(),
        "candidates": candidates,
        "n_candidates": len(candidates),
        "distance": abs(row.head - row.adposition) - 1,
        "n_tokens": len(row.tokens),
    }
