"""Tables 6 to 10 of SORTS for any parsers: subject-object LAS by word order and property.

    python -m research sorts subject_object --systems subject-first spacy:de_core_news_sm
    python -m research sorts subject_object --gold released_paper/amb --released DIR
    python -m research sorts subject_object --gold conll/amb --systems file:parser.conllu

A system is a parser by name or its output as a file.

Source: Fischer et al. (2020), section 4.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dataset_scripts.headlines import HEADLINES
from ground.command_line import folder
from ground.markdown import markdown_table, percent, percent_with_interval
from ground.sources import released_folder, sources_folder
from metrics._shared.columns import FloatArray
from metrics._shared.uncertainty import cluster_interval, holm, sign_flip_test
from metrics.subject_object_las import scoring
from metrics.subject_object_las.inputs import PROPERTIES, UNDECIDED, WORD_ORDERS
from metrics.subject_object_las.options import read_options
from research.studies.answer_batches import BATCHES, GoldClauses, parser_options, scored_trees
from research.studies.headline_columns import headline_columns, headline_sentence
from research.studies.options import flag
from research.studies.published_tables import SubjectObjectRow, subject_object_rows
from research.studies.report import Shown, cell_map, headings, new_figure, numbers, png
from research.studies.study import Options, Run, Study

SPLITS = ("part_amb", "amb")
Result = dict[str, Any]
Row = dict[str, object]
OVERALL = headings("sorts subject_object")
PUBLISHED_PARSERS = (
    *("baseline", "baseline_pmis", "baseline_embeds"),
    *("sticker1", "sticker1_self_distill", "sticker2"),
)
GERMAN_OPENERS = frozenset(("deshalb", "weil"))


def drawn_configs(names: Sequence[str]) -> list[str]:
    """The configs that gold clauses are of; without the authors' own."""
    from dataset_scripts.registry import suite_builder

    known = {one.name for one in suite_builder("sorts").CONFIGS if one.kind != "released"}
    return sorted({name.partition("/")[0] for name in names} & known)


def read_gold(name: str, *, released: Path | None = None, seed: int = 0) -> GoldClauses:
    """Gold clauses by `config/split`, of a draw or the authors'; a ValueError without trees."""
    from dataset_scripts.registry import split_table, suite_builder

    config, _, split = name.partition("/")
    configs = {c.name: c.kind == "released" for c in suite_builder("sorts").CONFIGS}
    splits = ("test",) if config.endswith("twins") else SPLITS
    if config not in configs or split not in splits:
        raise ValueError(
            f"--gold, got {name!r}; expected one of {', '.join(configs)} and"
            f" /{' or /'.join(splits)}"
        )
    options = {"released": released} if configs[config] else {"seed": seed}
    table = split_table("sorts", config, split, options)
    if "heads" not in table.column_names:
        raise ValueError(
            f"--gold, got {name!r}, which has no trees; expected a config with them, such as"
            f" conll/{split}"
        )
    columns = table.to_pydict()
    # Deshalb liest ...    Weil die Leserin ...
    is_german = any(tokens[0].lower() in GERMAN_OPENERS for tokens in columns["tokens"])
    return GoldClauses(name, columns, split if is_german and split in SPLITS else "")


def rows(options: Options, default: Path | None = None) -> dict[str, GoldClauses]:
    """Gold clauses by name, the authors' from a folder; a ValueError where a name means none."""
    released = options.released or default
    return {name: read_gold(name, released=released, seed=options.seed) for name in options.gold}


def score(gold: Mapping[str, GoldClauses], run: Run) -> list[tuple[GoldClauses, list[Result]]]:
    """Results of all systems for each part of the gold."""
    return [
        (part, [score_system(run.system(name), part, run) for name in run.options.systems])
        for part in gold.values()
    ]


def score_system(parser: Any, gold: GoldClauses, run: Run) -> Result:
    """The metric's result with a row per clause, `system` and `system_version`."""
    options = read_options(per_item=True, **parser_options(parser, run, *gold.config_and_split))
    result = scored_trees(scoring.score, parser, gold, run, options)
    path = Path(parser.name.removeprefix("file:"))
    return result | ({"system": path.name} if path.is_file() else {})


