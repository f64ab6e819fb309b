"""Where do parsers hang prepositional phrases? `pp_attachment` for any parsers, and a treebank.

    python -m research pp_attachment attachment
    python -m research pp_attachment attachment --systems topology-first trained:spacy/german-free/1
    python -m research pp_attachment attachment --natural de_gsd-ud-test.conllu.gz

A system is a parser by name or its output as a file. With `--natural` the phrases of UD treebanks
that have several candidate heads are scored beside the suite: whether it predicts them.

Source: de Kok et al. (2017), "PP Attachment: Where do We Stand?", EACL, on candidates; the suite is
the subset that Fischer et al. (2020), section 6, announce.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from builders.pp_attachment.natural_rows import natural_columns
from dataset_scripts.headlines import HEADLINES, Result
from dataset_scripts.registry import split_table
from ground.markdown import markdown_table, percent, percent_with_interval
from metrics.pp_attachment_accuracy import scoring
from metrics.pp_attachment_accuracy.options import read_options
from research.studies.answer_batches import BATCHES, GoldClauses, parser_options, scored_trees
from research.studies.headline_columns import headline_columns, headline_sentence
from research.studies.options import flag
from research.studies.report import Shown, cell_map, headings, new_figure, numbers, png
from research.studies.study import Options, Run, Study

TREEBANKS = "CoNLL-U files of UD treebanks, whose phrases are scored too"
CONFIGS = ("conll", "lite")
SPLIT = "test"
NATURAL = "natural"
OVERALL = headings("pp_attachment attachment")
PARTS = headings("pp_attachment attachment, parts")


def rows(options: Options) -> dict[str, GoldClauses]:
    """Gold sentences by name; a ValueError where a treebank breaks its format or has no phrase."""
    table = split_table("pp_attachment", options.config, SPLIT, {"seed": options.seed})
    found = {options.config: GoldClauses(options.config, table.to_pydict())}
    if files := getattr(options, "natural", None):
        found[NATURAL] = GoldClauses(NATURAL, natural_columns(files))
    return found


def score(gold: Mapping[str, GoldClauses], run: Run) -> dict[str, list[Result]]:
    """Results of all systems for each part of the gold."""
    return {
        name: [score_system(run.system(system), part, run) for system in run.options.systems]
        for name, part in gold.items()
    }


def score_system(parser: Any, gold: GoldClauses, run: Run, *, per_item: bool = False) -> Result:
    """Result of the metric for a parser, with `system` and `system_version`, perhaps with rows."""
    place = () if gold.name == NATURAL else (gold.name, SPLIT)
    options = read_options(per_item=per_item, **parser_options(parser, run, *place))
    return scored_trees(scoring.score, parser, gold, run, options)


def show(scored: Mapping[str, list[Result]], options: Options) -> list[Shown]:
    """Tables, figures and a heat map."""
    results, harvested = scored[options.config], scored.get(NATURAL, [])
    figures: dict[str, Any] = numbers(results, "system")
    if harvested:
        figures = {options.config: figures, NATURAL: numbers(harvested, "system")}
    text = result_text(results, harvested, options)
    return [Shown(text, figures, lambda: heat_map(results))]


def result_text(results: Sequence[Result], harvested: Sequence[Result], options: Options) -> str:
    """The tables for these systems, and how to read them."""
    first, place = results[0], f"{options.config}/test"
    head = (
        f"### Attachment of prepositional phrases, `{options.config}`\n\n"
        f"Percent of {first['n']:,} decided sentences, with 95 % intervals over base items."
        f" {headline_sentence(HEADLINES['pp_attachment'], place)} Contrast pairs: both sentences"
        f" are right in head and label, of all {first['n_contrast_pairs']:,} pairs of a phrase on"
        f" the verb and one on a noun; beyond order: of the {first['n_beyond_order_pairs']:,} among"
        " them that differ in a word and not in order, each kind of word with the same"
        f" weight; topology pairs: of the {first['n_topology_pairs']:,} that differ in order alone."
        " Strict: `obl:arg` is not `obl`; outside: on a word that can be no head; verb: on the verb"
        f" ({percent(first['verb_rate_gold']):.1f} in truth)."
    )
    rows = [overall_row(result, place) for result in results]
    parts = [f"{head}\n\n{markdown_table(rows)}"]
    for part, title in PARTS.items():
        if found := part_rows(results, part):
            parts.append(f"{title}:\n\n{markdown_table(found)}")
    if harvested:
        n, share = harvested[0]["n"], percent(harvested[0]["verb_rate_gold"])
        parts.append(
            f"The suite and {n:,} phrases of treebanks with at least two candidate heads"
            f" ({share:.1f} % on the verb):\n\n" + markdown_table(natural_rows(results, harvested))
        )
    return "\n".join(parts)


def overall_row(result: Result, place: str) -> dict[str, object]:
    """The line of a system on `CONFIG/SPLIT`, percent; headline and accuracy have intervals."""
    row: dict[str, object] = {"system": result["system"]}
    row |= headline_columns(HEADLINES["pp_attachment"], result, place)
    row |= {title: percent(result[name]) for title, name in OVERALL.items()}
    return row | {"head": percent_with_interval(result, "accuracy")}


def part_rows(results: Sequence[Result], part: str) -> list[dict[str, object]]:
    """Accuracy in percent by a part of the suite, a column a system; pairs with their chance."""
    rows: list[dict[str, object]] = []
    for found in zip(*(result[f"by_{part}"] for result in results), strict=True):
        row: dict[str, object] = {part: found[0][part], "n": found[0]["n"]}
        if "chance" in found[0]:
            row["chance"] = percent(found[0]["chance"])
        row |= {
            result["system"]: percent_with_interval(entry, "accuracy")
            for result, entry in zip(results, found, strict=True)
        }
        rows.append(row)
    return rows


def natural_rows(results: Sequence[Result], harvested: Sequence[Result]) -> list[dict[str, object]]:
    """Each system on the suite and on the treebanks, in percent."""
    rows = []
    for result, other in zip(results, harvested, strict=True):
        row: dict[str, object] = {"system": result["system"]}
        row["suite: topology pairs"] = percent(result["topology_pair_accuracy"])
        row["suite: head"] = percent_with_interval(result, "accuracy")
        row["treebanks: head"] = percent_with_interval(other, "accuracy")
        row["treebanks: head and label"] = percent(other["labelled_accuracy"])
        rows.append(row | {"treebanks: verb": percent(other["verb_rate"])})
    return rows


def heat_map(results: Sequence[Result]) -> bytes:
    """Draws the accuracy of each system (rows) by position (columns)."""
    positions = [row["position"] for row in results[0]["by_position"]]
    cells = [[percent(row["accuracy"]) for row in result["by_position"]] for result in results]
    figure = new_figure(7, 1.5 + 0.45 * len(results))
    axes = figure.subplots()
    names = ([result["system"] for result in results], positions)
    image = cell_map(axes, np.array(cells), names, fontsize=8, rotation=20)
    figure.colorbar(image, ax=axes, label="right head, percent")
    return png(figure)


STUDY = Study.of(
    __name__,
    metrics=("pp_attachment_accuracy",),
    work=BATCHES.work,
    options=(
        flag("config", "config of the suite", "conll", choices=CONFIGS),
        flag("seed", "which draw of the suite", 0, low=0),
        flag("natural", TREEBANKS, None, many="+", metavar="FILE"),
        flag("resamples", "bootstrap samples", 2000, low=1),
    ),
    kind="parser",
    systems=(
        *("verb-always", "nearest-noun", "adjacent-noun", "nearest-preceding"),  # null systems
        *("preposition-majority", "random-candidate"),  # null systems too
        "topology-first",
    ),
)
