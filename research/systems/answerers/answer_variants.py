"""Right answers in other words, and wrong ones that look like them.

For any question about any center-embedded sentence: from its events (innermost first, as in the
data set) and the entity's own event to pairs of a class and an answer. Written from the suite's
answer conventions, without the scorer.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Event = Mapping[str, Any]
Events = Sequence[Event]
Variant = tuple[str, str]

QUESTION_TYPES = (
    *("action_performed", "agent_identification", "entity_count", "nested_dependency"),
    *("causal_sequence", "chain_consequence"),
)
NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five"),
    *("six", "seven", "eight", "nine", "ten", "eleven"),
)
UNKNOWN_NOUN = "quokka"
LED_TO = " which led to "


def verb_phrase(event: Event, form: str, obj: str | None = "own", *, with_tail: bool = True) -> str:
    """An event's verb phrase in a form of its verb, with its own object, another, or none."""
    obj = event["object"] if obj == "own" else obj
    tail = event["verb"]["tail"] if with_tail else ""
    return " ".join(filter(None, (event["verb"][form], tail, f"the {obj}" if obj else "")))


def clause(
    event: Event, form: str = "past", *, subject: str | None = None, obj: str | None = "own"
) -> str:
    """An event as a clause, if asked with another subject or object."""
    return f"the {subject or event['subject']} {verb_phrase(event, form, obj)}"


def told(events: Events, link: str, form: str = "past") -> str:
    """Events as clauses, one after the other."""
    return link.join(clause(event, form) for event in events)


def elided(events: Events, link: str, form: str = "past") -> str:
    """The same with the first subject alone: the farmer fed the horse and kicked the goat."""
    rest = (verb_phrase(event, form) for event in events[1:])
    return link.join([clause(events[0], form), *rest])


def turned(event: Event) -> Event:
    """An event with subject and object exchanged."""
    return {**event, "subject": event["object"], "object": event["subject"]}


def passive(event: Event) -> str:
    """An event in the passive, with its agent."""
    tail = f" {event['verb']['tail']}" if event["verb"]["tail"] else ""
    verb = f"{event['verb']['participle']}{tail}"
    return f"the {event['object']} was {verb} by the {event['subject']}"


def relative(events: Events, i: int) -> str:
    """The object of event i with a relative clause that tells its own action."""
    return f"{clause(events[i])} that {verb_phrase(events[i + 1], 'past')}"


def asked_event(events: Events, own: int, question_type: str) -> int | None:
    """The event that an action, nested dependency or consequence is about; None for a constant."""
    if question_type == "action_performed":
        return own
    if question_type == "nested_dependency":
        return own or 1
    if question_type == "chain_consequence" and own + 1 < len(events):
        return own + 1
    return None


def gold_answer(events: Events, own: int, question_type: str) -> str:
    """The answer in the words of the suite."""
    if question_type == "entity_count":
        return str(len(events))
    if question_type == "agent_identification":
        return f"the {events[own - 1]['subject'] if own else events[0]['object']}"
    if question_type == "causal_sequence":
        return told(events[:own], LED_TO, "gerund") or "no prior events"
    if question_type == "chain_consequence":
        return clause(events[own + 1]) if own + 1 < len(events) else "none"
    event = events[own or 1] if question_type == "nested_dependency" else events[own]
    return verb_phrase(event, "past" if question_type == "nested_dependency" else "base")


def paraphrases(events: Events, own: int, question_type: str) -> Iterator[Variant]:
    """Right answers in other words."""
    yield from _wrapped(gold_answer(events, own, question_type))
    if question_type == "entity_count":
        yield from _counts(len(events))
    elif question_type == "agent_identification":
        yield from _agents(events, own)
    elif question_type == "causal_sequence":
        yield from _causes(events, own) if own else _no_prior_events(events)
    elif (asked := asked_event(events, own, question_type)) is not None:
        yield from _happenings(events, asked, question_type)
    else:
        yield from _no_consequences(events)


