"""Decisions on causal sequences and consequences, whose units are read together."""

import re

from .cleaning import without_frame
from .frames import CONCLUSION, HEDGE, TALK
from .reading import AnswerClause, Event, Reader, read_clause
from .statements import TOKEN, AskedQuestion, Decision, Verdict, of_clause
from .wording import ARTICLES, CONSTANT_FRAME, NO_CONSEQUENCE, NO_PRIOR_EVENTS

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


def decide_sequence(units: list[str], reader: Reader, question: AskedQuestion) -> Decision:
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
    has_talk = not TALK.isdisjoint(TOKEN.findall(unit))
    return (
        has_talk
        and _clauses_of_unit(reader.read(without_frame(unit))) is None
        and not (unit.startswith(("no ", "none", "nothing", "there ")))
    )


def _is_told(
    units: list[str], reader: Reader, question: AskedQuestion, aliases: frozenset[str]
) -> bool:
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
    words = [word for word in TOKEN.findall(constant) if word.isalnum() or word.startswith("'")]
    text = " ".join(word for word in words if word not in ARTICLES)
    text = _ABOUT_ENTITY.sub("", _ENTITY_HAS.sub("", text))
    return " ".join(word for word in text.split() if word not in CONSTANT_FRAME) in aliases


def _is_whole_true(reading: str, reader: Reader, event: Event) -> bool:
    return of_clause(reading, reader, event) is Verdict.RIGHT


def _is_sequence(units: list[str], reader: Reader, wanted: list[Event], own: list[Event]) -> bool:
    """Whether units state the wanted events in their order, and nothing false.

    The entity's own action may close them.
    """
    clauses = _clauses(units, reader)
    main = [clause.event for clause in clauses]
    flat = [event for clause in clauses for event in (clause.event, *clause.relatives)]
    is_told = any(events in (wanted, wanted + own) for events in (main, flat))
    return is_told and reader.true_events.issuperset(flat)


def _is_false(clauses: list[AnswerClause] | None, reader: Reader) -> bool:
    events = [event for clause in clauses or () for event in (clause.event, *clause.relatives)]
    return not reader.true_events.issuperset(events)


def _clauses(units: list[str], reader: Reader) -> list[AnswerClause]:
    """The clauses of all units up to the first that is more, or other, than events."""
    found: list[AnswerClause] = []
    for unit in units:
        clauses = _clauses_of_unit(reader.read(_TO_ACTION.sub("", unit)))
        if clauses is None:
            break
        found += clauses
    return found


def _clauses_of_unit(reading: str) -> list[AnswerClause] | None:
    """The clauses of a unit, None where anything else is in it.

    A verb phrase without a subject has that of the clause before it: "The farmer fed the horse and
    kicked the goat" says that the farmer kicked, "the horse was fed by the farmer and kicked the
    goat" that the horse did.
    """
    clauses: list[AnswerClause] = []
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
