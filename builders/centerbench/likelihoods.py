"""CenterBench for language models: crossed comparisons of two nouns, and forced choice.

    The vole that the owl that the lynx startled swooped down on squeaked.
        The one that squeaked was the vole.          the lynx.
    The lynx that the owl that the vole startled swooped down on squeaked.
        The one that squeaked was the vole.          the lynx.

`pairs`: how much better the vole continues the first sentence than the lynx does, minus the same
after the second sentence, which has the same words. Whatever is only likelier, or shorter, cancels.
Where both members have the same noun (the middle one) there is nothing to compare.
`choice`: the questions of the suite, answered by the likelihood of the sentence's own nouns or
events. The noun of the question is never the answer, so the chance is 1 / (n - 1), and level 1 is
left out. The neighbouring noun is right wherever an agent is asked for in a center-embedded
sentence; about events, and in the right-branching control, it is not.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from builders.centerbench.columns import CHOICE_SCHEMA, LIKELIHOOD_SCHEMA, members
from builders.centerbench.constructions import construct
from builders.centerbench.draw import SentencePair
from builders.centerbench.embedding import Chain
from builders.centerbench.events import Event
from builders.centerbench.questions import CenterQuestion, ask_questions
from builders.centerbench.relations import KnowledgeBase
from builders.likelihoods import Measures, Stretch, behind

ANOTHER = {"animals": "another animal", "people": "another person", "vehicles": "another vehicle"}
"""What stands for the object of a verb, by domain; "another" where the nouns are of several."""
CENTER = "center_embedded"
CHOSEN_TYPES = ("agent_identification", "action_performed")


def likelihood_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `LIKELIHOOD_SCHEMA`: each verb's agent and patient, both members in one row."""
    rows = [row for pair in pairs for row in _crossed(pair, knowledge)]
    return pa.Table.from_pylist(rows, schema=LIKELIHOOD_SCHEMA)


def _crossed(pair: SentencePair, knowledge: KnowledgeBase) -> Iterator[dict[str, Any]]:
    first, second = (chain.events(knowledge)[::-1] for *_, chain in members([pair]))
    domain = _domain(pair.plausible, knowledge)
    for depth, events in enumerate(zip(first, second, strict=True)):
        for construction, probe, nouns in _probes(depth, events, domain):
            if nouns[0] != nouns[1]:
                yield {
                    "id": f"{pair.pair_id}-{depth}-{construction}",
                    "construction": construction,
                    "cluster": pair.pair_id,
                    "level": pair.level,
                    "domain": domain,
                    "depth": depth,
                    "plausible": pair.plausible.sentence(),
                    "implausible": pair.implausible.sentence(),
                    "probe": probe,
                    "plausible_noun": nouns[0],
                    "implausible_noun": nouns[1],
                }


def _domain(chain: Chain, knowledge: KnowledgeBase) -> str:
    domains = {knowledge.domain(noun) for noun in chain.nouns}
    return domains.pop() if len(domains) == 1 else "mixed"


