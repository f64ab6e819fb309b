"""The training views of CenterBench: sentences whose events the published suite lacks.

An event is subject, verb and object. `items`: events that no published pair has; `test` is the
published lite subset. `words`: the verbs divided so that every domain keeps its shares, verbs of
one base together; their nouns are shared. `constructions`: levels 1 to 3 to learn from, 4 to
validate, 5 to 7 to test. Questions with options have a counterpart each, of the same part.

The first member of a pair to learn from is licensed event by event, the second has the nouns
reversed and one reading; it need not be wrong, and the directions are not balanced: that takes
minutes to draw, and who answers who did what needs neither.
"""

import copy
import functools
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import pyarrow as pa

from builders import views
from builders.centerbench.columns import VIEW_SCHEMAS, members, question_table
from builders.centerbench.counterparts import ask_in_counterparts
from builders.centerbench.crossings import CROSSED_LEVELS, CrossedQuestion
from builders.centerbench.draw import (
    LEVELS,
    STRESS_LEVELS,
    SentencePair,
    admitted,
    default_drawer,
    draw,
)
from builders.centerbench.embedding import EventKey
from builders.centerbench.parser import CenterLexicon
from builders.centerbench.paths import PathSpace
from builders.centerbench.relations import DOMAINS, KnowledgeBase
from builders.columns import Row
from builders.views import PARTS, Kind, Part, Promise, View, ViewKind

Write = Callable[[Any], Iterator[dict[str, Any]]]  # what makes the rows of a view


