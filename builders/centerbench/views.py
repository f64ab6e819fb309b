"""The training views of CenterBench: sentences whose events the published suite lacks.

An event is subject, verb and object. `items`: pairs of events that no published pair has; `test`
is the published lite subset. `words`: the verbs divided so that every domain keeps its shares,
verbs of one base together; each part's sentences are of its own verbs, their nouns are shared.
`constructions`: levels 1 to 3 to learn from, 4 to validate, 5 to 7 to test.

Questions with options have a counterpart each, of the same part, whose answer is the other option
(`counterparts`). They are balanced over levels, so that no level of them can be held out. Parts
that a model is judged by choose theirs among three times as many pairs as they need; those of
`test` of `items` are all published ones.

What is wrong on offer is taken from the sentence itself: another entity's answer, another noun,
what another entity did.

The first member of a pair to learn from is licensed event by event, the second has the nouns
reversed and one reading; unlike in the published pairs it need not be wrong, and the directions are
not balanced: that takes minutes to draw, and who answers who did what needs neither.
"""

import copy
import functools
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import pyarrow as pa

from builders import views
from builders.centerbench.columns import (
    CHOICE_VIEW_SCHEMA,
    COMPLETION_VIEW_SCHEMA,
    MESSAGES_VIEW_SCHEMA,
    PREFERENCE_VIEW_SCHEMA,
    SOLUTION_VIEW_SCHEMA,
    SQUAD_VIEW_SCHEMA,
    question_table,
)
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
from builders.centerbench.relations import DOMAINS, Domain, KnowledgeBase
from builders.columns import Row
from builders.views import PARTS, Kind, Part, Promise, View, ViewKind


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
            alike = (one for one in same if one["question_type"] == row["question_type"])
            answers = {one["answer"] for one in alike}
            others = sorted(answers - {row["answer"]})
            if row["question_type"] == "entity_count":
                others = [str(int(row["answer"]) - 1), str(int(row["answer"]) + 1)]
            if others:
                rejected = Random(str(row["id"])).choice(others)
                yield {
                    "prompt": prompt(row),
                    "chosen": f" {row['answer']}",
                    "rejected": f" {rejected}",
                }


