"""Fields of the answer styles in golden/answer_styles.tsv, made from a row's events alone. A style
is used for a question where all of its fields exist: `{past_vp}` only where somebody acted on
somebody, `{n}` only where it is counted."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from research.systems.answerers import answer_variants as variants
from tests.support.cases import cells_of

Fields = dict[str, str]


class Style(NamedTuple):
    """A way to answer. `verdict` is right, wrong, or refused: right as both readers of
    `answer_readings` have it, and refused by the scorer."""

    verdict: str
    style: str
    template: str


def read_styles() -> list[Style]:
    return [
        Style(verdict, style, template.replace("\\n", "\n").replace("\\\\", "\\"))
        for verdict, style, template in cells_of("answer_styles")[1:]
    ]


def answers(row: Mapping[str, Any], styles: Sequence[Style]) -> Iterator[tuple[Style, str]]:
    """Every style that fits the row's question, with the answer."""
    fields = make_fields(row)
    for style in styles:
        try:
            yield style, style.template.format_map(fields)
        except KeyError:
            continue


def swapped(event: Mapping[str, Any], form: str = "past") -> str:
    return variants.clause(variants.turned(event), form)


def make_fields(row: Mapping[str, Any]) -> Fields:
    events, kind = row["events"], row["question_type"]
    own = len(events) - 1 - row["depth"]
    fields = _common(row, events, own, kind)
    by_kind = {
        "action_performed": _happening,
        "nested_dependency": _happening,
        "agent_identification": _agent,
        "entity_count": _count,
        "causal_sequence": _cause,
        "chain_consequence": _consequence,
    }
    fields |= by_kind[kind](events, own, kind)
    for name in ("gold", "wrong", "statement", "wrong_statement", "true", "false", "word"):
        if name in fields:
            fields[name[0].upper() + name[1:]] = _capital(fields[name])
    fields["GOLD"] = fields["gold"].upper()
    fields |= {f"if_{name}": "" for name in _conditions(events, own, kind)}
    return fields


def _conditions(events: Any, own: int, kind: str) -> Iterator[str]:
    """Names of the empty fields that keep a style to some questions."""
    if kind != "entity_count":
        yield "words"
    if kind == "causal_sequence" and own == 0:
        yield "first"
    elif kind == "chain_consequence":
        yield "last" if own == len(events) - 1 else "next"
    if (kind, own) not in (("causal_sequence", 0), ("chain_consequence", len(events) - 1)):
        yield "not_none"


def _common(row: Mapping[str, Any], events: Any, own: int, kind: str) -> Fields:
    fields = {
        "gold": variants.gold_answer(events, own, kind),
        "Sentence": row["sentence"],
        "Question": row["question"],
    }
    if kind not in ("entity_count", "causal_sequence", "chain_consequence"):
        fields["false"] = swapped(events[0])
    return fields


def _happening(events: Any, own: int, kind: str) -> Fields:
    i = (own or 1) if kind == "nested_dependency" else own
    event, other = events[i], events[0 if i else 1]
    form = "past" if kind == "nested_dependency" else "base"
    fields = {
        "statement": variants.clause(event),
        "wrong": variants.verb_phrase(other, form),
        "wrong_statement": variants.clause(other, subject=event["subject"]),
        "bare": variants.gold_answer(events, own, kind).replace("the ", ""),
        **_modal(event),
        "Negated_short": _modal(event)["Negated"].replace("did not", "didn't"),
    }
    if event["object"]:
        fields["Passive"] = _capital(variants.passive(event))
        fields["Swapped"] = _capital(swapped(event))
        turned = event | {"subject": event["object"], "object": event["subject"]}
        fields["Swapped_passive"] = _capital(variants.passive(turned))
    if i > 0:
        before = events[i - 1]
        tail = f" {before['verb']['tail']}" if before["verb"]["tail"] else ""
        fields |= {
            "own": event["subject"],
            "other_entity": other["subject"],
            "prior": before["subject"],
            "prior_participle": before["verb"]["participle"] + tail,
            "Own_clause": _capital(variants.clause(event)),
            "past_vp_own": variants.verb_phrase(event, "past"),
            "true": variants.clause(before),
        }
    return fields