def messages(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """A conversation of two turns."""
    for row in rows:
        asked = {"role": "user", "content": f"{row['sentence']}\n{row['question']}"}
        yield {"messages": [asked, {"role": "assistant", "content": row["answer"]}]}


def completion(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """A prompt that ends in "Answer:", and the answer after a blank."""
    for row in rows:
        yield {"prompt": prompt(row), "completion": f" {row['answer']}"}


def preference(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The answer, and what would be right of another entity of the sentence; a count is one off."""
    by_sentence: dict[str, list[Row]] = {}
    for row in rows:
        by_sentence.setdefault(row["sentence_id"], []).append(row)
    for same in by_sentence.values():
        for row in same:
            answer = row["answer"]
            alike = {r["answer"] for r in same if r["question_type"] == row["question_type"]}
            others = sorted(alike - {answer})
            if row["question_type"] == "entity_count":
                others = [str(int(answer) - 1), str(int(answer) + 1)]
            if others:
                rejected = Random(str(row["id"])).choice(others)
                yield {"prompt": prompt(row), "chosen": f" {answer}", "rejected": f" {rejected}"}


def solution(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The same prompt, and the answer that a reward compares a reply with."""
    for row in rows:
        yield {"prompt": prompt(row), "solution": row["answer"]}


def squad(questions: Iterable[CrossedQuestion]) -> Iterator[dict[str, Any]]:
    """Which of two nouns did it: the answer stands in the sentence, in one place."""
    for asked in (one for one in questions if one.question_type == "agent_identification"):
        answer = asked.options[asked.label]
        place = next(re.finditer(rf"\b{answer}\b", asked.sentence, re.IGNORECASE))
        yield {
            "context": asked.sentence,
            "question": asked.question,
            "answers": {"text": [place[0]], "answer_start": [place.start()]},
            # with both nouns, since the viewer wants texts of more than two lengths
            "id": f"{asked.id}:{'/'.join(option.split()[-1] for option in asked.options)}",
        }


def choice(questions: Iterable[CrossedQuestion]) -> Iterator[dict[str, Any]]:
    """What a noun did, or who did it: two answers, in the order of the sentence."""
    for asked in questions:
        yield {
            "question": f"{asked.sentence} {asked.question}",
            "choices": list(asked.options),
            "label": asked.label,
            "id": asked.id,
        }


def prompt(row: Row) -> str:
    """Sentence and question, as the views `completion` and `preference` ask."""
    return f"{row['sentence']}\nQuestion: {row['question']}\nAnswer:"


SALT = "centerbench views"
PAIRS: Mapping[Part, int] = {"train": 40, "validation": 5, "test": 10}  # per level
# among which questions with options are chosen, as many as `PAIRS` would have
CROSSED_PAIRS: Mapping[Part, int] = {"train": 40, "validation": 15, "test": 30}
LEVELS_OF_PARTS: Mapping[Part, Sequence[int]]
LEVELS_OF_PARTS = {"train": (1, 2, 3), "validation": (4,), "test": (5, 6, 7)}
MOST_DRAWS = 2_000  # until a pair is given up
SHORTEST_BASE = 3  # letters of a verb that is looked for inside others
PUBLISHED = ("questions", "stress")


@functools.cache
def crossed_questions(kind: Kind) -> Mapping[Part, list[CrossedQuestion]]:
    """The questions with options of a kind of view, about pairs of deeper levels."""
    knowledge = default_drawer().knowledge
    found: dict[Part, list[CrossedQuestion]] = {}
    for part, pairs in KINDS[kind].divide(CROSSED_LEVELS, CROSSED_PAIRS).items():
        prefix = "" if part == "test" and kind == "items" else f"{kind}-{part}-"
        asked = ask_in_counterparts(pairs, knowledge, PAIRS[part] * len(CROSSED_LEVELS))
        found[part] = [one._replace(id=f"{prefix}{one.id}") for one in asked]
    return found


@functools.cache
def view_questions(kind: Kind) -> Mapping[Part, list[dict[str, object]]]:
    """The questions of a kind of view, in the columns of config `questions`, each asked once."""
    knowledge = default_drawer().knowledge
    found: dict[Part, list[dict[str, object]]] = {}
    for part, pairs in view_pairs(kind).items():
        first: dict[object, dict[str, object]] = {}
        for row in question_table(pairs, knowledge).to_pylist():
            first.setdefault((row["sentence_id"], row["question"]), row)  # a count is asked of each
        is_published = part == "test" and kind != "words"
        prefix = "" if is_published else f"{kind}-{part}-"
        found[part] = [{**row, "id": f"{prefix}{row['id']}"} for row in first.values()]
    return found


@functools.cache
def view_pairs(kind: Kind) -> Mapping[Part, list[SentencePair]]:
    """The pairs of sentences of a kind of view."""
    return KINDS[kind].divide()


@functools.cache
def published_pairs() -> dict[int, list[SentencePair]]:
    """The published pairs by level, those of the stress levels among them."""
    every = (*LEVELS, *STRESS_LEVELS)
    return dict(zip(every, draw(levels=every), strict=True))


@functools.cache
def published_events() -> frozenset[EventKey]:
    """The events of all published pairs."""
    return frozenset(_events(itertools.chain.from_iterable(published_pairs().values())))


def _events(pairs: Iterable[SentencePair]) -> set[EventKey]:
    return {event for *_, chain in members(pairs) for event in chain.event_keys()}


def _divide_items(
    levels: Sequence[int] = LEVELS, sizes: Mapping[Part, int] = PAIRS
) -> dict[Part, list[SentencePair]]:
    found = {"test": _first_published(levels, sizes["test"])}
    avoid = set(published_events())
    for part in PARTS[:2]:
        found[part] = _pairs_of(default_drawer().knowledge, (part, sizes[part]), avoid, levels)
        avoid |= _events(found[part])
    return {part: found[part] for part in PARTS}


def _first_published(levels: Sequence[int], n: int) -> list[SentencePair]:
    return [pair for level in levels for pair in published_pairs()[level][:n]]


def _divide_constructions() -> dict[Part, list[SentencePair]]:
    new = view_pairs("items")["train"]
    found = {part: [p for p in new if p.level in LEVELS_OF_PARTS[part]] for part in PARTS[:2]}
    return found | {"test": _first_published(LEVELS_OF_PARTS["test"], PAIRS["test"])}


def _divide_words(
    levels: Sequence[int] = LEVELS, sizes: Mapping[Part, int] = PAIRS
) -> dict[Part, list[SentencePair]]:
    parts = verb_parts()
    found: dict[Part, list[SentencePair]] = {}
    for part in PARTS:
        knowledge = copy.copy(default_drawer().knowledge)
        own = {name for name in parts if parts[name] == part}
        knowledge.verbs = {name: verb for name, verb in knowledge.verbs.items() if name in own}
        avoid = frozenset() if part == "test" else published_events()
        found[part] = _pairs_of(knowledge, (part, sizes[part]), avoid, levels)
    return found


def _pairs_of(
    knowledge: KnowledgeBase,
    part: tuple[Part, int],
    avoid: Collection[EventKey],
    levels: Sequence[int],
) -> list[SentencePair]:
    """Sound pairs of a part, so many per level, over the verbs of a knowledge base."""
    name, size = part
    spaces = {domain: PathSpace(*admitted(knowledge, domain)) for domain in DOMAINS}
    drawer, found = default_drawer(), []
    for level, number in itertools.product(levels, range(size)):
        domain = DOMAINS[number % len(DOMAINS)]
        space, rng = spaces[domain], Random(f"{SALT}/{(name, domain)}/{level}/{number}")
        for _ in range(MOST_DRAWS if space.count(level) else 0):
            chain = space.sample(level, rng, Counter())
            pair = SentencePair(level, number, chain, chain.reversed_nouns())
            is_new = _events([pair]).isdisjoint(avoid)
            if is_new and drawer.is_sound(chain) and drawer.is_sound(pair.implausible):
                found.append(pair)
                break
    return found


@functools.cache
def verb_parts() -> dict[str, Part]:
    """The part of each verb that minimal pairs may have.

    Of each domain, the final and the other verbs keep nearly the shares of their uses.
    """
    knowledge = default_drawer().knowledge
    uses: dict[str, dict[str, int]] = {}
    for domain in DOMAINS:
        of_domain = admitted(knowledge, domain)
        finals = (verb for verbs in of_domain.finals.values() for verb in verbs)
        steps = (step for steps in of_domain.steps.values() for step in steps)
        others = (verb for step in steps for verb in (*step.verbs, *step.disabling))
        for feature, verbs in ((f"{domain}/final", finals), (f"{domain}/other", others)):
            for verb, n in Counter(verb.verb for verb in verbs).items():
                uses.setdefault(verb, {})[feature] = n
    weights = defaultdict[str, Counter[str]](Counter)
    for verb, features in uses.items():
        weights[knowledge.verbs[verb].base].update(features)
    parts = views.divide(weights, SALT, SHORTEST_BASE)
    return {verb: parts[knowledge.verbs[verb].base] for verb in uses}


KINDS: Mapping[Kind, ViewKind] = {
    "items": ViewKind(
        "no event of the published test", Promise(("event",), ("event",)), _divide_items
    ),
    "words": ViewKind(
        "no verb in two parts",
        Promise(("event", "verb"), ("event",), ("verb",), SHORTEST_BASE, ("noun",)),
        _divide_words,
    ),
    "constructions": ViewKind(
        "whole levels held out", Promise(("level",), ("event",)), _divide_constructions
    ),
}
ABOUT_ENTITIES: Mapping[str, tuple[str, Write]] = {
    "messages": ("question and answer as a conversation", messages),
    "completion": ("question and answer as prompt and completion", completion),
    "solution": ("question as prompt, answer for a reward", solution),
    "preference": ("the answer and another one", preference),
}
CROSSED: Mapping[str, tuple[str, Write]] = {
    "squad": ("which of two nouns did it, a span of the sentence", squad),
    "choice": ("two answers to a question", choice),
}


def _view_table(name: str, write: Write, rows: Any) -> pa.Table:
    return pa.Table.from_pylist(list(write(rows)), schema=VIEW_SCHEMAS[name])


def _written(formats: Mapping[str, tuple[str, Write]]) -> dict[str, Any]:
    return {
        name: (text, VIEW_SCHEMAS[name], functools.partial(_view_table, name, write))
        for name, (text, write) in formats.items()
    }


OF_DEEPER_LEVELS: dict[Kind, ViewKind] = {kind: KINDS[kind] for kind in ("items", "words")}
VIEWS: tuple[View, ...] = (
    *views.make_views(_written(ABOUT_ENTITIES), KINDS, view_questions),
    *views.make_views(_written(CROSSED), OF_DEEPER_LEVELS, crossed_questions, version="3.2.0"),
)
SENTENCE = re.compile(r"The [^.]*\.")


def facts(table: pa.Table) -> dict[str, set[str]]:
    """What sentences are made of, told by parsing them: events, verbs by base, nouns, levels.

    A ValueError where a sentence has no reading, or several.
    """
    knowledge = default_drawer().knowledge
    verbs, lexicon = knowledge.verbs, CenterLexicon(knowledge.nouns, knowledge.verbs)
    found: dict[str, set[str]] = {name: set() for name in ("event", "verb", "noun", "level")}
    for sentence in set(_sentences(table)):
        readings = lexicon.parse(sentence)
        if len(readings) != 1:
            raise ValueError(f"{sentence}: readings, got {len(readings)}; expected one")
        nouns, phrases = readings[0]
        objects = ("", *nouns)
        found["event"] |= {"|".join(event) for event in zip(nouns, phrases, objects, strict=False)}
        found["verb"] |= {verbs[phrase].base for phrase in phrases}
        found["noun"] |= set(nouns)
        found["level"].add(str(len(nouns) - 1))
    return found


def _sentences(table: pa.Table) -> list[str]:
    names = ("sentence", "context", "prompt", "question", "messages")
    column = next(name for name in names if name in table.column_names)
    texts = table[column].to_pylist()
    texts = [turns[0]["content"] for turns in texts] if column == "messages" else texts
    return [match[0] for text in texts if (match := SENTENCE.match(text))]
