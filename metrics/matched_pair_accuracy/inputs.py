"""What matched-pair accuracy takes: replies to each question, and the question's row."""

from collections.abc import Mapping
from typing import Any

from ..columns import encodes, shown, to_list
from ..contract import Column, Inputs, Nested, Rows
from ..values import Values, is_missing, is_text

METRIC = "matched_pair_accuracy"
CONDITIONS = ("plausible", "implausible")
QUESTION_TYPES = (
    "action_performed",
    "agent_identification",
    "entity_count",
    "nested_dependency",
    "causal_sequence",
    "chain_consequence",
)
VERB_FORMS = ("base", "past", "participle", "gerund", "third", "tail")
RECORD = f"subject, verb ({', '.join(VERB_FORMS)}) and object, innermost first"


def as_runs(where: str, given: Any) -> list[Any]:
    """One list of replies per item; a single reply, or none, stands for the list of it."""
    return [_runs(one) for one in to_list(given, where)]


def _runs(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [None if is_missing(one) else one for one in value]
    return [None if is_missing(value) else value] if _is_one(value) else value


def _is_one(value: Any) -> bool:
    return value is None or isinstance(value, str | float)


def read_events(where: str, given: Any) -> list[Any]:
    """Events of each row: a list of records with texts for all that `EVENT` names."""
    metric, name, field = where.split(": ", 2)
    return [
        check_events(f"{metric}: {name}[{i}]: {field}", events)
        for i, events in enumerate(to_list(given, where))
    ]


def check_events(where: str, events: Any) -> list[Any]:
    """Events of one row as a list; a ValueError that begins with `where` says what is wrong."""
    if hasattr(events, "as_py"):
        events = events.as_py()
    found = to_list(events, where) if _is_column(events) else events
    if not isinstance(found, list) or not all(map(_is_event, found)):
        raise ValueError(
            f"{where}, got {shown(found)}; expected a list of {RECORD}; scorer='exact' needs none"
        )
    for event in found:
        for form in VERB_FORMS:
            value = event["verb"].get(form)
            if not isinstance(value, str) or (not value and form != "tail") or not encodes(value):
                got = f"got {shown(value)} as {form} of {shown(event['verb'].get('base'))}"
                raise ValueError(f"{where}, {got}; expected a form of the verb")
    return found


def _is_column(events: Any) -> bool:
    return isinstance(events, tuple) or hasattr(events, "tolist")


def _is_event(event: Any) -> bool:
    """Whether a record has a subject, an object that is a text or None, and a verb."""
    if not isinstance(event, Mapping) or not isinstance(event.get("verb"), Mapping):
        return False
    subject, patient = event.get("subject"), event.get("object", 0)
    return is_text(subject) and (patient is None or is_text(patient))


EVENT = {"subject": str, "verb": dict.fromkeys(VERB_FORMS, str), "object": str}
INPUTS = Inputs(
    METRIC,
    {
        "predictions": Column(
            Values("text", "an answer, or None, of each run", depth=1, has_none=True), as_runs
        ),
        "references": Rows(
            {
                "answer": Values("text", "the answer"),
                "pair_id": Values("name", "id that both members of a pair share"),
                "condition": Values("text", "member of its pair", choices=CONDITIONS),
                "sentence_id": Values("name", "id of the sentence", is_optional=True),
                "question_type": Values(
                    "text", "what is asked", choices=QUESTION_TYPES, is_optional=True
                ),
                "domain": Values("name", "domain", is_optional=True),
                "level": Values("whole", "level of embedding", low=1, is_optional=True),
                "depth": Values("whole", "place of the entity", low=0, is_optional=True),
                "events": Nested(read_events, EVENT, "what happens", is_optional=True),
            }
        ),
    },
)
