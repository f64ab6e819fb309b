"""A draw as Arrow tables: one row per sentence or per question, under the data set's schemas.

The members of a pair stand next to each other, sentence by sentence and question by question, so
that any even number of first rows holds whole pairs.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from statistics import fmean
from typing import Any, Literal, get_args

import pyarrow as pa

from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import ALSO_CHANGES, CONSTRUCTIONS, Chain, construct
from builders.centerbench.events import VERB_FORMS
from builders.centerbench.questions import DIFFICULTY, CenterQuestion, ask_questions
from builders.centerbench.relations import KnowledgeBase
from builders.columns import COUNT, COUNTS, FREQUENCY, RATING_FIELDS, TEXT, TEXTS, typed
from builders.views import LABEL, labelled

Condition = Literal["plausible", "implausible"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)

VERB = pa.struct([(form, TEXT) for form in VERB_FORMS])
EVENTS = pa.list_(pa.struct([("subject", TEXT), ("verb", VERB), ("object", TEXT)]))
TYPES = {
    **dict.fromkeys(("level", "depth", "n_words", "n_characters", "n_right"), COUNT),
    **dict.fromkeys(("noun_zipf", "verb_zipf"), FREQUENCY),
    **dict.fromkeys(("nouns", "verbs", "violated", "choices"), TEXTS),
    "events": EVENTS,
    "has_structure": pa.bool_(),
    "chance": pa.float64(),
}
"""A column has one type wherever it stands; those that are not here hold text."""
columns = functools.partial(typed, TYPES)

PLACE = "condition level domain sentence"
COVARIATES = "n_words n_characters noun_zipf verb_zipf"  # means of log10 frequencies per billion
# nouns and verbs are outermost first, events innermost first; `violated` has per event the
# restrictions that it violates, "" if none, `directions` per relation, innermost first, whether it
# runs up or down the ranks
SENTENCE = columns("id pair_id", PLACE, "nouns verbs events violated directions", COVARIATES)
QUESTION = [
    *columns("id pair_id sentence_id", PLACE, "entity depth question_type difficulty"),
    *columns("question answer events", COVARIATES),
]
CONTROL = columns("question_id construction also_changes")
ORIGINALS = ("original_question", "original_answer", "question_difference", "answer_difference")

SENTENCE_SCHEMA = pa.schema([*SENTENCE, *RATING_FIELDS])
QUESTION_SCHEMA = pa.schema([*QUESTION, *RATING_FIELDS])
CONTROL_SCHEMA = pa.schema([*QUESTION, *CONTROL, *RATING_FIELDS])
RELEASED_QUESTION_SCHEMA = pa.schema([*QUESTION, *columns(*ORIGINALS), *RATING_FIELDS])
RELEASED_SENTENCE_SCHEMA = pa.schema([*SENTENCE, *columns("has_structure"), *RATING_FIELDS])
LIKELIHOOD_SCHEMA = pa.schema(
    columns(
        "id construction cluster level domain depth plausible implausible probe",
        "plausible_noun implausible_noun",
    )
)
CHOICE_SCHEMA = pa.schema(  # `n_right` counts the events that branch to the right
    columns(
        "id pair_id construction cluster condition level n_right question_type",
        "sentence entity question choices answer chance",
    )
)
ANSWERS = pa.struct([("text", TEXTS), ("answer_start", COUNTS)])
TURNS = pa.list_(pa.struct([("role", TEXT), ("content", TEXT)]))
VIEW_SCHEMAS = {
    "messages": pa.schema([("messages", TURNS)]),
    "completion": pa.schema(columns("prompt completion")),
    "solution": pa.schema(columns("prompt solution")),
    "preference": pa.schema(columns("prompt chosen rejected")),
    "squad": pa.schema([*columns("context question"), ("answers", ANSWERS), ("id", TEXT)]),
    "choice": labelled(
        [*columns("question choices"), ("label", LABEL), ("id", TEXT)], label=("first", "second")
    ),
}


def sentence_table(pairs: Iterable[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `SENTENCE_SCHEMA`, the implausible member of each pair after the plausible one."""
    rows = [
        {
            "id": f"{pair.pair_id}-{condition[0]}",
            "pair_id": pair.pair_id,
            "condition": condition,
            "level": pair.level,
            "domain": chain.domain(knowledge),
            **text_columns(chain.sentence()),
            "nouns": [noun.noun for noun in chain.nouns],
            "verbs": [verb.verb for verb in chain.verbs],
            "events": [event.as_row() for event in chain.events(knowledge)],
            "violated": [" ".join(one.restrictions) for one in chain.judgements(knowledge)],
            "directions": " ".join(_directions(chain, knowledge)),
            "noun_zipf": fmean(noun.zipf for noun in chain.nouns),
            "verb_zipf": fmean(verb.zipf for verb in chain.verbs),
        }
        for pair, condition, chain in members(pairs)
    ]
    return pa.Table.from_pylist(rows, schema=SENTENCE_SCHEMA)


