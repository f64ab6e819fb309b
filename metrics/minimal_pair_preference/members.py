"""Which texts a row compares, and what each of them gets of its tokens' log-probabilities.

A measure of a row has two members, of which the first should be more probable, four, of which the
first two are compared with the last two, or any number to choose among, the right one first. A
member is a stretch of a text: its log-probability is that of its tokens given all before.

    我|喜欢|护士|服         tokens
        [    )             a region whose ends no token crosses: the sum of its tokens
              [ )          士服: its beginning lies inside a token; the region grows to the left,
           [    )          in all members alike, up to where a token ends in each: 护士服

A token belongs where its first character stands that is no blank, so that the blank that many
tokenizers put in front of a word crosses nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from .._shared.columns import BoolArray, IntArray
from .._shared.language_models import TokenScores

SLLN_EXPONENT = 0.5
METRIC = "minimal_pair_preference"
ERAS_MEMBERS = ("test", "control", "occluded_test", "occluded_control")
ORDERS = (("verb_verb", "verb_noun"), ("noun_verb", "noun_noun"))
WHOLE = (("grammatical", "violated"), ("first", "second"), ("segmented", "shifted"))
CONDITIONS = ("plausible", "implausible")


class Stretch(NamedTuple):
    """A stretch of a text, half open."""

    text: str
    start: int
    end: int


Measures = Mapping[str, Sequence[Stretch]]
"""The members of each measure of a row, by the measure's name; the first is the primary one."""


def measures(row: Mapping[str, Any]) -> Measures:
    """The measures of a row of a suite's config for language models, told by its columns.

    ERAS: test, control and their occluded partners: the text after the site, the site, the whole.
    SORTS, morphseg: both members, whole. CenterBench: both nouns after both members of a pair. PP
    attachment: what the texts of each order have behind their common words. Questions with choices:
    all of them behind the question, the right one first.

    Raises:
        ValueError: It has none of their columns.
    """
    if "choices" in row:
        return {"choice": _choices(row)}
    if "after_start" in row:
        start, after, n = row["site_start"], row["after_start"], len(row["test"])
        ends = {"after": (after, n), "site": (start, after), "total": (0, n)}
        return {k: [Stretch(row[one], *ends[k]) for one in ERAS_MEMBERS] for k in ends}
    if "probe" in row:
        nouns = [row[f"{condition}_noun"] for condition in CONDITIONS]
        contexts = [f"{row[condition]} {row['probe']}" for condition in CONDITIONS]
        return {"crossed": [behind(text, f" {noun}.") for text in contexts for noun in nouns]}
    if "verb_verb" in row:
        return {"crossed": [one for names in ORDERS for one in _contrast(*(row[n] for n in names))]}
    for names in WHOLE:
        if names[0] in row and names[1] in row:
            return {"whole": [Stretch(row[name], 0, len(row[name])) for name in names]}
    expected = "those of a suite's config pairs, or predictions"
    raise ValueError(f"{METRIC}: references, got the columns {', '.join(row)}; expected {expected}")


def _choices(row: Mapping[str, Any]) -> list[Stretch]:
    ordered = sorted(row["choices"], key=lambda choice: choice != row["answer"])
    if "is_right_first" in row:  # of SORTS, whose question names the choices
        return [behind(f"{row['sentence']} {row['question']}", f" {choice}") for choice in ordered]
    return answers_behind(row["sentence"], row["question"], ordered)


def answers_behind(sentence: str, question: str, choices: Sequence[str]) -> list[Stretch]:
    """Each choice as the answer behind a sentence and a question about it."""
    context = f"{sentence} Question: {question} Answer:"
    return [behind(context, f" {choice}.") for choice in choices]


def behind(context: str, rest: str) -> Stretch:
    """What stands behind a context."""
    return Stretch(context + rest, len(context), len(context) + len(rest))


def _contrast(first: str, second: str) -> Iterator[Stretch]:
    words = zip(first.split(" "), second.split(" "), strict=False)
    common = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], words)]
    start = len(" ".join(common))
    for text in (first, second):
        yield Stretch(text, start, len(text))


@dataclass(frozen=True)
class Likelihood:
    """Log-probability of a stretch of text, in nats, and how long that stretch is."""

    total: float  # over its tokens, at most 0; 0.0 for none
    n_tokens: int  # with a log-probability; a text's first has none without a start token
    n_characters: int

    @property
    def slln(self) -> float:
        """Sub-linear length normalised: the sum over the square root of the number of tokens.

        It lies between the sum, which favours short texts, and the mean, which favours long ones.
        nan for no token. Source: Liu et al. (2024), ZhoBLiMP.
        """
        return self.total / self.n_tokens**SLLN_EXPONENT if self.n_tokens else float("nan")


class RegionScores(NamedTuple):
    """One region in all members of a pair."""

    likelihoods: tuple[Likelihood, ...]  # of each member
    is_extended: bool  # a token crossed an end, so that the region was made larger


def likelihoods(members: Sequence[Stretch], scores: Mapping[str, TokenScores]) -> RegionScores:
    """What each member of a measure gets, of the token scores of its text.

    A stretch is extended alike in all members where a token needs it. A ValueError where it does
    not lie in its text.
    """
    for text, start, end in members:
        if not 0 <= start <= end <= len(text):
            raise ValueError(f"region, got {(start, end)}; expected a part of {text!r}")
    free = [_boundaries(text, scores[text]) for text, *_ in members]
    before = _steps([p[start::-1] for p, (_, start, _) in zip(free, members, strict=True)])
    behind = _steps([p[end:] for p, (_, _, end) in zip(free, members, strict=True)])
    found = [
        _inside(one.text, scores[one.text], one.start - before, one.end + behind) for one in members
    ]
    return RegionScores(tuple(found), before + behind > 0)


def _steps(free: Sequence[BoolArray]) -> int:
    """Characters to go until all members have a boundary; a text's ends are boundaries of it.

    Where one member ends before, its end is as far as all go.
    """
    shortest = min(map(len, free))
    both = np.logical_and.reduce([places[:shortest] for places in free])
    return int(np.argmax(both)) if both.any() else shortest - 1


def _boundaries(text: str, scores: TokenScores) -> BoolArray:
    """At which places, 0 to the length, no token stands on both sides; shape (characters + 1,)."""
    free = np.ones(len(text) + 1, dtype=bool)
    first = int(scores.starts[0]) if len(scores.starts) else len(text)
    for start, end in [(0, first), *zip(_trimmed(text, scores), scores.ends, strict=True)]:
        free[start + 1 : end] = False
    return free


def _trimmed(text: str, scores: TokenScores) -> IntArray:
    """Place of each token's first character that is no blank; its end where it has none."""
    spans = zip(scores.starts.tolist(), scores.ends.tolist(), strict=True)
    return np.array([end - len(text[start:end].lstrip()) for start, end in spans], dtype=np.int64)


def _inside(text: str, scores: TokenScores, start: int, end: int) -> Likelihood:
    places = _trimmed(text, scores)
    is_inside = (places >= start) & (places < end)
    total = float(scores.log_probabilities[is_inside].sum())
    return Likelihood(total, int(is_inside.sum()), end - start)