def _modal(event: Any) -> Fields:
    base = variants.verb_phrase(event, "base")
    modals = {"Has_to": "has to", "Might": "might", "Negated": "did not"}
    return {name: f"The {event['subject']} {modal} {base}" for name, modal in modals.items()}


def _agent(events: Any, own: int, kind: str) -> Fields:
    event = events[own - 1] if own else events[0]
    asked = event["subject"] if own else event["object"]
    others = [e["subject"] for e in events if e["subject"] != asked]
    nouns = [f"the {noun}" for noun in (asked, *others)]
    fields = {"bare": asked, "all_first": ", ".join(nouns), "all_first_lines": "\n".join(nouns)}
    if own == 0:
        return fields | {
            "wrong": f"the {others[0]}",
            "statement": variants.passive(event),
            "wrong_statement": swapped(event),
        }
    return fields | {
        "agent": asked,
        "other": others[-1],
        "past_vp": variants.verb_phrase(event, "past"),
        "statement": variants.clause(event),
        "Passive": _capital(variants.passive(event)),
        "wrong": f"the {others[-1]}",
        "wrong_statement": variants.clause(event, subject=others[-1]),
    }


def _count(events: Any, own: int, kind: str) -> Fields:
    n, words = len(events), variants.NUMBER_WORDS
    nouns = [event["subject"] for event in events]
    return {
        "n": str(n),
        "word": words[n],
        "n_more": str(n + 1),
        "word_fewer": words[n - 1],
        "wrong": str(n + 1),
        "statement": f"there are {n} entities",
        "wrong_statement": f"there are {n - 1} entities",
        "entities": ", ".join(f"the {noun}" for noun in nouns),
        "entity_lines": "\n".join(f"- the {noun}" for noun in nouns),
    }


def _cause(events: Any, own: int, kind: str) -> Fields:
    if own == 0:
        return {
            "statement": "there were no prior events",
            "own_first": events[0]["subject"],
            "wrong": swapped(events[0], "gerund"),
            "wrong_statement": swapped(events[0]),
            "Own_clause_only": _capital(variants.clause(events[0])),
        }
    prior = events[:own]
    past = [variants.clause(event) for event in prior]
    gerunds = [variants.clause(event, "gerund") for event in prior]
    one_swapped = [swapped(prior[0]), *past[1:]]
    fields = {
        "own": events[own]["subject"],
        "statement": " which led to ".join(past),
        "wrong": " which led to ".join([swapped(prior[0], "gerund"), *gerunds[1:]]),
        "wrong_statement": ", and then ".join(one_swapped),
        "past_led_to": ", which led to ".join(past),
        "past_then": ", and then ".join(past),
        "past_arrows": " -> ".join(past),
        "past_sentences": ". ".join(map(_capital, past)) + ".",
        "event_lines": "\n".join(f"- {clause}" for clause in past),
        "event_items": "\n".join(f"{i}. {clause}" for i, clause in enumerate(past, 1))[3:],
        "gerund_commas": ", ".join(gerunds),
        "past_one_swapped": ", and then ".join(one_swapped),
    }
    if own > 1:
        fields["past_missing"] = ", and then ".join(past[1:])
        fields["past_reversed"] = ", and then ".join(past[::-1])
    return fields


def _consequence(events: Any, own: int, kind: str) -> Fields:
    if own == len(events) - 1:
        return {
            "statement": "there is no consequence",
            "own": events[own]["subject"],
            "no_noun": "consequence",
            **dict.fromkeys(("wrong", "wrong_statement"), swapped(events[0])),
            "Own_clause_only": _capital(variants.clause(events[own])),
        }
    event, other = events[own + 1], events[own]["subject"]
    fields = dict.fromkeys(("own", "own_inner"), other)
    fields |= dict.fromkeys(("wrong", "wrong_statement"), variants.clause(event, subject=other))
    fields |= {name: text for name, text in _modal(event).items() if name != "Might"}
    gerund = variants.clause(event, "gerund")
    return fields | {"statement": variants.clause(event), "gerund_next": gerund}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
