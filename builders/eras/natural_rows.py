"""Overlapping ambiguous strings that occur in gold-segmented texts: `natural` and `natural_lite`.

    ... 引 | 出走 | 的 ...      A|BC: the string 引出走 holds two words, of which the gold has one
    ... 引出 | 走 | 了 ...      AB|C: the same string cut the other way

A place is three characters of two neighbouring gold words, one of which has two characters and is
the true word; the other two characters, across the cut, are the canary word, of the text and of
jieba's dictionary. Where both words have two characters, AB|CD holds two such strings.

Source: overlapping ambiguous strings as in Huang & Li (2024) and Liao et al. (2024).
"""

import hashlib
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from builders.eras.columns import NATURAL_SCHEMA
from builders.eras.dictionary import dictionary_words, read_word_tags, zipf_frequency
from builders.eras.gold_text import GoldText, GoldWord, read_gold_text

LEAST_PER_MILLION = 4.0  # of both words: five times in the 1.12 million of the People's Daily
MOST_PLACES = 20  # of a string in a text
WORD_LENGTH = 2
HAN = re.compile(r"[\u4e00-\u9fff]+")
PARTICLES = frozenset("的了着过得地们著過們")
NUMERALS = frozenset("〇零一二三四五六七八九十百千万萬亿億两兩几幾第")
NUMBER_TAGS, NAME_TAGS = ("m", "q", "t"), ("nr", "ns", "nt", "nz")
CLASSES: Mapping[str, str] = {
    **dict.fromkeys("nsgi", "noun"),
    **dict.fromkeys("vl", "verb"),
    **dict.fromkeys("abz", "adjective"),
    **dict.fromkeys("d", "adverb"),
    **dict.fromkeys("mqt", "number or time"),
    **dict.fromkeys("rpcuyeof", "function word"),
}
"""Word classes by the first letter of jieba's tag; idioms and abbreviations as what they mostly
are."""
Branching = Literal["left", "right"]


class Place(NamedTuple):
    """An ambiguous string of three characters where it stands."""

    sentence: int
    start: int
    branching: Branching  # `left` where its first two characters are the true word
    true: GoldWord
    neighbour: GoldWord  # the gold word that has the third
    string: str

    @property
    def canary(self) -> str:
        """The other word."""
        return self.string[1:] if self.branching == "left" else self.string[:WORD_LENGTH]


@dataclass(frozen=True)
class Vocabulary:
    """What a text says of its words."""

    counts: Mapping[str, int]
    splits: Mapping[str, int]  # of neighbouring characters that are words
    least: float  # how often a word must occur
    script: str

    def simplified(self, word: str) -> str:
        """The word in the dictionary's script."""
        if self.script == "simplified":
            return word
        import chinese_converter

        return str(chinese_converter.to_simplified(word))

    def tag(self, word: str) -> str:
        """The dictionary's tag of a word, "" for none."""
        return read_word_tags().get(self.simplified(word), "")


def vocabulary(text: GoldText) -> Vocabulary:
    """Counts of a text's words, and of neighbouring characters that are words."""
    counts = Counter(word.text for words in text.sentences for word in words)
    pairs = (pair for words in text.sentences for pair in itertools.pairwise(words))
    both = (first.text + second.text for first, second in pairs)
    splits = Counter(two for two in both if len(two) == 2)
    least = max(1.0, LEAST_PER_MILLION * sum(counts.values()) / 1e6)
    return Vocabulary(counts, splits, least, text.script)


def candidates(text: GoldText) -> Iterator[Place]:
    """Every three characters of a two-character word and its neighbour, whatever they are."""
    for number, words in enumerate(text.sentences):
        start = 0
        for first, second in itertools.pairwise(words):
            end = start + len(first.text)
            if len(first.text) == WORD_LENGTH:
                string = first.text + second.text[0]
                yield Place(number, start, "left", first, second, string)
            if len(second.text) == WORD_LENGTH:
                string = first.text[-1] + second.text
                yield Place(number, end - 1, "right", second, first, string)
            start = end