def _wrapped(gold: str) -> Iterator[Variant]:
    yield "gold", gold
    yield "case", gold.upper()
    yield "case", gold.capitalize()
    yield "full stop", f"{gold}."
    yield "label", f"Answer: {gold}"
    yield "label", f"**Answer:** {gold}"
    yield "label", f"The answer is: {gold}."
    yield "markdown", f"**{gold}**"
    yield "markdown", f"`{gold}`"
    yield "invisible", "\u200b" + gold.replace(" ", "\u00a0", 1) + "\ufeff"
    yield "reasoning", f"<think>\nAnswer: the {UNKNOWN_NOUN}? No.\n</think>\n\n{gold}"
    yield "last answer", f"Answer: the {UNKNOWN_NOUN}\nWait, that is wrong.\nFinal answer: {gold}"
    yield "explanation after", f"{gold}\n\nThis follows from the structure of the sentence."
    if "the " in gold:
        yield "articles", gold.replace("the ", "")
        yield "articles", gold.replace("the ", "a ")


def _counts(n: int) -> Iterator[Variant]:
    yield "number words", NUMBER_WORDS[n]
    yield "number words", NUMBER_WORDS[n].capitalize() + " entities."
    yield "number in a sentence", f"There are {n} distinct entities in the sentence."
    yield "contractions", f"There're {n} entities."


def _agents(events: Events, own: int) -> Iterator[Variant]:
    asked = events[own - 1] if own else events[0]
    wanted = asked["subject"] if own else asked["object"]
    yield "full clause", clause(asked)
    yield "passive", passive(asked)
    yield "cleft", f"It was the {wanted}."
    yield "contractions", f"It's the {wanted}."
    if own:
        yield "full clause", f"The {wanted} did."
    yield "relative clause", f"the {wanted} that {verb_phrase(asked if own else events[1], 'past')}"
    head = wanted.split()[-1]
    if sum(event["subject"].split()[-1] == head for event in events) == 1:
        yield "head noun", head


def _happenings(events: Events, i: int, question_type: str) -> Iterator[Variant]:
    event, is_clause = events[i], question_type == "chain_consequence"
    subject, tail = f"the {event['subject']}", event["verb"]["tail"]
    for form, name in (("past", "past"), ("third", "third-person present"), ("base", "base")):
        yield name, clause(event, form) if is_clause else verb_phrase(event, form)
    yield "full clause", clause(event).capitalize() + "."
    yield "full clause", f"{subject} did {verb_phrase(event, 'base')}"
    yield "gerund", clause(event, "gerund")
    yield "progressive", f"{subject} was {verb_phrase(event, 'gerund')}"
    yield "contractions", f"The {event['subject']}'s {verb_phrase(event, 'gerund')}"
    if not is_clause:
        yield "pronoun", f"It {verb_phrase(event, 'past')}."
    if event["object"]:
        yield "passive", passive(event)
        yield "relative clause", relative(events, i)
    if event["object"] and tail:
        yield "separated tail", f"{subject} {event['verb']['past']} the {event['object']} {tail}"


def _causes(events: Events, own: int) -> Iterator[Variant]:
    prior, with_action = events[:own], events[: own + 1]
    links = {"commas": ", ", "and then": " and then ", "commas and then": ", and then "}
    forms = {"past": "past for gerund", "third": "third-person present", "gerund": "gerund"}
    for form, form_name in forms.items():
        for name, link in {form_name: LED_TO, **links}.items():
            yield name, told(prior, link, form)
    yield "passive", ", ".join(map(passive, prior))
    numbered = list(enumerate(prior, 1))
    yield "numbered list", "\n".join(f"{i}. {clause(event).capitalize()}" for i, event in numbered)
    yield "numbered list", " ".join(f"{i}) {clause(event, 'gerund')}" for i, event in numbered)
    yield "sentences", " ".join(f"{clause(event).capitalize()}." for event in prior)
    yield "own action", told(with_action, LED_TO, "gerund")
    yield "own action", told(with_action, ", and then ")
    had = (f"the {event['subject']}'d {verb_phrase(event, 'participle')}" for event in prior)
    yield "contractions", ", then ".join(had)
    clauses = [*(clause(event, "gerund") for event in prior[:-1]), relative(events, own - 1)]
    yield "relative clause", LED_TO.join(clauses)
    yield "relative clauses", elided(prior, ", which ")


