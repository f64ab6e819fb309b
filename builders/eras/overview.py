"""The paradigms as rows: templates in both scripts, derived sites, flags, capacities."""

import dataclasses
from collections.abc import Callable, Sequence

import pyarrow as pa

from builders.eras.assembly import to_traditional
from builders.eras.columns import EXTENDED_PARADIGM_SCHEMA, PARADIGM_SCHEMA
from builders.eras.draw import ParadigmDraw, capacity
from builders.eras.extended import WrittenParadigm, read_readings, read_string_words
from builders.eras.paradigms import (
    SLOT,
    Template,
    TemplateParadigm,
    TemplateSlot,
    read_ambiguity,
    read_lexicon_membership,
)

ROW_FIELDS = ("paradigm_id", "branching", "true_word", "canary_word", "family")
SITE_FIELDS = ("test_site", "control_site", "site_start")
FLAGS = ("is_exact_pair", "is_occlusion_degenerate", "is_clause")
READINGS = ("is_globally_ambiguous", "true_parse", "canary_parse", "is_control_well_formed")


def paradigm_table(drawn: Sequence[ParadigmDraw]) -> pa.Table:
    """One row per paradigm of a draw; `capacity` is the number of pairs that its lists can make."""
    rows = []
    for paradigm, lists, _ in drawn:
        row, reading = paradigm.row, read_ambiguity()[paradigm.row.paradigm_id]
        membership = read_lexicon_membership()[row.paradigm_id]
        shown = _shared_fields(paradigm) | dataclasses.asdict(membership)
        shown |= {name: getattr(row, name) for name in FLAGS}
        shown |= {name: getattr(reading, name) for name in READINGS}
        shown |= {
            "source_index": row.source_index,
            "test_template_traditional": _template_text(paradigm.test, to_traditional),
            "control_template_traditional": _template_text(paradigm.control, to_traditional),
            "allowed_overlaps": list(row.allowed_overlaps),
            "capacity": capacity(lists),
        }
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
        shown = _shared_fields(paradigm.templates) | {
            "test_template_traditional": _without_classes(row.test_traditional),
            "control_template_traditional": _without_classes(row.control_traditional),
            "control_word": paradigm.control_word,
            "is_polar": paradigm.is_polar,
            "true_parse": _without_classes(row.test_template),
            "canary_parse": _without_classes(row.canary_parse),
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


def _shared_fields(paradigm: TemplateParadigm) -> dict[str, object]:
    true_sentiment, canary_sentiment = paradigm.row.sentiments
    return {
        **{name: getattr(paradigm.row, name) for name in ROW_FIELDS},
        **{name: getattr(paradigm, name) for name in SITE_FIELDS},
        "true_sentiment": true_sentiment,
        "canary_sentiment": canary_sentiment,
        "test_template": _template_text(paradigm.test, str),
        "control_template": _template_text(paradigm.control, str),
    }


def _without_classes(text: str) -> str:
    return SLOT.sub(lambda slot: f"{{{slot['type']}}}", text)


def _template_text(template: Template, written: Callable[[str], str]) -> str:
    """Words with blanks between, slots by their type: `{person} 留心 机动 的 {object} 。`."""
    return " ".join(
        f"{{{word.type}}}" if isinstance(word, TemplateSlot) else written(word) for word in template
    )
