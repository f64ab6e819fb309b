"""ERAS: segmenters that read no sentence, and the views."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from metrics._shared.columns import BoolArray
from metrics._shared.paradigms import EVERY_PARADIGM
from metrics.garden_path_accuracy.options import Options
from metrics.garden_path_accuracy.scoring import score
from research.shallow import cutters
from research.shallow.cues import text_cues, text_symbols
from research.shallow.decisions import OptionChoice, Problem, ShallowReading
from research.shallow.token_views import tag_view
from research.studies.study import Rows
from research.systems.segmenters.gold_sentences import read_sentences

LITE_PAIRS = 20  # of a paradigm
EXTENDED_PAIRS = 3
FUNCTION = "的了着過过在是和有不就也都把被去來来要"  # frequent words of one character
MOST = 3000
POLARITY = "true_sentiment"


def lite(name: str, rows: Rows) -> Iterator[Problem]:
    """Pairs of the 39 paradigms."""
    yield pair_problem(name, first_of_each(rows, LITE_PAIRS), "paper")


def extended(name: str, rows: Rows) -> Iterator[Problem]:
    """Pairs of paradigms of our own, which lead."""
    yield pair_problem(name, first_of_each(rows, EXTENDED_PAIRS), "headline")


def first_of_each(rows: Rows, most: int) -> list[Mapping[str, Any]]:
    """The first pairs of each paradigm."""
    n: dict[int, int] = {}
    kept = []
    for row in rows:
        n[row["paradigm_id"]] = n.get(row["paradigm_id"], 0) + 1
        if n[row["paradigm_id"]] <= most:
            kept.append(row)
    return kept


def pair_problem(name: str, rows: Rows, design: Any) -> Problem:
    """Pairs whose true words must come out in both sentences."""
    made = []
    for row in rows:
        family = EVERY_PARADIGM[row["paradigm_id"] - 1].family
        made.append(OptionChoice((), 0, family, row["id"], ()))
    texts = [[row["test"], row["control"]] for row in rows]

    def credit(cuts: Sequence[Any]) -> Any:
        found = score({"predictions": cuts, "references": rows}, Options(per_item=True))
        return np.array([float(row["is_pair_correct"]) for row in found["per_item"]])

    def readings(half: BoolArray, _: Sequence[OptionChoice]) -> Iterator[ShallowReading]:
        golds = [[row["test_words"], row["control_words"]] for row in rows]
        flat = [words for two in golds for words in two]
        rate = sum(map(len, flat)) / sum(len("".join(words)) for words in flat)
        between = (
            "cuts every 2 from the end, between frequent characters",
            cutters.cut_between(FUNCTION, 2),
        )
        for says, cut in (*cutters.blind_cutters(rate, most=3), between):
            yield ShallowReading(says, credit([cut(two) for two in texts]), "null")
        for says, cut in dictionary_cutters("traditional" in name):
            yield ShallowReading(says, credit([cut(two) for two in texts]), "shortcut")

        def window(fold: BoolArray) -> cutters.Cut:
            words = [gold for two, is_in in zip(golds, fold, strict=True) if is_in for gold in two]
            return cutters.window_cutter(words)

        yield ShallowReading(
            "two characters to each side",
            credit(cutters.by_halves(half, texts, window)),
            "shortcut",
        )
        known = {word: 1.0 for words in flat for word in words}
        cut = cutters.dictionary_cutter(known, "words", is_backward=False)
        says = "fewest words of a list of the suite's own words"
        yield ShallowReading(says, credit([cut(two) for two in texts]), "leak")

    return Problem(name, "pair_accuracy", made, "share", design, cutters=readings)


def predictions_of(reader: str, name: str, texts: Sequence[str]) -> list[list[str]]:
    """Cuts of a config's sentences by a reader of the search that is fitted on nothing."""
    return dict(dictionary_cutters("traditional" in name))[reader](texts)


def dictionary_cutters(is_traditional: bool) -> Iterator[tuple[str, cutters.Cut]]:
    """Longest match, fewest words and likeliest words over jieba's dictionary.

    Traditional sentences are turned into simplified characters first, as the dictionary is; its
    words of traditional ones alone find fewer.
    """
    for says, cut in _simplified_cutters():
        if is_traditional:
            yield f"{says}, in simplified characters", functools.partial(_turned, cut)
        else:
            yield says, cut


def _turned(cut: cutters.Cut, texts: Sequence[str]) -> list[list[str]]:
    """Cuts texts where their simplified forms are cut."""
    from chinese_converter import to_simplified

    found = []
    for text, words in zip(texts, cut([to_simplified(text) for text in texts]), strict=True):
        if (n := sum(map(len, words))) != len(text):
            raise ValueError(f"{text}: simplified, got {n} characters; expected {len(text)}")
        found.append(cutters.cut_at(text, [*cutters.ends_of(words)]))
    return found


