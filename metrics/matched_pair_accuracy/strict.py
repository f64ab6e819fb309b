"""The strict scorer: what a reply states, compared with what the row's `events` say.

A reply is cut into units (`cleaning`), and each unit is read with the words of its own sentence
(`reading`). It is right where its answer states what was asked for and nothing in it is false, and
nothing after the answer takes it back: a second noun, another number, a false sentence, "No, wait".
It does not matter how it is said: tense, voice, articles, connectors, case. Which unit is the
answer: the one after the last "no, wait", else the last one that begins with "therefore" or its
like and states an answer, else the first that states anything.
"""

import re
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from .cleaning import answer_units, without_frame
from .frames import CONCLUSION, CORRECTION, HEDGE, TALK
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
SEQUENCES = ("causal_sequence", "chain_consequence")
_NUMBERS = {word: value for value, word in enumerate(NUMBER_WORDS)}
_SYMBOL = re.compile(r"[A-Z].|.")
_TOKEN = re.compile(r"'[a-z]+|[^\W\d_]+|\d+|[^\s]")
_LIST_NUMBER = re.compile(r"^\(?\d{1,2}[.)]$")
# "No prior events led to the dog's action." / "None from the dog's involvement."
_ABOUT_ENTITY = re.compile(
    r"(?: that)? (?:led to|caused|preceded|before|of|from|for) [^.,;:]{1,60}?"
    r"(?:action|actions|involvement)$"
)
# "The dog's involvement has no consequence."
_ENTITY_HAS = re.compile(r"^[^.,;:]{1,60}?(?: 's)? (?:action|actions|involvement) (?=has |had )")
# "None; the dog is the initiator." / "No prior events, since ..."
_AFTER_CONSTANT = re.compile(r"\s*[;,:]\s+|\s+(?:because|since|as|for) ")
# "... which led to the dog's action": the last link of a causal answer may name the action without
# saying it
_TO_ACTION = re.compile(
    r",?\s*(?:which |that )?(?:led|leading|leads) to (?P<entity>[^.,;:]{1,40}?)'s action\.?$"
)


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


class Question(NamedTuple):
    """A question about one entity; `own` is its event, innermost first."""

    kind: str
    own: int
    accept_full_chain: bool


def is_correct(
    reply: str,
    sentence: Sentence,
    depth: int,
    question_type: str,
    *,
    accept_full_chain: bool = False,
) -> bool:
    """Whether a reply answers one question of a sentence; arguments as in `judge`."""
    return judge(
        reply, sentence, depth, question_type, accept_full_chain=accept_full_chain
    ).is_right


def judge(
    reply: str,
    sentence: Sentence,
    depth: int,
    question_type: str,
    *,
    accept_full_chain: bool = False,
) -> Decision:
    """Reads a reply to one question of a sentence.

    Args:
        reply: The whole reply; `cleaning.answer_units` finds the units in it.
        sentence: The sentence's events.
        depth: Depth of the entity that is asked about, 0 = outermost.
        question_type: One of `QUESTION_TYPES`.
        accept_full_chain: Whether a consequence may go on to the end of the chain of events.

    Source: question and answer rules of CenterBench (EACL 2026), Table 9; that the answer is
        compared by structure is ours.
    """
    question = Question(question_type, sentence.n - 1 - depth, accept_full_chain)
    units = answer_units(reply, has_items=question_type != "entity_count")
    # a word that is a noun and a verb of the sentence is read both ways
    decisions = [_decide(units, reader, question) for reader in sentence.readers]
    return Decision(any(d.is_right for d in decisions), any(d.is_parsed for d in decisions))


def _decide(units: list[str], reader: Reader, question: Question) -> Decision:
    units = _after_corrections(units)
    if question.kind in SEQUENCES:
        return _decide_sequence(units, reader, question)
    verdicts = [
        Verdict.NOTHING
        if i and _LIST_NUMBER.match(unit)  # the 1. of a list
        else _VERDICTS[question.kind](without_frame(unit), reader, question)
        for i, unit in enumerate(units)
    ]
    is_parsed = any(verdict is not Verdict.NOTHING for verdict in verdicts)
    answer = _answer_place(units, verdicts)
    if answer is None or verdicts[answer] is not Verdict.RIGHT:
        return Decision(False, is_parsed)
    is_open = any(map(_takes_back, units[answer + 1 :], verdicts[answer + 1 :]))
    return Decision(not is_open, is_parsed)


def _after_corrections(units: list[str]) -> list[str]:
    """The units from the last "no, wait" on; all if there is none."""
    for i in range(len(units) - 1, 0, -1):
        if match := CORRECTION.match(units[i]):
            rest = units[i][match.end() :]
            return [rest, *units[i + 1 :]] if rest.strip(" .,!") else units[i + 1 :]
    return units


def _answer_place(units: list[str], verdicts: list[Verdict]) -> int | None:
    """Place of the answer: after the last "therefore", else the first unit that is no mere talk."""
    states = (Verdict.RIGHT, Verdict.FALSE)
    for i in range(len(units) - 1, 0, -1):
        if CONCLUSION.match(units[i]) and verdicts[i] in states:
            return i
    for i, (unit, verdict) in enumerate(zip(units, verdicts, strict=True)):
        is_talk = verdict is Verdict.NOTHING and not TALK.isdisjoint(_TOKEN.findall(unit))
        is_introduction = verdict is Verdict.TRUE and i + 1 < len(units)
        if not is_talk and not is_introduction:
            return i
    return None


def _takes_back(unit: str, verdict: Verdict) -> bool:
    return verdict is Verdict.FALSE or (verdict is Verdict.NOTHING and bool(HEDGE.search(unit)))


# ----------------------------------------------------------------------------------------------
# one event, or the one who did it