def _no_prior_events(events: Events) -> Iterator[Variant]:
    yield "constant", "No prior events."
    yield "constant", "There were no prior events"
    yield "constant", "None"
    yield "constant", "no previous events"
    yield "constant", f"No prior events led to the {events[0]['subject']}'s action."


def _no_consequences(events: Events) -> Iterator[Variant]:
    yield "constant", "None."
    yield "constant", "nothing"
    yield "constant", "There is no consequence."
    yield "contractions", "There's no consequence."
    yield "constant", f"No consequence of the {events[-1]['subject']}'s involvement"


def mutations(events: Events, own: int, question_type: str) -> Iterator[Variant]:
    """Wrong answers: each states an event that the sentence does not, or omits one."""
    gold = gold_answer(events, own, question_type)
    yield "empty", ""
    yield "refusal", "The sentence does not say."
    yield "the whole sentence", sentence(events)
    yield "negation", f"not {gold}"
    yield "unfinished reasoning", f"<think>It must be {gold}"
    if question_type == "entity_count":
        yield from _wrong_counts(len(events))
    elif question_type == "agent_identification":
        yield from _wrong_agents(events, own)
    elif question_type == "causal_sequence" and own:
        yield from _wrong_causes(events, own)
    elif question_type == "causal_sequence":
        yield from _wrong_happenings(events, 0, question_type)
    elif (asked := asked_event(events, own, question_type)) is not None:
        yield from _wrong_happenings(events, asked, question_type)
        yield "not the constant", "none"
    else:
        yield "other event", clause(events[0])
        yield "own action", clause(events[-1])
        yield "negation", "There is not none"


def sentence(events: Events) -> str:
    """The center-embedded sentence itself, an answer that parses nothing."""
    subjects = " that ".join(f"the {event['subject']}" for event in reversed(events))
    verbs = " ".join(verb_phrase(event, "past", None) for event in events)
    return f"{subjects.capitalize()} {verbs}."


def _wrong_counts(n: int) -> Iterator[Variant]:
    yield "wrong number", str(n + 1)
    yield "wrong number", NUMBER_WORDS[n - 1]
    yield "hedge", f"{n} or {n + 1}"
    yield "hedge", f"at least {n}"
    yield "hedge", f"{n}, maybe {n + 1}"
    yield "negation", f"There are not {n} entities"


def _wrong_agents(events: Events, own: int) -> Iterator[Variant]:
    asked = events[own - 1] if own else events[0]
    wanted = asked["subject"] if own else asked["object"]
    others = [event["subject"] for event in events if event["subject"] != wanted]
    for other in [*others, UNKNOWN_NOUN]:
        yield "other noun", f"the {other}"
    for other in (others[0], UNKNOWN_NOUN):
        yield from _hedges(f"the {wanted}", f"the {other}")
    yield "roles swapped", clause(turned(asked))
    yield "wrong verb", clause({**asked, "verb": events[-1]["verb"]})
    yield "negation", f"The {asked['subject']} did not {verb_phrase(asked, 'base')}"
    yield "negation", f"It wasn't the {wanted}"
    yield "negation", f"anyone but the {wanted}"
    other = events[-1 if own and wanted != events[-1]["subject"] else 0]
    yield "false relative clause", f"the {wanted} that {verb_phrase(other, 'past', None)}"


def _hedges(right: str, wrong: str) -> Iterator[Variant]:
    yield "hedge", f"{right} or {wrong}"
    yield "hedge", f"either {right} or {wrong}"
    yield "hedge", f"{right}/{wrong}"
    yield "hedge", f"{right} and {wrong}"
    yield "hedge", f"{right} (or {wrong})"
    yield "hedge", f"{right}, possibly {wrong}"


