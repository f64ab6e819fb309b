"""What one unit of a reply states, as far as a question about one event, agent or number goes."""

import re
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from .reading import NO_OBJECT, Event, Reader, noun_symbol, read_clause, read_relatives
from .vocabulary import NOUN
from .wording import ARTICLES, COUNTING_WORDS, NUMBER_WORDS

_NUMBERS = {word: value for value, word in enumerate(NUMBER_WORDS)}
_SYMBOL = re.compile(r"[A-Z].|.")
TOKEN = re.compile(r"'[a-z]+|[^\W\d_]+|\d+|[^\s]")


class Verdict(Enum):
    """What a unit states, as far as a question is concerned."""

    RIGHT = "what was asked for"
    TRUE = "something else that is true"
    FALSE = "something false, or another answer"
    NOTHING = "nothing that can be read"


class Decision(NamedTuple):
    """Whether a reply is right, and whether anything in it could be read as a statement."""

    is_right: bool
    is_parsed: bool


class AskedQuestion(NamedTuple):
    """A question about one entity; `own` is its event, innermost first."""

    kind: str
    own: int
    accept_full_chain: bool


# ----------------------------------------------------------------------------------------------
# one event, or the one who did it


def _of_event(unit: str, reader: Reader, question: AskedQuestion) -> Verdict:
    """Verdict on a clause, or on a verb phrase whose subject is the entity that was asked about."""
    own = question.own
    event = reader.events[(own or 1) if question.kind == "nested_dependency" else own]
    reading = reader.read(unit)
    if _is_identity(reading):
        return Verdict.TRUE if reading[:2] == reading[3:] else Verdict.FALSE
    if _is_denial(reading, reader):
        return Verdict.TRUE
    if not reading.startswith(NOUN):  # it barked / did bark / bark
        reading = noun_symbol(event[0]) + reading.removeprefix("i")
    return of_clause(reading, reader, event)


def _of_agent(unit: str, reader: Reader, question: AskedQuestion) -> Verdict:
    asked = reader.events[question.own - 1] if question.own else reader.events[0]
    entity = asked[0] if question.own else asked[2]
    reading = reader.read(unit)
    # it was the dog / by the dog
    reading = reading.removeprefix("ib").removeprefix("y") if reading[:1] in "iy" else reading
    noun = noun_symbol(entity)
    if _is_identity(reading):  # the one that chased the cat is the dog
        return Verdict.RIGHT if reading[:2] == reading[3:] == noun else Verdict.FALSE
    if _is_denial(reading, reader):
        return Verdict.TRUE
    if _is_noun_phrase(reading, reader, entity) or _names_agent(
        reading, asked, noun, bool(question.own)
    ):
        return Verdict.RIGHT
    if reading.startswith(NOUN) and read_relatives(reading, len(noun), 0)[1] == len(reading):
        return Verdict.FALSE  # another noun, or something false of it
    return of_clause(reading, reader, asked)


def of_clause(reading: str, reader: Reader, event: Event) -> Verdict:
    """Verdict on a reading that is one clause: the wanted event, another one, or a false one."""
    clause = read_clause(reading)
    if clause is None or clause.end != len(reading):
        return Verdict.NOTHING
    if not reader.true_events.issuperset((clause.event, *clause.relatives)):
        return Verdict.FALSE
    return Verdict.RIGHT if clause.event == event else Verdict.TRUE


def _is_identity(reading: str) -> bool:
    """Whether a reading says that one noun is another: "the one that slept was the cat"."""
    return len(reading) == 5 and reading[0] == reading[3] == NOUN and reading[2] == "b"


def _is_denial(reading: str, reader: Reader) -> bool:
    """Whether a reading rightly says of an event that it was not so: "the cat did not sleep"."""
    if reading.count("n") != 1:
        return False
    clause = read_clause(reading.replace("n", ""))
    return (
        clause is not None
        and clause.end == len(reading) - 1
        and clause.event not in reader.true_events
        and not (clause.event[2] == NO_OBJECT and _is_cut(clause.event, reader))
    )


def _is_cut(event: Event, reader: Reader) -> bool:
    """Whether an event without an object is a true one with its object left out."""
    return any(event[:2] == true[:2] for true in reader.events)


def _is_noun_phrase(reading: str, reader: Reader, entity: int) -> bool:
    """Whether a reading is a noun with true relative clauses: "the dog that chased the cat"."""
    noun = noun_symbol(entity)
    if not reading.startswith(noun):
        return False
    events, end = read_relatives(reading, len(noun), entity)
    return end == len(reading) and reader.true_events.issuperset(events)


def _names_agent(reading: str, asked: Event, wanted: str, is_agent: bool) -> bool:
    """Whether an answer takes the rest from the question.

    the dog did (it) / the dog chased (it) / the dog was affected by the cat
    """
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


# ----------------------------------------------------------------------------------------------
# how many


def _of_count(unit: str, reader: Reader, question: AskedQuestion) -> Verdict:
    words = [word for word in TOKEN.findall(unit) if word not in ARTICLES]
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
    if not values or (rest and not _lists_all(" ".join(rest), reader)):
        return Verdict.FALSE if len(values) == 1 and values != {reader.n} else Verdict.NOTHING
    return Verdict.RIGHT if values == {reader.n} else Verdict.FALSE


def _lists_all(text: str, reader: Reader) -> bool:
    """Whether what is listed after the number is every entity once, in any order."""
    nouns = _SYMBOL.findall(reader.read(text))
    return sorted(nouns) == [noun_symbol(entity) for entity in range(reader.n)]


VERDICTS: dict[str, Callable[[str, Reader, AskedQuestion], Verdict]] = {
    "action_performed": _of_event,
    "agent_identification": _of_agent,
    "entity_count": _of_count,
    "nested_dependency": _of_event,
}