def overall_rows(results: Sequence[Result], place: str) -> list[Row]:
    """One line per system on `CONFIG/SPLIT`, percent; LAS with interval and without `amb`."""
    rows = []
    for result in results:
        row: Row = {
            "system": result["system"],
            **headline_columns(HEADLINES["sorts"], result, place),
        }
        row |= {name: percent(result[score]) for name, score in OVERALL.items()}
        row["LAS"] = percent_with_interval(result, "las", 2)
        row["LAS without amb"] = percent(las_without(result, "amb"))
        rows.append(row)
    defined = {name for row in rows for name, cell in row.items() if cell == cell}  # not nan
    return [{name: cell for name, cell in row.items() if name in defined} for row in rows]


def las_without(result: Result, tag: str) -> float:
    """LAS over the clauses without a property, as in Table 6; nan where no clause has it."""
    row = next((row for row in result["by_property"] if row["property"] == tag), None)
    if row is None or row["n"] == result["n"]:
        return math.nan
    return float((result["las"] * result["n"] - row["las"] * row["n"]) / (result["n"] - row["n"]))


def published_parts(split: str) -> dict[str, SubjectObjectRow]:
    """What the paper has for each part of a split; {} for a split that it does not have."""
    rows = subject_object_rows(split) if split in SPLITS else ()
    return {row.part_of_suite: row for row in rows}


def part_rows(
    results: Sequence[Result], part: Literal["word_order", "property"], split: str
) -> list[Row]:
    """LAS in percent by word order or property, one column per system and the paper's sticker2."""
    published = published_parts(split)
    rows: list[Row] = []
    for name in WORD_ORDERS if part == "word_order" else PROPERTIES:
        found = {
            result["system"]: row
            for result in results
            for row in result[f"by_{part}"]
            if row[part] == name
        }
        if found:
            row: Row = {part: name, "n": next(iter(found.values()))["n"]}
            row |= {name: percent_with_interval(own, "las", 2) for name, own in found.items()}
            if published:
                row["sticker2 (published)"] = getattr(published.get(name), "sticker2", math.nan)
            rows.append(row)
    return rows


def published_rows(split: str) -> list[Row]:
    """LAS in percent of the paper's six parsers, a line each: of all by n, then by word order."""
    found = [row for row in subject_object_rows(split) if row.part_of_suite in WORD_ORDERS]
    total = sum(row.n for row in found)
    return [
        {
            "parser": name,
            "LAS": sum(row.n * getattr(row, name) for row in found) / total,
            **{row.part_of_suite: getattr(row, name) for row in found},
        }
        for name in PUBLISHED_PARSERS
    ]


def paired_rows(results: Sequence[Result]) -> list[Row]:
    """Difference of LAS of each pair of systems in points, its interval, p, and p after Holm.

    The pairs are subjects and objects of the same clauses; what is resampled and what has its sign
    flipped is the base triple.
    """
    pairs = [
        (first, second, *paired_sums(first, second))
        for first, second in itertools.combinations(results, 2)
    ]
    p_values = [sign_flip_test(hits) if len(hits) > 1 else math.nan for _, _, hits, _ in pairs]
    rows: list[Row] = []
    for (first, second, hits, counts), p, corrected in zip(
        pairs, p_values, holm(p_values), strict=True
    ):
        interval = cluster_interval(partial(_ratio, hits, counts), len(hits))
        row: Row = {"system": first["system"], "other": second["system"]}
        row["difference"] = percent(float(hits.sum() / counts.sum()))
        row |= {"low": percent(interval.low), "high": percent(interval.high)}
        rows.append(row | {"p": _p(p), "p (Holm)": _p(corrected)})
    return rows


def paired_sums(first: Result, second: Result) -> tuple[FloatArray, FloatArray]:
    """Words by which the first system is ahead in each base triple, and all words, shapes (c,)."""
    sums: dict[str, list[int]] = {}
    for one, other in zip(first["per_item"], second["per_item"], strict=True):
        if one["resolved_by"] in UNDECIDED and first["options"]["unresolved"] == "apart":
            continue
        entry = sums.setdefault(str(one["triple_id"]), [0, 0])
        entry[0] += sum(one[name] - other[name] for name in ("is_subject_right", "is_object_right"))
        entry[1] += 2
    array = np.array(list(sums.values()), float)
    return array[:, 0], array[:, 1]