def text_columns(sentence: str) -> dict[str, str | int]:
    """A sentence and its lengths."""
    n_words, n_characters = len(sentence.split()), len(sentence)
    return {"sentence": sentence, "n_words": n_words, "n_characters": n_characters}


def question_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `QUESTION_SCHEMA`, outermost entity first, each question of both members in turn."""
    sentences = sentence_table(pairs, knowledge).rename_columns({"id": "sentence_id"})
    numbers: list[int] = []
    questions: list[CenterQuestion] = []
    for number, pair in enumerate(pairs):
        asked = (
            ask_questions(chain.events(knowledge), knowledge.people)
            for *_, chain in members([pair])
        )
        for both in zip(*asked, strict=True):
            numbers += (2 * number, 2 * number + 1)
            questions += both
    shared = sentences.take(pa.array(numbers, COUNT))
    own: dict[str, Any] = {
        name: [getattr(question, name) for question in questions] for name in CenterQuestion._fields
    }
    own["difficulty"] = [DIFFICULTY[question.question_type] for question in questions]
    own["id"] = [
        f"{sentence_id}-{question.depth}-{question.question_type}"
        for sentence_id, question in zip(shared["sentence_id"].to_pylist(), questions, strict=True)
    ]
    names = QUESTION_SCHEMA.names
    columns = {name: own[name] if name in own else shared[name] for name in names}
    return pa.table(columns, schema=QUESTION_SCHEMA)


def control_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `CONTROL_SCHEMA`: the questions about the same events in other constructions.

    Both members of a pair are there or neither, since they have the same verbs; a pair whose verbs
    do not all have a passive is right-branching only.
    """
    asked = question_table(pairs, knowledge).to_pylist() if pairs else []
    rows = []
    for pair, (_, of_pair) in zip(pairs, groupby(asked, itemgetter("pair_id")), strict=True):
        questions = list(of_pair)
        for construction in CONSTRUCTIONS:
            told = {way: construct(chain, construction) for _, way, chain in members([pair])}
            for row in questions if None not in told.values() else ():
                own = {
                    "id": f"{row['id']}-{construction}",
                    "question_id": row["id"],
                    "construction": construction,
                    "also_changes": ALSO_CHANGES[construction],
                }
                rows.append(row | own | text_columns(str(told[row["condition"]])))
    return pa.Table.from_pylist(rows, schema=CONTROL_SCHEMA)


def members(pairs: Iterable[SentencePair]) -> Iterator[tuple[SentencePair, Condition, Chain]]:
    """Both members of each pair, the plausible one first."""
    for pair in pairs:
        yield pair, "plausible", pair.plausible
        yield pair, "implausible", pair.implausible


def _directions(chain: Chain, knowledge: KnowledgeBase) -> Iterator[str]:
    """Per relation, innermost first: up, down, or none between equals and between domains."""
    for subject, patient in pairwise(chain.nouns[::-1]):
        is_ranked = knowledge.domain(subject) == knowledge.domain(patient)
        if not is_ranked or subject.rank == patient.rank:
            yield "none"
        else:
            yield "up" if subject.rank < patient.rank else "down"
