"""Rows of CenterBench for tests: the default draw, made once per process, and some by hand."""

import functools
from typing import Any

from builders.centerbench.columns import question_table
from builders.centerbench.draw import default_drawer, draw
from builders.centerbench.parser import CenterLexicon


@functools.cache
def question_rows() -> list[dict[str, Any]]:
    """The 9,720 rows of the default draw; do not change them."""
    tables = (question_table(pairs, default_drawer().knowledge) for pairs in draw())
    return [row for table in tables for row in table.to_pylist()]


@functools.cache
def sentences_by_condition() -> dict[str, list[list[dict[str, Any]]]]:
    """The events of the 180 plausible and the 180 implausible sentences, in pairs by position."""
    events = {(row["condition"], row["pair_id"]): row["events"] for row in question_rows()}
    return {
        name: [events[key] for key in sorted(events) if key[0] == name]
        for name in ("plausible", "implausible")
    }


@functools.cache
def center_lexicon() -> CenterLexicon:
    """What parses the sentences."""
    knowledge = default_drawer().knowledge
    return CenterLexicon(knowledge.nouns, knowledge.verbs)


def counted(identifier: str, sentence: str) -> tuple[int, int]:
    """Nouns after the noun, and words from it to the verb: of the first option, or asked about.

    The identifier of a question with two options ends in its type and places.
    """
    question_type, *places = identifier.split("-")[-4:]
    n_right, place, first = map(int, places)
    [reading] = center_lexicon().parse(sentence)
    nouns, verbs = reading.nouns[n_right:], reading.verbs[::-1]
    noun, verb = (place, first) if question_type == "action_performed" else (first, place)
    words = sum(len(f"the {each} that".split()) for each in nouns[noun:]) - 1
    return len(nouns) - 1 - noun, words + sum(len(each.split()) for each in verbs[:verb])


VERBS = {
    # base: past, participle, gerund, third
    "feed": ("fed", "fed", "feeding", "feeds"),
    "carry": ("carried", "carried", "carrying", "carries"),
    "neigh": ("neighed", "neighed", "neighing", "neighs"),
    "cross-examine": ("cross-examined", "cross-examined", "cross-examining", "cross-examines"),
    "bite": ("bit", "bitten", "biting", "bites"),
    "assign": ("assigned", "assigned", "assigning", "assigns"),
    "hit": ("hit", "hit", "hitting", "hits"),
    "bleat": ("bleated", "bleated", "bleating", "bleats"),
    "fall": ("fell", "fallen", "falling", "falls"),
    "nurse": ("nursed", "nursed", "nursing", "nurses"),
    "eye": ("eyed", "eyed", "eyeing", "eyes"),
    "pedal": ("pedaled", "pedaled", "pedaling", "pedals"),
    "be": ("was", "been", "being", "is"),
}


def make_events(words: str) -> list[dict[str, Any]]:
    """Events of "farmer: feed -> police officer: carry out -> goat: bleat", innermost first."""
    parts = [part.split(":") for part in words.split("->")]
    nouns = [noun.strip() for noun, _ in parts]
    events = []
    for i, (_, words_of_verb) in enumerate(parts):
        base, *tail = words_of_verb.split()
        forms = dict(zip(("past", "participle", "gerund", "third"), VERBS[base], strict=True))
        verb = {"base": base, **forms, "tail": " ".join(tail)}
        events.append({"subject": nouns[i], "verb": verb, "object": [*nouns[1:], None][i]})
    return events
