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


def verb_phrase(event: Event, form: str, obj: str | None = "own", *, with_tail: bool = True) -> str:
    """An event's verb phrase in a form of its verb, with its own object, another, or none."""
    obj = event["object"] if obj == "own" else obj
    parts = (
        event["verb"][form],
        event["verb"]["tail"] if with_tail else "",
        f"the {obj}" if obj else "",
    )
    return " ".join(filter(None, parts))


def clause(
    event: Event, form: str = "past", *, subject: str | None = None, obj: str | None = "own"
) -> str:
    """An event as a clause, if asked with another subject or object."""
    return f"the {subject or event['subject']} {verb_phrase(event, form, obj)}"


def swapped(event: Event, form: str = "past") -> str:
    """An event with subject and object exchanged."""
    return clause(event, form, subject=event["object"], obj=event["subject"])


def passive(event: Event) -> str:
    """An event in the passive, with its agent."""
    tail = f" {event['verb']['tail']}" if event["verb"]["tail"] else ""
    return (
        f"the {event['object']} was {event['verb']['participle']}{tail} by the {event['subject']}"
    )


def relative(events: Events, i: int) -> str:
    """The object of event i with a relative clause that tells its own action."""
    following = events[i + 1]
    return f"{clause(events[i])} that {verb_phrase(following, 'past')}"


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
        return (
            " which led to ".join(clause(event, "gerund") for event in events[:own])
            or "no prior events"
        )
    if question_type == "chain_consequence":
        return clause(events[own + 1]) if own + 1 < len(events) else "none"
    event = events[own or 1] if question_type == "nested_dependency" else events[own]
    return verb_phrase(event, "past" if question_type == "nested_dependency" else "base")


def paraphrases(events: Events, own: int, question_type: str) -> Iterator[Variant]:
    """Right answers in other words."""
    gold = gold_answer(events, own, question_type)
    yield from _wrapped(gold)
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
    following = events[own] if own else events[1]
    if own:
        yield "relative clause", f"the {wanted} that {verb_phrase(asked, 'past')}"
    else:
        yield "relative clause", f"the {wanted} that {verb_phrase(following, 'past')}"
    head = wanted.split()[-1]
    if sum(event["subject"].split()[-1] == head for event in events) == 1:
        yield "head noun", head


def _happenings(events: Events, i: int, question_type: str) -> Iterator[Variant]:
    event = events[i]
    for form, name in (("past", "past"), ("third", "third-person present"), ("base", "base")):
        yield (
            name,
            clause(event, form)
            if question_type == "chain_consequence"
            else verb_phrase(event, form),
        )
    yield "full clause", clause(event).capitalize() + "."
    yield "full clause", f"the {event['subject']} did {verb_phrase(event, 'base')}"
    yield "gerund", clause(event, "gerund")
    yield "progressive", f"the {event['subject']} was {verb_phrase(event, 'gerund')}"
    yield "contractions", f"The {event['subject']}'s {verb_phrase(event, 'gerund')}"
    if question_type != "chain_consequence":
        yield "pronoun", f"It {verb_phrase(event, 'past')}."
    if event["object"]:
        yield "passive", passive(event)
        yield "relative clause", relative(events, i)
    if event["object"] and event["verb"]["tail"]:
        yield (
            "separated tail",
            f"the {event['subject']} {event['verb']['past']} the {event['object']}"
            f" {event['verb']['tail']}",
        )


def _causes(events: Events, own: int) -> Iterator[Variant]:
    prior, action = events[:own], events[own]
    for form, name in (
        ("past", "past for gerund"),
        ("third", "third-person present"),
        ("gerund", "gerund"),
    ):
        yield name, " which led to ".join(clause(event, form) for event in prior)
        yield "commas", ", ".join(clause(event, form) for event in prior)
        yield "and then", " and then ".join(clause(event, form) for event in prior)
        yield "commas and then", ", and then ".join(clause(event, form) for event in prior)
    yield "passive", ", ".join(passive(event) for event in prior)
    yield (
        "numbered list",
        "\n".join(f"{i}. {clause(event).capitalize()}" for i, event in enumerate(prior, 1)),
    )
    yield (
        "numbered list",
        " ".join(f"{i}) {clause(event, 'gerund')}" for i, event in enumerate(prior, 1)),
    )
    yield "sentences", " ".join(f"{clause(event).capitalize()}." for event in prior)
    yield "own action", " which led to ".join(clause(event, "gerund") for event in [*prior, action])
    yield "own action", ", and then ".join(clause(event) for event in [*prior, action])
    yield (
        "contractions",
        ", then ".join(
            f"the {event['subject']}'d {verb_phrase(event, 'participle')}" for event in prior
        ),
    )
    yield (
        "relative clause",
        " which led to ".join(
            [*(clause(event, "gerund") for event in prior[:-1]), relative(events, own - 1)]
        ),
    )
    yield "relative clauses", _right_branching(prior)


