"""Kinds of difference between the authors' strings and those that follow from the sentence.

The differences are tried from the slightest to the gravest, each on top of those before it; the
first that makes the two strings equal names the kind. `variant` is another right wording, and is
left as it is; `structure` is a row that does not say what its sentence says; `ours` is a difference
that nothing else explains.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from builders.centerbench.events import CenterVerb, Event

Kind = Literal[
    "whitespace", "punctuation", "case", "wh_word", "modifier", "tense", "variant", "lost_word",
    "added_word", "spelling", "structure", "ours",
]  # fmt: skip
LEAST_SIMILARITY = 0.5


def classify_difference(
    released: str, expected: str, events: Sequence[Event], *, is_erratum: bool, has_structure: bool
) -> Kind | None:
    """Names how a released string differs from the expected one; None if it does not.

    Args:
        released: The authors' question or answer.
        expected: What follows from the sentence.
        events: The sentence's events.
        is_erratum: Whether the authors' rows are known to contradict this sentence.
        has_structure: Whether the authors' structure agrees with it.
    """
    if released == expected:
        return None
    for kind, normalize in _normalizers(events):
        released, expected = normalize(released), normalize(expected)
        if released == expected:
            return kind
    objects = [(event.verb, _normalized(f"the {event.object}", events)) for event in events]
    if _canonical_wording(released, objects) == _canonical_wording(expected, objects):
        return "variant"
    if is_erratum:
        return "structure"
    return _kind_of_words(released.split(), expected.split(), events) or (
        "ours" if has_structure else "structure"
    )


def _normalizers(events: Sequence[Event]) -> Iterator[tuple[Kind, Callable[[str], str]]]:
    # "carry the waiter  out " is "carry the waiter out"
    yield "whitespace", lambda text: re.sub(r"\s+(?=\?|$)", "", " ".join(text.split()))
    yield "punctuation", lambda text: text.removesuffix("?")
    yield "case", str.lower
    yield "wh_word", lambda text: re.sub(r"^(who|what)\b", "wh", text)
    # "the man scared the dog" is "the delivery man scared the dog"
    yield (
        "modifier",
        lambda text: _replace_all(
            text, {event.subject.lower(): event.subject.split()[-1].lower() for event in events}
        ),
    )
    yield "variant", lambda text: re.sub(r"eyeing\b", "eying", text)
    # "chased the cat" is "chase the cat", and "the dog chased the cat which led to" is "the dog
    # chasing the cat which led to"
    yield (
        "tense",
        lambda text: _replace_words(
            text, {form: event.verb.past for event in events for form in event.verb[:5]}
        ),
    )


def _normalized(text: str, events: Sequence[Event]) -> str:
    for _, normalize in _normalizers(events):
        text = normalize(text)
    return text


def _replace_all(text: str, replacements: dict[str, str]) -> str:
    for old, new in replacements.items():
        text = re.sub(rf"\b{re.escape(old)}\b", new, text)
    return text


def _replace_words(text: str, replacements: dict[str, str]) -> str:
    return " ".join(replacements.get(word, word) for word in text.split())


def _canonical_wording(text: str, objects: Sequence[tuple[CenterVerb, str]]) -> str:
    # "carry out the waiter" is "carry the waiter out"; "lecturing the nurse" is "lecturing to the
    # nurse"; "whose order was taken"
    # is "whose food orders were taken"; "what happened to the paper" is "what did the paper do"
    for verb, patient in objects:
        if verb.is_separable:
            text = text.replace(f"{verb.tail} {patient}", f"{patient} {verb.tail}")
        if verb.tail.split()[-1:] == ["to"]:
            text = text.replace(
                f"{verb.past} {verb.tail}",
                f"{verb.past} {verb.tail.removesuffix('to').strip()}".strip(),
            )
    text = re.sub(r"whose (food )?orders? (was|were)", "whose orders were", text)
    return re.sub(r"^wh happened to (.+)$", r"wh did \1 do", text)


def _kind_of_words(
    released: Sequence[str], expected: Sequence[str], events: Sequence[Event]
) -> Kind | None:
    if _is_subsequence(released, expected):
        return "lost_word"
    # "the entity that whose photos were developed" is "the entity whose photos were developed"
    if _is_subsequence(expected, released):
        return "added_word"
    return (
        "spelling"
        if _is_misspelled(released, expected, {event.verb.past for event in events})
        else None
    )


def _is_subsequence(words: Sequence[str], of: Sequence[str]) -> bool:
    rest = iter(of)
    return len(words) < len(of) and all(word in rest for word in words)


def _is_misspelled(words: Sequence[str], others: Sequence[str], verbs: Collection[str]) -> bool:
    """Whether each differing word resembles the expected one and is no verb of the sentence."""
    pairs = [(a, b) for a, b in zip(words, others, strict=False) if a != b]
    is_similar = all(SequenceMatcher(None, a, b).ratio() >= LEAST_SIMILARITY for a, b in pairs)
    return len(words) == len(others) and is_similar and not any(a in verbs for a, _ in pairs)
