"""The strict scorer: per question type, structural, from the row's `events` alone.

An answer is read with the words of its own sentence (`reading`) and is right if everything it
states is true of the sentence and the part that was asked for is what the events say. It does not
matter how it is said: tense, voice, articles, connectors, case. A word that the sentence and
`wording` do not know makes the answer wrong: a negation, an alternative, a second noun cannot slip
through.
"""

import re
from collections.abc import Callable

from .cleaning import answer_units
from .reading import (
    NO_OBJECT,
    Clause,
    Event,
    Reader,
    Sentence,
    noun_symbol,
    read_clause,
    read_relatives,
)
from .vocabulary import NOUN
from .wording import (
    ARTICLES,
    CONSTANT_FRAME,
    COUNTING_WORDS,
    NO_CONSEQUENCE,
    NO_PRIOR_EVENTS,
    NUMBER_WORDS,
)

QUESTION_TYPES = (
    "action_performed",
    "agent_identification",
    "entity_count",
    "nested_dependency",
    "causal_sequence",
    "chain_consequence",
)
_NUMBERS = {word: value for value, word in enumerate(NUMBER_WORDS)}
_SYMBOL = re.compile(r"[A-Z].|.")
_TOKEN = re.compile(r"'[a-z]+|[^\W\d_]+|\d+|[^\s]")
# "No prior events led to the dog's action." / "None from the dog's involvement."
_ABOUT_ENTITY = re.compile(
    r"(?: that)? (?:led to|caused|preceded|before|of|from|for) "
    r"[^.,;:]{1,60}?(?:action|actions|involvement)$"
)
# "... which led to the dog's action": the last link of a causal answer may name the action without
# saying it
_TO_ACTION = re.compile(
    r",?\s*(?:which |that )?(?:led|leading|leads) to (?P<entity>[^.,;:]{1,40}?)'s action\.?$"
)


def is_correct(
    reply: str,
    sentence: Sentence,
    depth: int,
    question_type: str,
    *,
    accept_full_chain: bool = False,
) -> bool:
    """Whether a reply answers one question of a sentence.

    Args:
        reply: The whole reply; `cleaning.answer_units` finds the answer in it.
        sentence: The sentence's events.
        depth: Depth of the entity that is asked about, 0 = outermost.
        question_type: One of `QUESTION_TYPES`.
        accept_full_chain: Whether a consequence may go on to the end of the chain of events.

    Source: question and answer rules of CenterBench (EACL 2026), Table 9; that the answer is
        compared by structure is ours.
    """
    units = answer_units(reply, has_items=question_type != "entity_count")
    if not units:
        return False
    own = sentence.n - 1 - depth  # the entity's own event
    decides = [_DECIDE[question_type]]
    if question_type == "chain_consequence" and depth and accept_full_chain:
        decides.append(_is_chain)
    return any(decide(units, reader, own) for decide in decides for reader in sentence.readers)


def _is_action(units: list[str], reader: Reader, own: int) -> bool:
    return _states(units[0], reader, reader.events[own])


def _is_nested(units: list[str], reader: Reader, own: int) -> bool:
    return _states(units[0], reader, reader.events[own or 1])


def _states(unit: str, reader: Reader, event: Event) -> bool:
    """Whether a unit states the event, as a clause or as a verb phrase whose subject is understood."""
    reading = reader.read(unit)
    subject = noun_symbol(event[0])
    if not reading.startswith(NOUN):  # it barked / did bark / bark
        reading = subject + reading.removeprefix("i")
    return _is_whole_true(reading, reader, event)


def _is_agent(units: list[str], reader: Reader, own: int) -> bool:
    asked = reader.events[own - 1] if own else reader.events[0]
    entity = asked[0] if own else asked[2]
    reading = reader.read(units[0])
    # it was the dog / by the dog
    reading = reading.removeprefix("ib").removeprefix("y") if reading[:1] in "iy" else reading
    if not reading:
        return False
    return (
        _is_noun_phrase(reading, reader, entity)
        or _is_whole_true(reading, reader, asked)
        or _names_agent(reading, asked, noun_symbol(entity), bool(own))
    )


def _is_noun_phrase(reading: str, reader: Reader, entity: int) -> bool:
    """Whether a reading is a noun with true relative clauses: "the dog that chased the cat"."""
    noun = noun_symbol(entity)
    events, end = read_relatives(reading, len(noun), entity)
    return (
        reading.startswith(noun) and end == len(reading) and reader.true_events.issuperset(events)
    )