def _of_event(unit: str, reader: Reader, question: Question) -> Verdict:
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
    return _of_clause(reading, reader, event)


def _of_agent(unit: str, reader: Reader, question: Question) -> Verdict:
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
    return _of_clause(reading, reader, asked)


def _of_clause(reading: str, reader: Reader, event: Event) -> Verdict:
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


def _of_count(unit: str, reader: Reader, question: Question) -> Verdict:
    words = [word for word in _TOKEN.findall(unit) if word not in ARTICLES]
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


_VERDICTS: dict[str, Callable[[str, Reader, Question], Verdict]] = {
    "action_performed": _of_event,
    "agent_identification": _of_agent,
    "entity_count": _of_count,
    "nested_dependency": _of_event,
}


# ----------------------------------------------------------------------------------------------
# sequences of events


def _decide_sequence(units: list[str], reader: Reader, question: Question) -> Decision:
    """Decision on a causal sequence or a consequence, whose units are read together."""
    aliases = NO_PRIOR_EVENTS if question.kind == "causal_sequence" else NO_CONSEQUENCE
    is_last = question.kind == "chain_consequence" and question.own == reader.n - 1
    is_first = question.kind == "causal_sequence" and question.own == 0
    plain = [without_frame(unit) for unit in units]
    place = next((i for i, unit in enumerate(units) if not _is_talk(unit, reader)), None)
    for i in range(len(units) - 1, 0, -1):
        if CONCLUSION.match(units[i]) and _is_told(plain[i:], reader, question, aliases):
            place = i
            break
    if place is None:
        return Decision(False, False)
    plain, units = plain[place:], units[place:]
    is_constant = _is_constant(plain[0], aliases, reader)
    states = [_clauses_of_unit(reader.read(unit)) for unit in plain]
    is_parsed = is_constant or any(states)
    is_right = (
        is_constant and not any(_is_false(state, reader) for state in states[1:])
        if is_last or is_first
        else not is_constant and _is_told(plain, reader, question, aliases)
    )
    is_open = any(
        _is_false(state, reader) or (state is None and HEDGE.search(unit))
        for state, unit in zip(states[1:], units[1:], strict=True)
    )
    is_taken_back = not (is_last or is_first) and any(
        _is_constant(unit, aliases, reader) for unit in plain[1:]
    )
    return Decision(is_right and not is_open and not is_taken_back, is_parsed)


def _is_talk(unit: str, reader: Reader) -> bool:
    """Whether a unit is talk about the sentence that states no event."""
    has_talk = not TALK.isdisjoint(_TOKEN.findall(unit))
    return (
        has_talk
        and _clauses_of_unit(reader.read(without_frame(unit))) is None
        and not (unit.startswith(("no ", "none", "nothing", "there ")))
    )


def _is_told(units: list[str], reader: Reader, question: Question, aliases: frozenset[str]) -> bool:
    own = question.own
    if question.kind == "causal_sequence":
        if own == 0:
            return _is_constant(units[0], aliases, reader)
        return _is_sequence(units, reader, reader.events[:own], [reader.events[own]])
    if own == reader.n - 1:
        return _is_constant(units[0], aliases, reader)
    # the goat bleated / the horse kicking the goat led to the goat bleating
    told = [reader.events[own], reader.events[own + 1]]
    is_next = _is_whole_true(reader.read(units[0]).lstrip(">"), reader, told[1])
    is_chain = question.accept_full_chain and _is_sequence(
        units, reader, reader.events[own + 1 :], []
    )
    return is_next or _is_sequence(units[:1], reader, told, []) or is_chain


def _is_constant(unit: str, aliases: frozenset[str], reader: Reader) -> bool:
    """Whether a unit says that there is none, and says nothing else that can be read."""
    constant, *rest = _AFTER_CONSTANT.split(unit, maxsplit=1)
    if rest and _clauses_of_unit(reader.read(rest[0])) is not None:
        return False
    words = [word for word in _TOKEN.findall(constant) if word.isalnum() or word.startswith("'")]
    text = " ".join(word for word in words if word not in ARTICLES)
    text = _ABOUT_ENTITY.sub("", _ENTITY_HAS.sub("", text))
    return " ".join(word for word in text.split() if word not in CONSTANT_FRAME) in aliases


def _is_whole_true(reading: str, reader: Reader, event: Event) -> bool:
    return _of_clause(reading, reader, event) is Verdict.RIGHT


def _is_sequence(units: list[str], reader: Reader, wanted: list[Event], own: list[Event]) -> bool:
    """Whether units state the wanted events in their order, and nothing false.

    The entity's own action may close them.
    """
    clauses = _clauses(units, reader)
    main = [clause.event for clause in clauses]
    flat = [event for clause in clauses for event in (clause.event, *clause.relatives)]
    is_told = any(events in (wanted, wanted + own) for events in (main, flat))
    return is_told and reader.true_events.issuperset(flat)


def _is_false(clauses: list[Clause] | None, reader: Reader) -> bool:
    events = [event for clause in clauses or () for event in (clause.event, *clause.relatives)]
    return not reader.true_events.issuperset(events)


def _clauses(units: list[str], reader: Reader) -> list[Clause]:
    """The clauses of all units up to the first that is more, or other, than events."""
    found: list[Clause] = []
    for unit in units:
        clauses = _clauses_of_unit(reader.read(_TO_ACTION.sub("", unit)))
        if clauses is None:
            break
        found += clauses
    return found


def _clauses_of_unit(reading: str) -> list[Clause] | None:
    """The clauses of a unit, None where anything else is in it.

    A verb phrase without a subject has that of the clause before it: "The farmer fed the horse and
    kicked the goat" says that the farmer kicked, "the horse was fed by the farmer and kicked the
    goat" that the horse did.
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
