"""The papers' tables that studies print beside their own, one TSV each in `studies/data`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ground.tables import read_table

DATA = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True)
class SegmentationRow:
    """One row of Table 1 of Li & Hao (2025), percent; consistent if all follows from the sides."""

    system: str
    script: Literal["simplified", "traditional"] | None
    is_consistent: bool
    test: float
    control: float
    difference: float
    left_test: float
    left_control: float
    left_difference: float
    right_test: float
    right_control: float
    right_difference: float


def segmentation_rows() -> list[SegmentationRow]:
    """Reads Table 1 of Li & Hao (2025)."""
    return read_table(DATA / "eras_table1.tsv", SegmentationRow)


@dataclass(frozen=True)
class SentimentRow:
    """One row of Table 2 of Li & Hao (2025), percent; by class of sentiments control minus test."""

    system: str
    gper: float
    overall_accuracy: float
    necessity: float | None
    sufficiency: float | None
    pos_neg: float | None
    pos_neu: float | None
    neg_neu: float | None
    neg_pos: float | None
    asap: float | None
    chnsenticorp: float | None


def sentiment_rows() -> list[SentimentRow]:
    """Reads Table 2 of Li & Hao (2025)."""
    return read_table(DATA / "eras_table2.tsv", SentimentRow)


@dataclass(frozen=True)
class GeneralizabilityRow:
    """One row of Table 2 of Liu & Prud'hommeaux (2022): F1 in percent over 50 data sets."""

    replacement: Literal["with", "without"]
    model: str
    first: float
    mean: float
    min: float
    max: float
    sd: float
    percent_best: float


def generalizability_rows() -> list[GeneralizabilityRow]:
    """Reads Table 2 of Liu & Prud'hommeaux (2022)."""
    return read_table(DATA / "segmentation_table2.tsv", GeneralizabilityRow)


@dataclass(frozen=True)
class SubjectObjectRow:
    """One row of Table 8 or 10 of Fischer et al. (2020): LAS in percent of six parsers."""

    part_of_suite: str
    n: int
    baseline: float
    baseline_pmis: float
    baseline_embeds: float
    sticker1: float
    sticker1_self_distill: float
    sticker2: float


def subject_object_rows(split: str) -> list[SubjectObjectRow]:
    """Reads Table 8 (`amb`) or Table 10 (`part_amb`) of Fischer et al. (2020)."""
    return read_table(DATA / f"sorts_{split}.tsv", SubjectObjectRow)


@dataclass(frozen=True)
class HumanRow:
    """What a paper says of people, in percent, what it rests on, and our form of that kind."""

    form: str
    quantity: str
    value: float
    rests_on: str


def human_rows(form: str) -> list[dict[str, object]]:
    """The published figures beside a form's; the longer reading form has those of the pilot."""
    name = "centerbench-pilot" if form == "centerbench-reading" else form
    return [
        {"quantity": row.quantity, "percent": row.value, "rests on": row.rests_on}
        for row in read_table(DATA / "human.tsv", HumanRow)
        if row.form == name
    ]
