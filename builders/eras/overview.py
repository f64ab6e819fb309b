"""The paradigms as rows: templates in both scripts, derived sites, flags, capacities."""

import dataclasses
from collections.abc import Sequence

import pyarrow as pa

from builders.eras.assembly import to_traditional
from builders.eras.columns import EXTENDED_PARADIGM_SCHEMA, PARADIGM_SCHEMA
from builders.eras.draw import ParadigmDraw, capacity
from builders.eras.extended import StringWord, WrittenParadigm, read_readings, read_string_words
from builders.eras.paradigms import (
    SLOT,
    Template,
    TemplateParadigm,
    TemplateSlot,
    read_ambiguity,
    read_lexicon_membership,
)


def paradigm_table(drawn: Sequence[ParadigmDraw]) -> pa.Table:
    """One row per paradigm of a draw; `capacity` is the number of pairs that its lists can make."""
    return pa.Table.from_pylist([_paradigm_row(part) for part in drawn], schema=PARADIGM_SCHEMA)


def extended_paradigm_table(
    paradigms: Sequence[WrittenParadigm], drawn: Sequence[ParadigmDraw]
) -> pa.Table:
    """One row per extended paradigm: parses, covariates of its two words, what readers said."""
    rows = [
        _extended_row(paradigm, capacity(part.lists))
        for paradigm, part in zip(paradigms, drawn, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=EXTENDED_PARADIGM_SCHEMA)


def _extended_row(paradigm: WrittenParadigm, n_pairs: int) -> dict[str, object]:
    row, words = paradigm.row, read_string_words()
    true, canary = words[row.true_word], words[row.canary_word]
    return {
        "paradigm_id": paradigm.templates.row.paradigm_id,
        "test_template": _template_text(paradigm.templates.test, traditional=False),
        "control_template": _template_text(paradigm.templates.control, traditional=False),
        "test_template_traditional": _without_classes(row.test_traditional),
        "control_template_traditional": _without_classes(row.control_traditional),
        "branching": row.branching,
        "true_word": row.true_word,
        "canary_word": row.canary_word,
        "control_word": paradigm.control_word,
        "true_sentiment": paradigm.templates.row.sentiments[0],
        "canary_sentiment": paradigm.templates.row.sentiments[1],
        "is_polar": paradigm.is_polar,
        **_site_fields(paradigm.templates),
        "family": paradigm.templates.row.family,
        "true_parse": _without_classes(row.test_template),
        "canary_parse": _without_classes(row.canary_parse),
        "canary_parse_fails": row.reason,
        "is_true_word_more_frequent": true.zipf >= canary.zipf,
        **_word_fields("true", true),
        **_word_fields("canary", canary),
        "reading_mean": read_readings()[row.number].mean_natural,
        "allowed_overlaps": "|".join(paradigm.templates.row.allowed_overlaps),
        "capacity": n_pairs,
    }


def _word_fields(kind: str, word: StringWord) -> dict[str, object]:
    return {
        f"{kind}_class": word.class_,
        f"{kind}_zipf": word.zipf,
        f"{kind}_lexicons": "|".join(word.lexicons),
        f"{kind}_hownet": word.hownet,
        f"{kind}_dutir": word.dutir,
    }


def _without_classes(text: str) -> str:
    return SLOT.sub(lambda slot: f"{{{slot['type']}}}", text)


def _paradigm_row(part: ParadigmDraw) -> dict[str, object]:
    paradigm, row = part.paradigm, part.paradigm.row
    return {
        "paradigm_id": row.paradigm_id,
        "source_index": row.source_index,
        "test_template": _template_text(paradigm.test, traditional=False),
        "control_template": _template_text(paradigm.control, traditional=False),
        "test_template_traditional": _template_text(paradigm.test, traditional=True),
        "control_template_traditional": _template_text(paradigm.control, traditional=True),
        "branching": row.branching,
        "true_word": row.true_word,
        "canary_word": row.canary_word,
        "true_sentiment": row.sentiments[0],
        "canary_sentiment": row.sentiments[1],
        **_site_fields(paradigm),
        "family": row.family,
        "is_exact_pair": row.is_exact_pair,
        "is_occlusion_degenerate": row.is_occlusion_degenerate,
        "is_clause": row.is_clause,
        **_flags(row.paradigm_id),
        "allowed_overlaps": list(row.allowed_overlaps),
        "capacity": capacity(part.lists),
    }


def _flags(paradigm_id: int) -> dict[str, object]:
    reading = read_ambiguity()[paradigm_id]
    membership = dataclasses.asdict(read_lexicon_membership()[paradigm_id])
    return {
        "is_globally_ambiguous": reading.is_globally_ambiguous,
        "true_parse": reading.true_parse,
        "canary_parse": reading.canary_parse,
        "is_control_well_formed": reading.is_control_well_formed,
        **{name: value for name, value in membership.items() if name != "paradigm_id"},
    }


def _site_fields(paradigm: TemplateParadigm) -> dict[str, object]:
    return {
        "test_site": paradigm.test_site,
        "control_site": paradigm.control_site,
        "site_start": paradigm.site_start,
    }


def _template_text(template: Template, *, traditional: bool) -> str:
    """Template as words with blanks between, slots by their type alone.

    Such as `{person} 留心 机动 的 {object} 。`.
    """
    written = to_traditional if traditional else str
    return " ".join(
        f"{{{word.type}}}" if isinstance(word, TemplateSlot) else written(word) for word in template
    )