def _probes(
    depth: int, events: tuple[Event, Event], domain: str
) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Construction, probe, and the noun that is right after each member."""
    verb = events[0].verb
    agents = (events[0].subject, events[1].subject)
    if depth == 0:
        yield "outermost", f"The one that {verb.past_phrase} was the", agents
        return
    parts = [verb.past, verb.tail, ANOTHER.get(domain, "another")]
    if verb.is_separable:
        parts[1:] = parts[:0:-1]
    yield "agent", f"The one that {' '.join(filter(None, parts))} was the", agents
    patients = (str(events[0].object), str(events[1].object))
    yield "patient", f"The one {verb.relative_clause} was the", patients


def choice_table(pairs: Sequence[SentencePair], knowledge: KnowledgeBase) -> pa.Table:
    """Rows of `CHOICE_SCHEMA`: questions with the sentence's own answers, from level 2 on.

    The question of a center-embedded sentence is there for both members; the one about an agent
    also of the right-branching sentence about the same events.
    """
    rows = [
        row
        for pair in pairs
        if pair.level > 1
        for _, condition, chain in members([pair])
        for row in _choices(pair, condition, chain, knowledge)
    ]
    return pa.Table.from_pylist(rows, schema=CHOICE_SCHEMA)


def _choices(
    pair: SentencePair, condition: str, chain: Chain, knowledge: KnowledgeBase
) -> Iterator[dict[str, Any]]:
    events = chain.events(knowledge)[::-1]
    for asked in ask_questions(events[::-1], knowledge.people):
        if asked.question_type not in CHOSEN_TYPES:
            continue
        for construction in (CENTER, "right_branching"):
            is_agent = asked.question_type == "agent_identification"
            if construction != CENTER and not is_agent:
                continue
            own = chain.sentence() if construction == CENTER else construct(chain, construction)  # type: ignore[arg-type]  # the one that is no center
            choices = _nouns(events, asked) if is_agent else _events(events, asked)
            answer = asked.answer
            identifier = f"{pair.pair_id}-{condition[0]}-{asked.depth}-{asked.question_type}"
            yield {
                "id": f"{identifier}-{construction}",
                "pair_id": pair.pair_id,
                "construction": construction,
                "cluster": pair.pair_id,
                "condition": condition,
                "level": pair.level,
                "question_type": asked.question_type,
                "sentence": own,
                "question": asked.question,
                "choices": choices,
                "answer": answer,
                "neighbour": _neighbour(events, asked, construction, choices),
                "chance": 1 / len(choices),
            }


def _nouns(events: Sequence[Event], asked: CenterQuestion) -> list[str]:
    """The nouns that the question does not name, as they stand in the sentence."""
    return [f"the {event.subject}" for event in events if event.subject != asked.entity]


def _events(events: Sequence[Event], asked: CenterQuestion) -> list[str]:
    """What was done, but for what was done to the noun of the question."""
    return [
        event.verb.phrase(event.verb.base, event.object)
        for event in events
        if event.object != asked.entity
    ]


def _neighbour(
    events: Sequence[Event], asked: CenterQuestion, construction: str, choices: Sequence[str]
) -> str:
    """The answer with the noun behind that of the question, or before it at the end."""
    nouns = [event.subject for event in events]
    if construction != CENTER:
        nouns.reverse()
    place = nouns.index(asked.entity)
    noun = nouns[place + 1] if place + 1 < len(nouns) else nouns[place - 1]
    return next(
        (
            choice
            for choice in choices
            if choice.endswith(f"the {noun}") or f"the {noun} " in choice
        ),
        "",
    )


def measures(row: Mapping[str, Any]) -> Measures:
    """Both nouns after both members of a pair; or all choices, the right one first."""
    if "probe" in row:
        return {
            "crossed": [
                behind(f"{row[condition]} {row['probe']}", f" {row[noun]}.")
                for condition in ("plausible", "implausible")
                for noun in ("plausible_noun", "implausible_noun")
            ]
        }
    ordered = sorted(row["choices"], key=lambda choice: choice != row["answer"])
    return {"choice": answers_behind(row["sentence"], row["question"], ordered)}


def answers_behind(sentence: str, question: str, choices: Sequence[str]) -> list[Stretch]:
    """Each choice as the answer behind a sentence and a question about it."""
    context = f"{sentence} Question: {question} Answer:"
    return [behind(context, f" {choice}.") for choice in choices]


def crossed_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose members differ in their words, or whose nouns are equal or not in the sentence."""
    names = ("id", "plausible", "implausible", "plausible_noun", "implausible_noun")
    for identifier, first, second, *nouns in zip(*(columns[name] for name in names), strict=True):
        bags = [sorted(text.lower().removesuffix(".").split()) for text in (first, second)]
        if bags[0] != bags[1] or first == second:
            yield f"{identifier}: members, got {first!r} and {second!r}; expected the same words"
        if nouns[0] == nouns[1] or not all(noun in first for noun in nouns):
            yield f"{identifier}: nouns, got {nouns}; expected two of the sentence"


def choice_problems(columns: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Rows whose answer or neighbour is no choice, or whose chance is not by exclusion."""
    names = ("id", "choices", "answer", "neighbour", "chance")
    for identifier, choices, answer, neighbour, chance in zip(
        *(columns[name] for name in names), strict=True
    ):
        if len(set(choices)) != len(choices) or choices.count(answer) != 1:
            yield f"{identifier}: answer, got {answer!r}; expected one of {choices}, all different"
        if neighbour and neighbour not in choices:
            yield f"{identifier}: neighbour, got {neighbour!r}; expected one of {choices}, or none"
        if chance != 1 / len(choices):
            yield f"{identifier}: chance, got {chance}; expected 1 / {len(choices)}"