def _wrong_happenings(events: Events, i: int, question_type: str) -> Iterator[Variant]:
    event, subject = events[i], f"the {events[i]['subject']}"
    is_clause = question_type in ("chain_consequence", "causal_sequence")

    def phrase(event: Event, obj: str | None = "own") -> str:
        return clause(event, obj=obj) if is_clause else verb_phrase(event, "past", obj)

    for other in (other for k, other in enumerate(events) if k != i):
        rotated = {**event, "verb": other["verb"]}
        if _triple(rotated) != _triple(event):
            yield "verbs rotated", phrase(rotated)
        yield "hedge", f"{phrase(event)} or {verb_phrase(other, 'past')}"
        yield "other noun", clause(event, subject=other["subject"])
        if event["object"] and other["subject"] != event["object"]:
            yield "wrong object", phrase(event, other["subject"])
    yield "negation", f"{subject} did not {verb_phrase(event, 'base')}"
    yield "negation", f"{subject} didn't {verb_phrase(event, 'base')}"
    yield "negation", f"{subject} never {verb_phrase(event, 'past')}"
    yield "modality", f"{subject} might have {verb_phrase(event, 'participle')}"
    if event["object"]:
        bare = verb_phrase(event, "past", None)
        yield "roles swapped", clause(turned(event))
        yield "roles swapped", passive(turned(event))
        yield "verb without object", bare
        yield "verb without object", clause(event, obj=None)
        yield "pronoun for object", f"{bare} it"
        yield "unknown object", verb_phrase(event, "past", UNKNOWN_NOUN)
        false = verb_phrase(events[-1 if i + 2 < len(events) else i], "past", None)
        yield "false relative clause", f"{clause(event)} that {false}"
    if event["verb"]["tail"]:
        yield "verb without tail", f"{subject} {verb_phrase(event, 'past', with_tail=False)}"
        yield "verb without tail", verb_phrase(event, "base", with_tail=False)


def _wrong_causes(events: Events, own: int) -> Iterator[Variant]:
    prior = list(events[:own])
    for name, said in _wrong_sequences(events, prior):
        if list(map(_triple, said)) != list(map(_triple, prior)):
            yield name, told(said, LED_TO, "gerund")
            yield name, told(said, ", ")
    for link in (" and ", ", ", ", then ", " and then ") if len(prior) > 1 else ():
        for form in ("past", "gerund"):
            yield "elision that changes the agent", elided(prior, link, form)
    last, right = prior[-1], told(prior, LED_TO, "gerund")
    denied = f", the {last['subject']} did not {verb_phrase(last, 'base')}"
    yield "negation", told(prior[:-1], ", ") + denied
    yield "negation", f"not {right}"
    yield "hedge", f"{right} or {clause(turned(last), 'gerund')}"
    bare = [*prior[:-1], {**last, "object": None}]
    yield "verb without object", told(bare, LED_TO, "gerund")
    for i, event in enumerate(prior):
        if event["verb"]["tail"]:
            cut = {**event, "verb": {**event["verb"], "tail": ""}}
            yield "verb without tail", told([*prior[:i], cut, *prior[i + 1 :]], ", ")
    yield "not the constant", "no prior events"


def _wrong_sequences(events: Events, prior: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    yield "roles swapped", list(map(turned, prior))
    for i, event in enumerate(prior):
        before, after = prior[:i], prior[i + 1 :]
        beside = events[(i + 2) % len(events)]["subject"]
        yield "one role swapped", [*before, turned(event), *after]
        yield "wrong object", [*before, {**event, "object": UNKNOWN_NOUN}, *after]
        yield "other noun", [*before, {**event, "subject": beside}, *after]
        yield "other noun", [*before, {**event, "subject": UNKNOWN_NOUN}, *after]
        if len(prior) > 1:
            yield "event missing", [*before, *after]
    verbs = [event["verb"] for event in events]
    for shift in range(1, len(events)):
        moved = [*verbs[shift:], *verbs[:shift]]
        pairs = zip(prior, moved, strict=False)
        yield "verbs rotated", [{**event, "verb": verb} for event, verb in pairs]
    if len(prior) > 1:
        yield "order reversed", prior[::-1]


def _triple(event: Event) -> tuple[str, str, str, str | None]:
    """What an event says; two verbs of one base and tail say the same."""
    return event["subject"], event["verb"]["base"], event["verb"]["tail"], event["object"]
