"""The paradigms as rows: templates in both scripts, derived sites, flags, capacities."""

import dataclasses
from collections.abc import Sequence

import pyarrow as pa

from builders.eras.columns import PARADIGM_SCHEMA
from builders.eras.draw import ParadigmDraw, capacity
from builders.eras.flags import read_ambiguity, read_lexicon_membership
from builders.eras.paradigms import Template, TemplateParadigm, TemplateSlot
from builders.eras.script import to_traditional


def paradigm_table(drawn: Sequence[ParadigmDraw]) -> pa.Table:
    """One row per paradigm of a draw; `capacity` is the number of pairs that its lists can make."""
    return pa.Table.from_pylist([_paradigm_row(part) for part in drawn], schema=PARADIGM_SCHEMA)


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
        "true_sentiment": row.true_sentiment,
        "canary_sentiment": row.canary_sentiment,
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
    words = (
        f"{{{word.type}}}"
        if isinstance(word, TemplateSlot)
        else to_traditional(word)
        if traditional
        else word
        for word in template
    )
    return " ".join(words)