def _simplified_cutters() -> Iterator[tuple[str, cutters.Cut]]:
    from research.systems.segmenters.longest_match import build_trie, match_backward, match_forward

    counts = _counts()
    forward, backward = build_trie(counts), build_trie(word[::-1] for word in counts)
    yield "longest match", lambda texts: [match_forward(forward, text) for text in texts]
    yield (
        "longest match backwards",
        lambda texts: [match_backward(backward, text) for text in texts],
    )
    for price, says in (("words", "fewest words"), ("likelihood", "likeliest words")):
        for is_backward in (False, True):
            ties = ", longest last" if is_backward else ", longest first"
            yield says + ties, cutters.dictionary_cutter(counts, price, is_backward=is_backward)
        for most in (2, 3):
            short = cutters.dictionary_cutter(counts, price, is_backward=False, most=most)
            yield f"{says} of at most {most} characters", short
    paper = cutters.bigram_cutter(read_sentences("daily"), counts)
    yield "word bigrams of the People's Daily", paper
    yield "commonest words first", lambda texts: [_greedy(text, counts) for text in texts]


@functools.cache
def _counts() -> Mapping[str, float]:
    from builders.eras.dictionary import read_dictionary

    return {word: float(n) for word, n in read_dictionary().items() if n}


def _greedy(text: str, counts: Mapping[str, float]) -> list[str]:
    """Cuts out the commonest word of two characters and more, then cuts what is left."""
    spans = [
        (counts[text[i:j]], i, j)
        for i in range(len(text))
        for j in range(i + 2, min(len(text), i + 4) + 1)
        if text[i:j] in counts
    ]
    if not spans:
        return list(text)
    _, i, j = max(spans)
    return [*_greedy(text[:i], counts), text[i:j], *_greedy(text[j:], counts)]


def sentiment(name: str, rows: Rows) -> Iterator[Problem]:
    """The views `sentiment_*`: is a sentence positive?"""
    made = []
    for i, row in enumerate([row for row in rows if row.get(POLARITY, "+")][:MOST]):
        own = text_symbols([" ".join(row["text"])])
        label = int(row[POLARITY] == "+") if POLARITY in row else row["label"]
        symbols = {
            family: [[f"{k}{symbol}" for symbol in found[0]] for k in (0, 1)]
            for family, found in own.items()
            if family in ("words", "pairs of words")
        }
        cues = [{"label": float(k), "characters": float(len(row["text"]))} for k in (0, 1)]
        made.append(
            OptionChoice(("negative", "positive"), label, str(i // 2), row["text"], cues, symbols)
        )
    yield Problem(name, "accuracy", made, "share", "training")


def translation(name: str, rows: Rows) -> Iterator[Problem]:
    """The views `translation_*`: which traditional form has a character that has several?"""
    forms: dict[str, set[str]] = {}
    told = [(row["translation"]["zh-Hans"], row["translation"]["zh-Hant"]) for row in rows]
    for simplified, traditional in told:
        for one, other in zip(simplified, traditional, strict=True):
            forms.setdefault(one, set()).add(other)
    made = []
    for simplified, traditional in told:
        padded = f"^{simplified}$"
        for at, one in enumerate(simplified):
            options = sorted(forms[one])
            if len(options) > 1:
                near = [one, padded[at : at + 2], padded[at + 1 : at + 3], padded[at : at + 3]]
                symbols = {"characters beside it": [[f"{o} {s}" for s in near] for o in options]}
                cues = [{"code point": float(ord(option))} for option in options]
                gold = options.index(traditional[at])
                made.append(OptionChoice(options, gold, simplified, f"{at}", cues, symbols))
    yield Problem(name, "characters", made[:MOST], "share", "training")


def similarity(name: str, rows: Rows) -> Iterator[Problem]:
    """The views `similarity_*`: which of two sentences is nearer to a third?"""
    made = []
    for i, row in enumerate(rows[:MOST]):
        options = sorted((row["positive"], row["negative"]))
        cues = text_cues(options)
        anchor = row["anchor"]
        pairs = {anchor[at : at + 2] for at in range(len(anchor) - 1)}
        for k, text in enumerate(options):
            cues[k]["characters of the anchor"] = len(set(text) & set(anchor))
            cues[k]["pairs of characters of the anchor"] = sum(two in text for two in pairs)
            cues[k]["difference in length"] = abs(len(text) - len(anchor))
        made.append(OptionChoice(options, options.index(row["positive"]), str(i), str(i), cues))
    yield Problem(name, "accuracy", made, "share", "training")


CONFIGS = {
    **dict.fromkeys(("simplified_lite", "traditional_lite"), lite),
    **dict.fromkeys(("extended", "extended_traditional", "two_readings*"), extended),
    "sentiment_*": sentiment,
    "similarity_*": similarity,
    "translation_*": translation,
    "segmentation_*": tag_view("tags"),
}