def solution(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """The same prompt, and the answer that a reward compares a reply with."""
    for row in rows:
        yield {"prompt": prompt(row), "solution": row["answer"]}


def squad(questions: Iterable[CrossedQuestion]) -> Iterator[dict[str, Any]]:
    """Which of two nouns did it: the answer stands in the sentence, in one place.

    An id names both nouns, since the viewer wants texts of more than two lengths.
    """
    for asked in questions:
        if asked.question_type == "agent_identification":
            answer = asked.options[asked.label]
            start = re.search(rf"\b{answer}\b", asked.sentence, re.IGNORECASE).start()  # type: ignore[union-attr]  # all nouns are there
            text = asked.sentence[start : start + len(answer)]
            yield {
                "context": asked.sentence,
                "question": asked.question,
                "answers": {"text": [text], "answer_start": [start]},
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
CROSSED_PAIRS: Mapping[Part, int] = {"train": 40, "validation": 15, "test": 30}
"""Pairs per level among which questions with options are chosen, as many as `PAIRS` would have."""
PARTS_OF_LEVELS: Mapping[Part, tuple[int, ...]] = {
    "train": (1, 2, 3),
    "validation": (4,),
    "test": (5, 6, 7),
}
MOST_DRAWS = 2_000  # until a pair is given up
SHORTEST_BASE = 3  # letters of a verb that is looked for inside others
PUBLISHED = ("questions", "stress")


def view_tables(name: str) -> dict[str, pa.Table]:
    """The three parts of one view."""
    view = views.find_view(VIEWS, name)
    assert view.write is not None  # all formats are written from the questions
    asked = crossed_questions if view.write in (squad, choice) else view_questions
    return {
        part: pa.Table.from_pylist(list(view.write(rows)), schema=view.schema)
        for part, rows in asked(view.kind).items()
    }


@functools.cache
def crossed_questions(kind: Kind) -> Mapping[Part, list[CrossedQuestion]]:
    """The questions with options of a kind of view."""
    knowledge = default_drawer().knowledge
    found: dict[Part, list[CrossedQuestion]] = {}
    for part, pairs in crossed_pairs(kind).items():
        prefix = "" if part == "test" and kind == "items" else f"{kind}-{part}-"
        asked = ask_in_counterparts(pairs, knowledge, PAIRS[part] * len(CROSSED_LEVELS))
        found[part] = [one._replace(id=f"{prefix}{one.id}") for one in asked]
    return found


@functools.cache
def crossed_pairs(kind: Kind) -> Mapping[Part, list[SentencePair]]:
    """The pairs of sentences that questions with options are about, of deeper levels."""
    return KINDS[kind].divide(CROSSED_LEVELS, CROSSED_PAIRS)


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
    pairs = [*draw(), *draw(levels=STRESS_LEVELS)]
    return {of_level[0].level: of_level for of_level in pairs}


@functools.cache
def published_events() -> frozenset[EventKey]:
    """The events of all published pairs."""
    return frozenset(_events(itertools.chain.from_iterable(published_pairs().values())))


def _events(pairs: "itertools.chain[SentencePair] | Sequence[SentencePair]") -> set[EventKey]:
    return {
        event
        for pair in pairs
        for chain in (pair.plausible, pair.implausible)
        for event in chain.event_keys()
    }


def _divide_items(
    levels: Sequence[int] = LEVELS, sizes: Mapping[Part, int] = PAIRS
) -> dict[Part, list[SentencePair]]:
    found: dict[Part, list[SentencePair]] = {}
    avoid = set(published_events())
    learnt: tuple[Part, Part] = ("train", "validation")
    for part in learnt:
        found[part] = _pairs_of(default_drawer().knowledge, (part, sizes[part]), avoid, levels)
        avoid |= _events(found[part])
    return {**found, "test": _first_published(levels, sizes["test"])}


def _first_published(levels: Sequence[int], n: int) -> list[SentencePair]:
    return [pair for level in levels for pair in published_pairs()[level][:n]]


def _divide_constructions() -> dict[Part, list[SentencePair]]:
    items = view_pairs("items")
    learnt: tuple[Part, Part] = ("train", "validation")
    found = {
        part: [pair for pair in items["train"] if pair.level in PARTS_OF_LEVELS[part]]
        for part in learnt
    }
    return {**found, "test": _first_published(PARTS_OF_LEVELS["test"], PAIRS["test"])}


def _divide_words(
    levels: Sequence[int] = LEVELS, sizes: Mapping[Part, int] = PAIRS
) -> dict[Part, list[SentencePair]]:
    parts = verb_parts()
    found: dict[Part, list[SentencePair]] = {}
    for part in PARTS:
        knowledge = copy.copy(default_drawer().knowledge)
        knowledge.verbs = {
            name: verb for name, verb in knowledge.verbs.items() if parts.get(name) == part
        }
        avoid = frozenset() if part == "test" else published_events()
        found[part] = _pairs_of(knowledge, (part, sizes[part]), avoid, levels)
    return found


def _pairs_of(
    knowledge: KnowledgeBase,
    part: tuple[Part, int],
    avoid: Collection[EventKey],
    levels: Sequence[int],
) -> list[SentencePair]:
    """Sound pairs of a part, so many per level, over the verbs of a knowledge base.

    The domains come in turn.
    """
    name, size = part
    spaces = {domain: PathSpace(*admitted(knowledge, domain)) for domain in DOMAINS}
    return [
        pair
        for level in levels
        for number, domain in zip(range(size), itertools.cycle(DOMAINS), strict=False)
        if (pair := _one_pair(spaces[domain], level, number, (name, domain), avoid))
    ]


def _one_pair(
    space: PathSpace,
    level: int,
    number: int,
    place: tuple[Part, Domain],
    avoid: Collection[EventKey],
) -> SentencePair | None:
    """A pair whose both members have one reading, or None where none is found in many draws."""
    rng, drawer = Random(f"{SALT}/{place}/{level}/{number}"), default_drawer()
    for _ in range(MOST_DRAWS if space.count(level) else 0):
        chain = space.sample(level, rng, Counter())
        other = chain.reversed_nouns()
        events = chain.event_keys() | other.event_keys()
        if events.isdisjoint(avoid) and drawer.is_sound(chain) and drawer.is_sound(other):
            return SentencePair(level, number, chain, other)
    return None


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
    weights: dict[str, Counter[str]] = {}
    for verb, features in uses.items():
        weights.setdefault(knowledge.verbs[verb].base, Counter()).update(features)
    parts = views.divide(weights, SALT, SHORTEST_BASE)
    return {verb: parts[knowledge.verbs[verb].base] for verb in uses}


KINDS: Mapping[Kind, ViewKind] = {
    "items": ViewKind(
        "no event of the published test", Promise(("event",), ("event",)), _divide_items
    ),
    "words": ViewKind(
        "no verb in two parts",
        Promise(
            ("event", "verb"),
            ("event",),
            contained=("verb",),
            least_length=SHORTEST_BASE,
            listed=("noun",),
        ),
        _divide_words,
    ),
    "constructions": ViewKind(
        "whole levels held out", Promise(("level",), ("event",)), _divide_constructions
    ),
}
VIEWS: tuple[View, ...] = (
    *views.make_views(
        {
            "messages": (
                "question and answer as a conversation",
                MESSAGES_VIEW_SCHEMA,
                messages,
            ),
            "completion": (
                "question and answer as prompt and completion",
                COMPLETION_VIEW_SCHEMA,
                completion,
            ),
            "solution": (
                "question as prompt, answer for a reward",
                SOLUTION_VIEW_SCHEMA,
                solution,
            ),
            "preference": (
                "the answer and another one",
                PREFERENCE_VIEW_SCHEMA,
                preference,
            ),
        },
        KINDS,
    ),
    *views.make_views(
        {
            "squad": (
                "which of two nouns did it, a span of the sentence",
                SQUAD_VIEW_SCHEMA,
                squad,
            ),
            "choice": ("two answers to a question", CHOICE_VIEW_SCHEMA, choice),
        },
        {kind: told for kind, told in KINDS.items() if kind != "constructions"},
        version="3.2.0",
    ),
)
SENTENCE = re.compile(r"The [^.]*\.")


def facts(config: str, table: pa.Table) -> dict[str, set[str]]:
    """What sentences are made of, told by parsing them: events, verbs by base, nouns, levels.

    Raises:
        ValueError: A sentence has no reading, or several.
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
    column = next(
        name
        for name in ("sentence", "context", "prompt", "sent1", "question", "messages")
        if name in table.column_names
    )
    texts = table[column].to_pylist()
    if column == "messages":
        texts = [messages[0]["content"] for messages in texts]
    return [match[0] for text in texts if (match := SENTENCE.match(text))]