def _names_agent(reading: str, asked: Event, wanted: str, is_agent: bool) -> bool:
    """Answers that take the rest from the question: the dog did (it) / the dog chased (it) / the dog was affected by the cat."""
    agent = noun_symbol(asked[0])
    if not is_agent:
        return bool(re.fullmatch(f"{wanted}bf(?:y{agent})?|{agent}f{wanted}", reading))
    if re.fullmatch(f"{wanted}xi?", reading):
        return True
    clause = read_clause(reading.removesuffix("i"))
    return (
        clause is not None
        and clause.end == len(reading.removesuffix("i"))
        and clause.event == (asked[0], asked[1], NO_OBJECT)
    )


def _is_count(units: list[str], reader: Reader, own: int) -> bool:
    words = [word for word in _TOKEN.findall(units[0]) if word not in ARTICLES]
    values = {
        int(word) if word.isdigit() else _NUMBERS[word]
        for word in words
        if word.isdigit() or word in _NUMBERS
    }
    rest = [
        word
        for word in words
        if not word.isdigit() and word not in _NUMBERS and word not in COUNTING_WORDS
    ]
    return values == {reader.n} and (not rest or _lists_all(" ".join(rest), reader))


def _lists_all(text: str, reader: Reader) -> bool:
    """Whether what is listed after the number is every entity once, in any order."""
    nouns = _SYMBOL.findall(reader.read(text))
    return sorted(nouns) == [noun_symbol(entity) for entity in range(reader.n)]


def _is_causal(units: list[str], reader: Reader, own: int) -> bool:
    if own == 0:
        return _is_constant(units[0], NO_PRIOR_EVENTS)
    return _is_sequence(units, reader, reader.events[:own], [reader.events[own]])


def _is_consequence(units: list[str], reader: Reader, own: int) -> bool:
    if own == reader.n - 1:
        return _is_constant(units[0], NO_CONSEQUENCE)
    told = [
        reader.events[own],
        reader.events[own + 1],
    ]  # the goat bleated / the horse kicking the goat led to the goat bleating
    return _is_whole_true(reader.read(units[0]).lstrip(">"), reader, told[1]) or _is_sequence(
        units[:1], reader, told, []
    )


def _is_chain(units: list[str], reader: Reader, own: int) -> bool:
    return _is_sequence(units, reader, reader.events[own + 1 :], [])


def _is_constant(unit: str, aliases: frozenset[str]) -> bool:
    words = [word for word in _TOKEN.findall(unit) if word.isalnum() or word.startswith("'")]
    text = _ABOUT_ENTITY.sub("", " ".join(word for word in words if word not in ARTICLES))
    return " ".join(word for word in text.split() if word not in CONSTANT_FRAME) in aliases


def _is_whole_true(reading: str, reader: Reader, event: Event) -> bool:
    clause = read_clause(reading)
    return (
        clause is not None
        and clause.end == len(reading)
        and clause.event == event
        and reader.true_events.issuperset(clause.relatives)
    )


def _is_sequence(units: list[str], reader: Reader, wanted: list[Event], own: list[Event]) -> bool:
    """Whether the units state the wanted events in their order, and nothing false; the entity's own action may close them."""
    clauses = _clauses(units, reader)
    main = [clause.event for clause in clauses]
    flat = [event for clause in clauses for event in (clause.event, *clause.relatives)]
    is_told = any(events in (wanted, wanted + own) for events in (main, flat))
    return is_told and reader.true_events.issuperset(flat)


def _clauses(units: list[str], reader: Reader) -> list[Clause]:
    """The clauses of all units up to the first unit that is more, or other, than events; none if that is the first unit."""
    found: list[Clause] = []
    for unit in units:
        clauses = _clauses_of_unit(reader.read(_TO_ACTION.sub("", unit)))
        if clauses is None:
            break
        found += clauses
    return found


def _clauses_of_unit(reading: str) -> list[Clause] | None:
    """The clauses of a unit, None where anything else is in it; a verb phrase without a subject has that of the clause before it.

    "The farmer fed the horse and kicked the goat" says that the farmer kicked, "the horse was fed
    by the farmer and kicked the goat" that the horse did.
    """
    clauses: list[Clause] = []
    while reading:
        clause = read_clause(reading)
        if clause is None and clauses:
            reading = clauses[-1].subject + reading
            clause = read_clause(reading)
        if clause is None:
            return None
        clauses.append(clause)
        rest = reading[clause.end :]
        reading = rest.lstrip(",a>")
        if rest and rest == reading:
            return None
    return clauses or None


_DECIDE: dict[str, Callable[[list[str], Reader, int], bool]] = {
    "action_performed": _is_action,
    "agent_identification": _is_agent,
    "entity_count": _is_count,
    "nested_dependency": _is_nested,
    "causal_sequence": _is_causal,
    "chain_consequence": _is_consequence,
}
