"""Wrong answers that look like right ones, for any question about any center-embedded sentence."""

from collections.abc import Iterator

from research.systems.answerers.answer_variants import (
    NUMBER_WORDS,
    UNKNOWN_NOUN,
    Event,
    Events,
    Variant,
    asked_event,
    clause,
    gold_answer,
    passive,
    swapped,
    verb_phrase,
)


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