def harvest(text: GoldText, seen: set[str]) -> list[Place]:
    """The places of a text in their order, of sentences not `seen` yet; they are added to it."""
    known, first = vocabulary(text), dict[str, int]()
    for number, words in enumerate(text.sentences):
        first.setdefault("".join(word.text for word in words), number)
    new = {number for sentence, number in first.items() if sentence not in seen}
    seen.update(first)
    return [
        place
        for place in candidates(text)
        if place.sentence in new
        and min(known.counts[place.canary], known.counts[place.true.text]) >= known.least
        and HAN.fullmatch(place.string) is not None
        and known.simplified(place.canary) in dictionary_words()
    ]


def thin(places: Sequence[Place], text: GoldText) -> list[Place]:
    """At most `MOST_PLACES` places of each string, those with the least hashes, in their order."""

    def hashed(place: Place) -> bytes:
        sentence = "".join(word.text for word in text.sentences[place.sentence])
        return place_hash(place.start, place.branching, sentence)

    n_kept: Counter[str] = Counter()
    kept: set[Place] = set()
    for place in sorted(places, key=hashed):
        n_kept[place.string] += 1
        if n_kept[place.string] <= MOST_PLACES:
            kept.add(place)
    return [place for place in places if place in kept]


def place_hash(start: int, branching: str, sentence: str) -> bytes:
    """What orders places at random, the same on any machine."""
    return hashlib.sha256(f"natural|{start}|{branching}|{sentence}".encode()).digest()


def cut_both_ways(places: Sequence[Place]) -> frozenset[str]:
    """Strings that the text cuts in either way."""
    cuts = {(place.string, place.branching) for place in places}
    return frozenset(string for string, n in Counter(s for s, _ in cuts).items() if n == 2)


def exclusion(place: Place, known: Vocabulary) -> str:
    """Why only another standard would cut the canary word; `none` where it is a word like others.

    Returns:
        `name` where a word of the site is a proper name (the text's tag, else the dictionary's),
        `number` where one that holds a numeral is a number, measure or time, `particle` where the
        neighbour is one, such as 的 or 了, `wavering` where the text has the characters of the
        canary word as two words at least as often as as one.
    """
    words = (place.true, place.neighbour, GoldWord(place.canary, ""))
    tags = [(word.text, word.tag or known.tag(word.text)) for word in words]
    if any(tag.startswith(NAME_TAGS) for _, tag in tags):
        return "name"
    if any(NUMERALS & set(word) and tag.startswith(NUMBER_TAGS) for word, tag in tags):
        return "number"
    if place.neighbour.text in PARTICLES:
        return "particle"
    is_wavering = known.splits[place.canary] >= known.counts[place.canary]
    return "wavering" if is_wavering else "none"


def word_class(word: str, known: Vocabulary) -> str:
    """Word class of a word by the dictionary, `other` where it has none."""
    tag = known.tag(word)
    return "name" if tag.startswith(NAME_TAGS) else CLASSES.get(tag[:1], "other")


LITE_SIZE = 2_000
CELL = ("corpus", "branching", "is_true_more_frequent", "is_neighbour_longer")


def natural_table(places: Sequence[str]) -> pa.Table:
    """Rows of `NATURAL_SCHEMA`: every place of the texts (corpora or files), in their order.

    A ValueError where two texts have one name, or no text has such a string.
    """
    seen: set[str] = set()
    rows: list[dict[str, Any]] = []
    texts = [read_gold_text(place) for place in places]
    names = [text.name for text in texts]
    if len(set(names)) < len(names):
        raise ValueError(f"natural, got texts named {', '.join(names)}; expected each name once")
    for text in texts:
        rows += _text_rows(text, harvest(text, seen))
    if not rows:
        raise ValueError(f"natural, got no ambiguous string in {', '.join(names)}; expected some")
    return pa.Table.from_pylist(rows, schema=NATURAL_SCHEMA)


def lite_table(table: pa.Table, size: int = LITE_SIZE) -> pa.Table:
    """The balanced subset of `natural`, in its order; fewer rows where it has fewer.

    It has places without a flag only, equal numbers for each of `CELL`; where a cell is short, the
    others have more. A string comes a second time only when every string of its cell has come once,
    and of a cut one string is taken.
    """
    columns = ("test", "test_site", "site_start", "exclusion", *CELL)
    rows = table.select(list(columns)).to_pylist()
    found: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number in _in_turns(rows):
        found[tuple(rows[number][name] for name in CELL)].append(number)
    cells = [found[cell] for cell in sorted(found)]
    quotas = shares(list(map(len, cells)), size)
    return table.take(sorted(n for own, q in zip(cells, quotas, strict=True) for n in own[:q]))


