"""The paradigms as rows: templates in both scripts, derived sites, flags, capacities."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from builders.eras.assembly import to_traditional
from builders.eras.columns import EXTENDED_PARADIGM_SCHEMA, PARADIGM_SCHEMA
from builders.eras.draw import ParadigmDraw, capacity
from builders.eras.extended import WrittenParadigm, read_readings, read_string_words
from builders.eras.paradigms import (
    SLOT,
    TemplateParadigm,
    read_ambiguity,
    read_lexicon_membership,
)


def paradigm_table(drawn: Sequence[ParadigmDraw]) -> pa.Table:
    """One row per paradigm of a draw; `capacity` is the number of pairs that its lists can make."""
    rows = []
    for paradigm, lists, _ in drawn:
        number = paradigm.row.paradigm_id
        reading, membership = read_ambiguity()[number], read_lexicon_membership()[number]
        shown = dataclasses.asdict(reading) | _shared_fields(paradigm)
        shown |= dataclasses.asdict(membership) | {"capacity": capacity(lists)}
        for name in ("is_globally_ambiguous", "is_control_well_formed"):
            shown[name] = getattr(reading, name)
        for name in ("test_template", "control_template"):
            words = shown[name].split(" ")
            turned = (word if SLOT.fullmatch(word) else to_traditional(word) for word in words)
            shown[f"{name}_traditional"] = " ".join(turned)
        rows.append(shown)
    return pa.Table.from_pylist(rows, schema=PARADIGM_SCHEMA)


def extended_paradigm_table(
    paradigms: Sequence[WrittenParadigm], drawn: Sequence[ParadigmDraw]
) -> pa.Table:
    """One row per extended paradigm: parses, covariates of its two words, what readers said."""
    rows, known = [], read_string_words()
    for paradigm, part in zip(paradigms, drawn, strict=True):
        row = paradigm.row
        words = {"true": known[row.true_word], "canary": known[row.canary_word]}
        shown = _shared_fields(paradigm.templates)
        shown |= {
            "test_template_traditional": _without_classes(row.test_traditional),
            "control_template_traditional": _without_classes(row.control_traditional),
            "true_parse": shown["test_template"],
            "canary_parse": _without_classes(row.canary_parse),
            "control_word": paradigm.control_word,
            "is_polar": paradigm.is_polar,
            "canary_parse_fails": row.reason,
            "is_true_word_more_frequent": words["true"].zipf >= words["canary"].zipf,
            "reading_mean": read_readings()[row.number].mean_natural,
            "allowed_overlaps": "|".join(paradigm.templates.row.allowed_overlaps),
            "capacity": capacity(part.lists),
        }
        for kind, word in words.items():
            shown |= {f"{kind}_{name}": getattr(word, name) for name in ("zipf", "hownet", "dutir")}
            shown |= {f"{kind}_class": word.class_, f"{kind}_lexicons": "|".join(word.lexicons)}
        rows.append(shown)
    return pa.Table.from_pylist(rows, schema=EXTENDED_PARADIGM_SCHEMA)


def _shared_fields(paradigm: TemplateParadigm) -> dict[str, Any]:
    """All that the row of a paradigm says, and what follows from its templates."""
    shown = dataclasses.asdict(paradigm.row)
    shown["true_sentiment"], shown["canary_sentiment"] = paradigm.row.sentiments
    for name in ("test_site", "control_site", "site_start"):
        shown[name] = getattr(paradigm, name)
    for name in ("test_template", "control_template"):
        shown[name] = _without_classes(shown[name])
    return shown


def _without_classes(text: str) -> str:
    """Words with blanks between, slots by their type alone: `{person} 留心 机动 的 {object} 。`."""
    return SLOT.sub(lambda slot: f"{{{slot['type']}}}", text)
