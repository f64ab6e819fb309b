"""Tables 6 to 10 of SORTS for any parsers: subject-object LAS by word order and property.

    python -m studies sorts subject_object --systems subject-first spacy:de_core_news_sm
    python -m studies sorts subject_object --gold released_paper/amb --released DIR
    python -m studies sorts subject_object --gold gold.conll --systems file:parser.conllu

Gold clauses are splits of the suite, Parquet files of it, or CoNLL files in the authors' layout or
this project's CoNLL-U; a system is a parser by name or its output as a file.

Source: Fischer et al. (2020), section 4.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dataset_scripts.headlines import HEADLINES
from ground.markdown import markdown_table
from metrics.annotation import ANNOTATION_SCHEMES
from metrics.subject_object_las import scoring
from metrics.subject_object_las.options import read_options
from studies.options import Option, folder, natural, positive
from studies.parsed import BATCHES, trees_of
from studies.report import numbers
from studies.sorts.clauses import GoldClauses, read_gold
from studies.sorts.parser_tables import (
    Result,
    heat_map,
    overall_rows,
    paired_rows,
    part_rows,
    published_rows,
)
from studies.study import Options, Run, Shown, Study


def rows(options: Options) -> dict[str, GoldClauses]:
    """Gold clauses by name.

    Raises:
        ValueError: There is no such config, split or file, or a file breaks its format.
    """
    released = options.released
    return {name: read_gold(name, released=released, seed=options.seed) for name in options.gold}


def score(gold: Mapping[str, GoldClauses], run: Run) -> list[tuple[GoldClauses, list[Result]]]:
    """Results of all systems for each part of the gold."""
    return [
        (part, [score_system(run.system(name), part, run) for name in run.options.systems])
        for part in gold.values()
    ]


def score_system(parser: Any, gold: GoldClauses, run: Run) -> Result:
    """Scores a parser.

    Returns:
        The result of the metric with a row per clause, `system` and `system_version`.
    """
    trees = trees_of(parser, gold, run)
    options = run.options
    chosen = read_options(
        mode=options.mode,
        scheme=options.scheme or parser.scheme,
        alignment=options.alignment,
        unresolved=options.unresolved,
        n_resamples=options.resamples,
        per_item=True,
        run=run.about(parser, *gold.config_and_split),
    )
    result = scoring.score({"predictions": trees, "references": gold.columns}, chosen)
    path = Path(parser.name.removeprefix("file:"))
    name = path.name if path.is_file() else parser.name
    return result | {"system": name, "system_version": parser.version}


def result_text(gold: GoldClauses, results: Sequence[Result]) -> str:
    """The tables of the paper for these systems, and how to read them."""
    n, unresolved = results[0]["n"], results[0]["n_unresolved"]
    apart = (
        f" {unresolved:,} clauses that nothing settles stand apart (las unresolved)."
        if unresolved
        else ""
    )
    note = f" Of these clauses there are {gold.note}." if gold.note else ""
    head = (
        f"### Subject-object LAS of parsers, `{gold.split or gold.name}`\n\n"
        f"Percent of {n:,} clauses of {gold.name}, with 95 % intervals over base triples."
        f" {HEADLINES['sorts'].sentence} It counts the items whose clause with the subject first"
        " and"
        " whose clause with the object first are both right. LAS is the published subject-object"
        " LAS; merged: obj, iobj and obl:arg are one label, so that a parser which is right but"
        " says"
        " iobj loses nothing; swap: subject and object exchanged; item: right in all word orders."
        f"{apart}{note}"
    )
    parts = [
        f"{head}\n\n{markdown_table(overall_rows(results))}",
        f"By word order:\n\n{markdown_table(part_rows(results, 'word_order', gold.split))}",
        "By property (acc: no"
        f" variation):\n\n{markdown_table(part_rows(results, 'property', gold.split))}",
    ]
    if gold.split:
        parts.append(
            "The paper's six parsers on its own clauses of this split, not on these (Fischer et al."
            " 2020, Tables 8 and 10):\n\n" + markdown_table(published_rows(gold.split), digits=2)
        )
    if len(results) > 1:
        parts.append(
            "Differences in points, with 95 % intervals; p of a sign-flip test over base triples,"
            " and after Holm's correction:\n\n" + markdown_table(paired_rows(results), digits=2)
        )
    return "\n".join(parts)


def show(scored: Sequence[tuple[GoldClauses, list[Result]]], options: Options) -> list[Shown]:
    """Tables, figures and a heat map for each part of the gold."""
    return [shown("subject_object", gold, results) for gold, results in scored]


def shown(prefix: str, gold: GoldClauses, results: Sequence[Result]) -> Shown:
    """Tables, figures and a heat map of one part of the gold, named by it."""
    name = f"{prefix}_{gold.split or Path(gold.name).name.split('.')[0]}"
    return Shown(
        name, result_text(gold, results), numbers(results, "system"), lambda: heat_map(results)
    )


STUDY = Study(
    __name__,
    __doc__,
    rows,
    score,
    show,
    metrics=("subject_object_las",),
    work=BATCHES.work,
    options=(
        Option(
            "gold",
            "config/split of the suite, or .parquet, .conll or .conllu files",
            ["conll/amb", "conll/part_amb"],
            nargs="+",
            metavar="GOLD",
        ),
        Option("released", "folder of the authors' files, for configs released_*", type=folder),
        Option("seed", "which draw of the suite", 0, type=natural),
        Option(
            "scheme",
            "annotation scheme of all systems (default: told from their labels)",
            choices=tuple(ANNOTATION_SCHEMES),
        ),
        Option(
            "mode",
            "paper: subtypes count, and unresolved clauses do",
            "default",
            choices=("default", "paper"),
        ),
        Option(
            "alignment",
            "text: a system may have other tokens",
            "tokens",
            choices=("tokens", "text"),
        ),
        Option(
            "unresolved",
            "whether clauses that nothing settles are counted (default: apart)",
            choices=("apart", "included"),
        ),
        Option("resamples", "bootstrap samples", 2000, type=positive),
    ),
    kind="parser",
    systems=(
        *("subject-first", "random-roles"),  # null systems
        *("animacy-first", "inflection-first", "inflection-then-animacy"),
    ),
)