def shares(sizes: Sequence[int], total: int) -> list[int]:
    """Equal shares of a total for cells of these sizes; what a small cell lacks the others have.

    Example:
        >>> shares([10, 2, 10], 12), shares([1, 1], 5)
        ([5, 2, 5], [1, 1])
    """
    found = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=lambda i: (sizes[i], i))
    left = total
    for done, i in enumerate(order):
        found[i] = min(sizes[i], left // (len(sizes) - done))
        left -= found[i]
    return found


def natural_problems(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One line for every row that is not what the schema says, and for every id that recurs."""
    seen: set[str] = set()
    for row in rows:
        site, start, is_left = row["test_site"], row["site_start"], row["branching"] == "left"
        both = (row["true_word"], row["canary_word"])
        first, last = both[:: 1 if is_left else -1]
        text, words = row["test"], row["test_words"]
        begins = [0, *itertools.accumulate(map(len, words))]
        place = start if is_left else start + 1
        is_gold = (place, both[0]) in zip(begins, words, strict=False)
        rules = {
            "an id of its own": row["id"] not in seen,
            "words that make up the sentence": "".join(words) == text,
            "the site at site_start": text[start : start + len(site)] == site,
            "a site of both words, overlapping": first + last[1:] == site,
            "the true word as a gold word": is_gold,
            "n_chars, the length of test": row["n_chars"] == len(text),
        }
        seen.add(row["id"])
        got = f"{row['id']}: got {text} with {site} at {start}"
        yield from (f"{got}; expected {rule}" for rule, holds in rules.items() if not holds)


def _in_turns(rows: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    """Numbers of the unflagged rows: every string of a text once, then a second time, ..."""
    turns: Counter[tuple[str, str]] = Counter()
    used: set[tuple[str, int]] = set()
    found: list[tuple[int, int, int]] = []
    hashes = [place_hash(row["site_start"], row["branching"], row["test"]) for row in rows]
    for number in sorted(range(len(rows)), key=hashes.__getitem__):
        row = rows[number]
        cut = (row["test"], row["site_start"] + (2 if row["branching"] == "left" else 1))
        if row["exclusion"] == "none" and cut not in used:
            used.add(cut)
            string = (row["corpus"], row["test_site"])
            found.append((turns[string], len(found), number))
            turns[string] += 1
    yield from (number for _, _, number in sorted(found))


def _text_rows(text: GoldText, places: Sequence[Place]) -> Iterator[dict[str, Any]]:
    known, both = vocabulary(text), cut_both_ways(places)
    n_places = Counter(place.string for place in places)
    for number, place in enumerate(thin(places, text)):
        words = [word.text for word in text.sentences[place.sentence]]
        true, canary, sentence = place.true.text, place.canary, "".join(words)
        row = {
            "id": f"{text.name}-{number:05d}",
            "corpus": text.name,
            "script": text.script,
            "n_places": n_places[place.string],
            "is_cut_both_ways": place.string in both,
            "branching": place.branching,
            "site_start": place.start,
            "test_site": place.string,
            "neighbour": place.neighbour.text,
            "is_neighbour_longer": len(place.neighbour.text) > 1,
            # this place is not counted: it is what is asked
            "is_true_more_frequent": known.counts[true] - 1 > known.counts[canary],
            "exclusion": exclusion(place, known),
            "test": sentence,
            "test_words": words,
            "n_chars": len(sentence),
        }
        for kind, word in (("true", true), ("canary", canary)):
            zipf = zipf_frequency(known.simplified(word))  # nan where the dictionary lacks it
            row |= {
                f"{kind}_word": word,
                f"{kind}_count": known.counts[word],
                f"{kind}_zipf": None if math.isnan(zipf) else zipf,
                f"{kind}_class": word_class(word, known),
            }
        yield row