def heat_map(results: Sequence[Result]) -> bytes:
    """Draws LAS of each system by property (rows) and word order; white without clauses."""
    figure = new_figure(1.5 + 4.5 * len(results), 7)
    panels = figure.subplots(1, len(results), squeeze=False)[0]
    found = {row["property"] for row in results[0]["by_property"]}
    tags = [tag for tag in PROPERTIES if tag in found]
    for axes, result in zip(panels, results, strict=True):
        cells = {
            (row["property"], row["word_order"]): percent(row["las"])
            for row in result["by_property_and_word_order"]
        }
        matrix = np.array(
            [[cells.get((tag, order), math.nan) for order in WORD_ORDERS] for tag in tags]
        )
        image = cell_map(axes, matrix, (tags, WORD_ORDERS), fontsize=7, rotation=90)
        axes.set_title(result["system"])
    figure.colorbar(image, ax=panels, label="subject-object LAS, percent")
    return png(figure)


def _ratio(hits: FloatArray, counts: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray((weights @ hits) / (weights @ counts))


def _p(value: float) -> str | None:
    return f"{value:.4f}" if value == value else None


def result_text(gold: GoldClauses, results: Sequence[Result]) -> str:
    """The tables of the paper for these systems, and how to read them."""
    n, unresolved = results[0]["n"], results[0]["n_unresolved"]
    apart = f" {unresolved:,} clauses that nothing settles stand apart (las unresolved)."
    head = (
        f"### Subject-object LAS of parsers, `{gold.split or gold.name}`\n\n"
        f"Percent of {n:,} clauses of {gold.name}, with 95 % intervals over base triples."
        f" {headline_sentence(HEADLINES['sorts'], gold.name)} It adds the shares of items that are"
        " right with the subject and with the object first, and takes 1 away; SVO and OVS counts"
        " those that are right in both. LAS is the published subject-object LAS; merged: obj, iobj"
        " and obl:arg are one label, so that a parser which is right but says iobj loses nothing;"
        " swap: subject and object exchanged; item: right in all word orders."
        f"{apart if unresolved else ''}"
    )
    parts = [
        f"{head}\n\n{markdown_table(overall_rows(results, gold.name))}",
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


def show(
    scored: Sequence[tuple[GoldClauses, list[Result]]], options: Options, prefix: str = ""
) -> list[Shown]:
    """Tables, figures and a heat map by split, with a prefix also by config."""
    found = []
    for gold, results in scored:
        config, split = gold.config_and_split
        name = f"{prefix}_{config}_{split}" if prefix else f"subject_object_{split}"
        figures = numbers(results, "system")
        plot = partial(heat_map, results)
        found.append(Shown(result_text(gold, results), figures, plot, name=name))
    return found


GERMAN_GOLD = ["conll/amb", "conll/part_amb"]
OF_DUTCH = {
    "rows": lambda options: rows(options, sources_folder() / "sorts" / "dutch"),
    "show": partial(show, prefix="dutch_parsers"),
}
OF_AUTHORS = {"show": partial(show, prefix="authors")}
STUDY = Study.of(
    __name__,
    metrics=("subject_object_las",),
    configs=lambda options: drawn_configs(options.gold),
    work=BATCHES.work,
    options=(
        flag("gold", "config/split of the suite", GERMAN_GOLD, many="+", metavar="GOLD"),
        flag("released", "folder of the authors' files, for configs released_*", parse=folder),
        flag("seed", "which draw of the suite", 0, low=0),
        flag("resamples", "bootstrap samples", 2000, low=1),
    ),
    kind="parser",
    systems=(
        *("subject-first", "random-roles"),  # null systems
        *("animacy-first", "inflection-first", "inflection-then-animacy"),
    ),
).with_variants(
    dutch=OF_DUTCH,
    twins={"show": partial(show, prefix="subject_object")},
    parts={"show": partial(show, prefix="parts")},
    dutch_twins={"show": OF_DUTCH["show"]},
    authors={**OF_AUTHORS, "rows": lambda options: rows(options, released_folder() / "sorts")},
    authors_dutch=OF_DUTCH | OF_AUTHORS,
)
