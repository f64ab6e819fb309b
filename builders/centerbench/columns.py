"""A draw as plain columns: one row per sentence, one row per question.

Sentence pairs in, dicts of lists out. A question row repeats its sentence's columns; to keep large
draws small, it gives the row number of its sentence instead, and whoever makes the table takes them
from there.
"""

from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any, Literal, get_args

from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import Chain
from builders.centerbench.questions import DIFFICULTY, ask_questions
from builders.centerbench.relations import KnowledgeBase

Condition = Literal["plausible", "implausible"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)


def sentence_columns(
    pairs: Iterable[SentencePair], knowledge: KnowledgeBase
) -> dict[str, list[Any]]:
    """Gives one row per sentence, the plausible member of each pair before the implausible one.

    Returns:
        The columns of the `sentences` config: `violated` has, per event and innermost first, the
        restrictions that the event violates, joined by blanks ("" if none); `noun_zipf` and
        `verb_zipf` are means of log10 frequencies per billion words.
    """
    rows = [
        _sentence_row(pair, condition, chain, knowledge)
        for pair, condition, chain in members(pairs)
    ]
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def question_columns(
    pairs: Iterable[SentencePair], knowledge: KnowledgeBase
) -> dict[str, list[Any]]:
    """Gives one row per question, in the order of `sentence_columns`, outermost entity first.

    Returns:
        `id`, `entity`, `depth`, `question_type`, `difficulty`, `question`, `answer`, and
        `sentence_row`, the row number of the sentence.
    """
    names = (
        "id",
        "entity",
        "depth",
        "question_type",
        "difficulty",
        "question",
        "answer",
        "sentence_row",
    )
    rows = (
        (
            f"{pair.pair_id}-{condition[0]}-{q.depth}-{q.question_type}",
            q.entity,
            q.depth,
            q.question_type,
            DIFFICULTY[q.question_type],
            q.question,
            q.answer,
            i,
        )
        for i, (pair, condition, chain) in enumerate(members(pairs))
        for q in ask_questions(chain.events(knowledge), knowledge.people)
    )
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def members(pairs: Iterable[SentencePair]) -> Iterator[tuple[SentencePair, Condition, Chain]]:
    """Gives both members of each pair, the plausible one first."""
    for pair in pairs:
        yield pair, "plausible", pair.plausible
        yield pair, "implausible", pair.implausible


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