def _right_branching(prior: Events) -> str:
    # the farmer fed the horse, which kicked the goat, which ...
    return ", which ".join([clause(prior[0]), *(verb_phrase(event, "past") for event in prior[1:])])


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
    elif question_type == "causal_sequence":
        yield from (
            _wrong_causes(events, own) if own else _wrong_happenings(events, 0, question_type)
        )
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
    return (
        f"{subjects.capitalize()} {' '.join(verb_phrase(event, 'past', None) for event in events)}."
    )


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
    yield "roles swapped", swapped(asked)
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
    event = events[i]
    is_clause = question_type in ("chain_consequence", "causal_sequence")
    phrase = clause(event) if is_clause else verb_phrase(event, "past")
    for other in (other for k, other in enumerate(events) if k != i):
        rotated = {**event, "verb": other["verb"]}
        if _triple(rotated) != _triple(event):
            yield "verbs rotated", clause(rotated) if is_clause else verb_phrase(rotated, "past")
        yield "hedge", f"{phrase} or {verb_phrase(other, 'past')}"
        yield "other noun", clause(event, subject=other["subject"])
        if event["object"] and other["subject"] != event["object"]:
            yield (
                "wrong object",
                clause(event, obj=other["subject"])
                if is_clause
                else verb_phrase(event, "past", other["subject"]),
            )
    yield "negation", f"the {event['subject']} did not {verb_phrase(event, 'base')}"
    yield "negation", f"the {event['subject']} didn't {verb_phrase(event, 'base')}"
    yield "negation", f"the {event['subject']} never {verb_phrase(event, 'past')}"
    yield "modality", f"the {event['subject']} might have {verb_phrase(event, 'participle')}"
    if event["object"]:
        yield "roles swapped", swapped(event)
        yield (
            "roles swapped",
            passive({**event, "subject": event["object"], "object": event["subject"]}),
        )
        yield "verb without object", verb_phrase(event, "past", None)
        yield "verb without object", clause(event, obj=None)
        yield "pronoun for object", f"{verb_phrase(event, 'past', None)} it"
        yield "unknown object", verb_phrase(event, "past", UNKNOWN_NOUN)
        yield (
            "false relative clause",
            f"{clause(event)} that"
            f" {verb_phrase(events[-1 if i + 2 < len(events) else i], 'past', None)}",
        )
    if event["verb"]["tail"]:
        yield (
            "verb without tail",
            f"the {event['subject']} {verb_phrase(event, 'past', with_tail=False)}",
        )
        yield "verb without tail", verb_phrase(event, "base", with_tail=False)


def _wrong_causes(events: Events, own: int) -> Iterator[Variant]:
    prior = list(events[:own])
    for name, told_events in _wrong_sequences(events, prior):
        if list(map(_triple, told_events)) != list(map(_triple, prior)):
            yield name, _told_with_led_to(told_events)
            yield name, _told_with_commas(told_events)
    yield from _elisions(prior)
    last = prior[-1]
    yield (
        "negation",
        _told_with_commas(prior[:-1])
        + f", the {last['subject']} did not {verb_phrase(last, 'base')}",
    )
    yield "negation", "not " + _told_with_led_to(prior)
    yield "hedge", _told_with_led_to(prior) + f" or {swapped(last, 'gerund')}"
    yield "verb without object", _told_with_led_to([*prior[:-1], {**last, "object": None}])
    for i, event in enumerate(prior):
        if event["verb"]["tail"]:
            bare = {**event, "verb": {**event["verb"], "tail": ""}}
            yield "verb without tail", _told_with_commas([*prior[:i], bare, *prior[i + 1 :]])
    yield "not the constant", "no prior events"


def _wrong_sequences(events: Events, prior: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    yield "roles swapped", [_swap(event) for event in prior]
    for i, event in enumerate(prior):
        before, after = prior[:i], prior[i + 1 :]
        yield "one role swapped", [*before, _swap(event), *after]
        yield "wrong object", [*before, {**event, "object": UNKNOWN_NOUN}, *after]
        yield (
            "other noun",
            [*before, {**event, "subject": events[(i + 2) % len(events)]["subject"]}, *after],
        )
        yield "other noun", [*before, {**event, "subject": UNKNOWN_NOUN}, *after]
        if len(prior) > 1:
            yield "event missing", [*before, *after]
    verbs = [event["verb"] for event in events]
    for shift in range(1, len(events)):
        yield (
            "verbs rotated",
            [{**event, "verb": verbs[(i + shift) % len(verbs)]} for i, event in enumerate(prior)],
        )
    if len(prior) > 1:
        yield "order reversed", prior[::-1]


def _triple(event: Event) -> tuple[str, str, str, str | None]:
    """What an event says; two verbs of one base and tail say the same."""
    return event["subject"], event["verb"]["base"], event["verb"]["tail"], event["object"]


def _elisions(prior: Events) -> Iterator[Variant]:
    # the farmer fed the horse and kicked the goat
    if len(prior) > 1:
        for link in (" and ", ", ", ", then ", " and then "):
            yield (
                "elision that changes the agent",
                link.join([clause(prior[0]), *(verb_phrase(event, "past") for event in prior[1:])]),
            )
            yield (
                "elision that changes the agent",
                link.join(
                    [
                        clause(prior[0], "gerund"),
                        *(verb_phrase(event, "gerund") for event in prior[1:]),
                    ]
                ),
            )


def _swap(event: Event) -> Event:
    return {**event, "subject": event["object"], "object": event["subject"]}


def _told_with_led_to(events: Events) -> str:
    return " which led to ".join(clause(event, "gerund") for event in events)


def _told_with_commas(events: Events) -> str:
    return ", ".join(clause(event) for event in events)
