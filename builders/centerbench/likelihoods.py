"""CenterBench for language models: crossed comparisons of two nouns, and forced choice.

    The page that the king that the sergeant that the cadet that the corporal dressed down
    disobeyed obeyed punished tattled.
        The one that obeyed another person was the sergeant.          the king.

`pairs`: how much better the sergeant continues this sentence than the king does, minus the same
where the two have changed places and what is said is not plausible (`exchanges`). `choice`: what
one noun did or who did one thing, two answers of the sentence to each question (`counterparts`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from builders.centerbench.columns import CHOICE_SCHEMA, LIKELIHOOD_SCHEMA
from builders.centerbench.counterparts import ask_in_counterparts, exchange_in_counterparts
from builders.centerbench.crossings import did_to_another
from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import branching
from builders.centerbench.parser import CenterLexicon
from builders.centerbench.relations import KnowledgeBase

CENTER = "center_embedded"
MIXED = "nested_and_right_branching"


def likelihood_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA`: who did it in a plausible sentence, of two nouns."""
    rows = []
    for asked in exchange_in_counterparts(pairs, knowledge):
        chain, level = asked.pair.plausible, asked.pair.level
        nouns = [option.removeprefix("the ") for option in asked.options]
        right, wrong = nouns[asked.label], nouns[1 - asked.label]
        depth, domain = [one.noun for one in chain.nouns].index(right), chain.domain(knowledge)
        rows.append(
            {
                "id": _two_digits(asked.id, level),
                "construction": MIXED if asked.n_right else CENTER,
                "cluster": _two_digits(asked.pair.pair_id, level),
                "level": level,
                "domain": domain,
                "depth": depth,
                "plausible": asked.sentence,
                "implausible": branching(asked.pair.implausible, asked.n_right),
                "probe": f"The one that {did_to_another(chain.verbs[depth], domain)} was the",
                "plausible_noun": right,
                "implausible_noun": wrong,
            }
        )
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


def _two_digits(name: str, level: int) -> str:
    """A name that begins with a level, as long for level 10 as for others.

    The viewer has no statistics of texts whose lengths are two consecutive ones.
    """
    return name if level > 9 else f"0{name}"


def choice_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `CHOICE_SCHEMA`: questions with two answers each, see `counterparts`."""
    rows = [
        asked._asdict()
        | {
            "pair_id": asked.pair.pair_id,
            "construction": MIXED if asked.n_right else CENTER,
            "cluster": asked.pair.pair_id,
            "level": asked.pair.level,
            "choices": asked.options,
            "answer": asked.options[asked.label],
            "chance": 1 / len(asked.options),
        }
        for asked in ask_in_counterparts(pairs, knowledge)
    ]
    return pa.Table.from_pylist(rows, schema=CHOICE_SCHEMA)


def crossed_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose members differ in their words, or whose nouns are equal or not in the sentence."""
    names = ("id", "plausible", "implausible", "plausible_noun", "implausible_noun")
    for identifier, first, second, *nouns in zip(*(columns[name] for name in names), strict=True):
        bags = [sorted(text.lower().removesuffix(".").split()) for text in (first, second)]
        if bags[0] != bags[1] or first == second:
            yield f"{identifier}: members, got {first!r} and {second!r}; expected the same words"
        if nouns[0] == nouns[1] or not all(noun in first for noun in nouns):
            yield f"{identifier}: nouns, got {nouns}; expected two of the sentence"


def choice_problems(
    columns: Mapping[str, Sequence[Any]], lexicon: CenterLexicon, knowledge: KnowledgeBase
) -> Iterator[str]:
    """Rows whose answer is no choice, whose chance is not theirs, or whose sentence says another.

    What a sentence says is found by parsing it.
    """
    names = ("id", "choices", "answer", "chance", "question_type", "sentence", "entity", "question")
    rows = zip(*(columns[name] for name in names), strict=True)
    for identifier, choices, answer, chance, kind, sentence, entity, question in rows:
        if len(set(choices)) != len(choices) or choices.count(answer) != 1:
            yield f"{identifier}: answer, got {answer!r}; expected one of {choices}, all different"
        if chance != 1 / len(choices):
            yield f"{identifier}: chance, got {chance}; expected 1 / {len(choices)}"
        (reading,) = lexicon.parse(sentence)
        done = next(e for e in reading.events(knowledge.forms) if e.subject == entity)
        told = done.verb.phrase(done.verb.base, done.object)
        if kind == "agent_identification":
            told = f"the {entity}" if f" {done.verb.past_phrase} another" in question else ""
        if answer != told:
            yield f"{identifier}: answer, got {answer!r}; expected {told!r} of {sentence!r}"
