"""A draw as Arrow tables: one row per sentence or per question, under the data set's schemas.

Sentence pairs in, tables out. The schemas stand here once; `dataset_scripts` derives the Hub's
features from them.
"""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Any, Literal, get_args

import pyarrow as pa

from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import Chain
from builders.centerbench.questions import DIFFICULTY, ask_questions
from builders.centerbench.relations import KnowledgeBase

Condition = Literal["plausible", "implausible"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)

TEXT, COUNT, FREQUENCY = pa.string(), pa.int32(), pa.float32()
FORMS = ("base", "past", "participle", "gerund", "third", "tail")
VERB = pa.struct([(form, TEXT) for form in FORMS])
EVENTS = pa.list_(pa.struct([("subject", TEXT), ("verb", VERB), ("object", TEXT)]))
PLACE = [("condition", TEXT), ("level", COUNT), ("domain", TEXT), ("sentence", TEXT)]
COVARIATES = [
    ("n_words", COUNT),
    ("n_characters", COUNT),
    ("noun_zipf", FREQUENCY),  # means of log10 frequencies per billion words
    ("verb_zipf", FREQUENCY),
    ("rating_mean", FREQUENCY),  # null until people have rated the sentence
    ("n_raters", COUNT),
]
SENTENCES = pa.schema(
    [
        ("id", TEXT),
        ("pair_id", TEXT),
        *PLACE,
        ("nouns", pa.list_(TEXT)),
        ("verbs", pa.list_(TEXT)),
        ("events", EVENTS),
        ("violated", pa.list_(TEXT)),  # per event the restrictions that it violates, "" if none
        *COVARIATES,
    ]
)
QUESTIONS = pa.schema(
    [
        ("id", TEXT),
        ("pair_id", TEXT),
        ("sentence_id", TEXT),
        *PLACE,
        ("entity", TEXT),
        ("depth", COUNT),
        ("question_type", TEXT),
        ("difficulty", TEXT),
        ("question", TEXT),
        ("answer", TEXT),
        ("events", EVENTS),
        *COVARIATES,
    ]
)
ORIGINALS = ("original_question", "original_answer", "question_difference", "answer_difference")
RELEASED_QUESTIONS = pa.schema([*QUESTIONS, *((name, TEXT) for name in ORIGINALS)])
RELEASED_SENTENCES = pa.schema([*SENTENCES, ("has_structure", pa.bool_())])


def sentence_table(pairs: Iterable[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `SENTENCES`, one per sentence, the plausible member of each pair first.

    `events` and `violated` stand innermost first, `nouns` and `verbs` outermost first.
    """
    rows = [
        _sentence_row(pair, condition, chain, knowledge)
        for pair, condition, chain in members(pairs)
    ]
    return pa.Table.from_pylist(rows, schema=SENTENCES)


def question_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `QUESTIONS`, sentences in the order of `sentence_table`, outermost entity first."""
    sentences = sentence_table(pairs, knowledge).rename_columns({"id": "sentence_id"})
    columns, numbers = _question_columns(pairs, knowledge)
    shared = sentences.take(pa.array(numbers, COUNT))
    return pa.table(
        {name: columns[name] if name in columns else shared[name] for name in QUESTIONS.names},
        schema=QUESTIONS,
    )


def members(pairs: Iterable[SentencePair]) -> Iterator[tuple[SentencePair, Condition, Chain]]:
    """Both members of each pair, the plausible one first."""
    for pair in pairs:
        yield pair, "plausible", pair.plausible
        yield pair, "implausible", pair.implausible


def _question_columns(
    pairs: Iterable[SentencePair], knowledge: KnowledgeBase
) -> tuple[dict[str, list[Any]], list[int]]:
    """What questions of one sentence do not share, and the row of the sentence of each."""
    columns: dict[str, list[Any]] = {}
    numbers: list[int] = []
    for number, (pair, condition, chain) in enumerate(members(pairs)):
        for asked in ask_questions(chain.events(knowledge), knowledge.people):
            row = asked._asdict() | {
                "id": f"{pair.pair_id}-{condition[0]}-{asked.depth}-{asked.question_type}",
                "difficulty": DIFFICULTY[asked.question_type],
            }
            numbers.append(number)
            for name, value in row.items():
                columns.setdefault(name, []).append(value)
    return columns, numbers


def _sentence_row(
    pair: SentencePair, condition: Condition, chain: Chain, knowledge: KnowledgeBase
) -> dict[str, Any]:
    sentence = chain.sentence()
    return {
        "id": f"{pair.pair_id}-{condition[0]}",
        "pair_id": pair.pair_id,
        "condition": condition,
        "level": pair.level,
        "domain": _domain(chain, knowledge),
        "sentence": sentence,
        "nouns": [noun.noun for noun in chain.nouns],
        "verbs": [verb.verb for verb in chain.verbs],
        "events": [event.as_row() for event in chain.events(knowledge)],
        "violated": [" ".join(judgement.restrictions) for judgement in chain.judgements(knowledge)],
        "n_words": len(sentence.split()),
        "n_characters": len(sentence),
        "noun_zipf": fmean(noun.zipf for noun in chain.nouns),
        "verb_zipf": fmean(verb.zipf for verb in chain.verbs),
        "rating_mean": None,
        "n_raters": None,
    }


def _domain(chain: Chain, knowledge: KnowledgeBase) -> str:
    domains = {knowledge.domain(noun) for noun in chain.nouns}
    return domains.pop() if len(domains) == 1 else "mixed"
