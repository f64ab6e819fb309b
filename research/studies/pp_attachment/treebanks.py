"""Does the suite predict treebanks? Readers and parsers on `pp_attachment` and on UD_German.

    python -m research pp_attachment treebanks
    python -m research pp_attachment treebanks --systems adjacent-noun trained:spacy/german-free/1

The German treebanks of `treebanks.toml`, which you have (GARDENPATH_SOURCES): their phrases
with at least two candidate heads, config `natural`. A parser is not scored on what it was trained
on.

Source: de Kok et al. (2017), "PP Attachment: Where do We Stand?", EACL, on candidates.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from builders.pp_attachment.natural_rows import natural_columns
from dataset_scripts.headlines import HEADLINES, Result
from dataset_scripts.registry import split_table
from ground.markdown import interval, markdown_table, percent, percent_with_interval
from metrics.pp_attachment_accuracy.inputs import UNDECIDED
from research.studies.answer_batches import BATCHES, GoldClauses
from research.studies.eras.rank_agreement import agreement, stack_sums
from research.studies.headline_columns import headline_columns, headline_sentence
from research.studies.options import flag
from research.studies.pp_attachment.attachment import SPLIT, score_system
from research.studies.pp_attachment.attachment import STUDY as ATTACHMENT
from research.studies.report import Shown, new_figure, numbers, png
from research.studies.study import Options, Run, Study
from research.systems.parsers.trained_parsers import (
    mixes,
    read_recipe,
    treebank_files,
    treebank_path,
)

SUITE = "lite"
LANGUAGE = "de"
TRAINED = "trained:"
LEAST_SYSTEMS = 3  # that can be ranked
SHOWN = ("accuracy", "labelled_accuracy", "verb_rate", "verb_rate_gold", "n")


def rows(options: Options) -> dict[str, GoldClauses]:
    """Phrases of the suite and of each treebank; a DataFileError where one is not as recorded."""
    found = {SUITE: GoldClauses(SUITE, split_table("pp_attachment", SUITE, SPLIT).to_pydict())}
    for file in treebank_files(LANGUAGE):
        found[name_of(file)] = GoldClauses("natural", natural_columns([str(treebank_path(file))]))
    return found


def name_of(file: str) -> str:
    """Short name of a treebank's file: `GSD dev` for `de_gsd-ud-dev.conllu`."""
    treebank, _, part = Path(file).stem.partition("-ud-")
    return f"{treebank.partition('_')[2].upper()} {part}"


def is_trained_on(system: str, treebank: str) -> bool:
    """Whether a parser that is trained here has seen a treebank."""
    if not system.startswith(TRAINED):
        return False
    mix = mixes()[read_recipe(system.removeprefix(TRAINED)).treebanks]
    return treebank in map(name_of, mix["train"])


def score(gold: Mapping[str, GoldClauses], run: Run) -> dict[str, list[Result]]:
    """Results of all systems for the suite and for each treebank that they have not seen."""
    found: dict[str, list[Result]] = {}
    for name, part in gold.items():
        found[name] = []
        for system in run.options.systems:
            if not is_trained_on(system, name):
                result = dict(score_system(run.system(system), part, run, per_item=True))
                if part.name != SUITE:
                    del result["signature"]  # it would be of rows that nobody else has
                found[name].append(result)
    return found


def show(scored: Mapping[str, list[Result]], options: Options) -> list[Shown]:
    """Table, agreement, figures and a plot."""
    agreements = [agreement_row(scored, name) for name in scored if name != SUITE]
    figures = {
        name: {result["system"]: {key: result[key] for key in SHOWN} for result in results}
        for name, results in scored.items()
    }
    figures[SUITE] = numbers(scored[SUITE], "system")
    figures["agreement"] = {str(row["treebank"]): row for row in agreements}
    text = result_text(scored, agreements)
    return [Shown(text, figures, lambda: dots(scored))]


def result_text(scored: Mapping[str, list[Result]], agreements: Sequence[Mapping[str, Any]]) -> str:
    """The tables, and how to read them."""
    sizes = ", ".join(
        f"{name} {results[0]['n']:,} ({percent(results[0]['verb_rate_gold']):.0f} %)"
        for name, results in scored.items()
    )
    head = (
        f"### The suite (`{SUITE}`) and the treebanks\n\n"
        "Percent of phrases on the right head, with 95 % intervals over base items, in treebanks"
        f" over sentences. {headline_sentence(HEADLINES['pp_attachment'])} Phrases, and how many"
        f" hang on the verb: {sizes}. A parser is not scored on what it was trained on (empty)."
    )
    agree = (
        "How scores on a treebank go with those on the suite, over systems; intervals draw items"
        " and sentences again and say nothing of other systems:"
    )
    shown = []
    for row in agreements:
        line = {"treebank": row["treebank"], "systems": row["n_systems"]}
        for name in ("spearman", "pearson"):
            ends = interval(row[f"{name}_low"], row[f"{name}_high"], 2)
            line[name.capitalize()] = f"{row[name]:.2f}{ends}"
        shown += [line] if row["n_systems"] >= LEAST_SYSTEMS else []
    tables = [f"{head}\n\n{markdown_table(system_rows(scored))}"]
    return "\n".join([*tables, f"{agree}\n\n{markdown_table(shown)}"] if shown else tables)


def system_rows(scored: Mapping[str, list[Result]]) -> list[dict[str, object]]:
    """One line per system: headline and head on the suite, head on each treebank."""
    found = []
    for result in scored[SUITE]:
        row: dict[str, object] = {"system": result["system"]}
        row |= headline_columns(HEADLINES["pp_attachment"], result)
        for name, results in scored.items():
            own = _of(results, result["system"])
            row[name] = percent_with_interval(own, "accuracy") if own else None
        found.append(row)
    return found


def agreement_row(scored: Mapping[str, list[Result]], name: str) -> dict[str, Any]:
    """How scores on a treebank go with those on the suite, over systems that have both."""
    both = [(_of(scored[SUITE], result["system"]), result) for result in scored[name]]
    suite, treebank = (stack_sums([_sums(pair[i]) for pair in both]) for i in (0, 1))
    return {"treebank": name, "n_systems": len(both), **agreement(suite, treebank)}


def _sums(result: Result) -> dict[int, tuple[float, float]]:
    """Right heads and phrases by base item or sentence, numbered alike in all systems."""
    decided = [row for row in result["per_item"] if row["resolved_by"] not in UNDECIDED]
    items = sorted({str(row["item_id"]) for row in decided})
    hits = Counter(str(row["item_id"]) for row in decided if row["is_head_right"])
    counts = Counter(str(row["item_id"]) for row in decided)
    return {i: (float(hits[item]), float(counts[item])) for i, item in enumerate(items)}


def _of(results: Sequence[Result], system: str) -> Result:
    return next((result for result in results if result["system"] == system), {})


def dots(scored: Mapping[str, list[Result]]) -> bytes:
    """Draws each system's share of right heads on the suite and on the treebanks, in a line."""
    ordered = sorted(scored[SUITE], key=lambda result: float(result["accuracy"]))
    names = [result["system"] for result in ordered]
    figure = new_figure(7.5, 1.5 + 0.32 * len(names))
    axes = figure.subplots()
    for (name, results), marker in zip(scored.items(), "|osD^v<>", strict=False):
        shares = [percent(result["accuracy"]) for result in results]
        places = [names.index(result["system"]) for result in results]
        label = "the suite" if name == SUITE else name
        axes.plot(shares, places, marker, label=label, markersize=13 if name == SUITE else 6)
    axes.set_yticks(range(len(names)), names)
    axes.grid(axis="y", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.set_xlim(0, 102)
    axes.set_xlabel("right head, percent")
    figure.legend(loc="outside upper center", ncols=len(scored), frameon=False)
    return png(figure)


STUDY = Study.of(
    __name__,
    packages=("scipy",),
    metrics=("pp_attachment_accuracy",),
    work=BATCHES.work,
    options=(flag("resamples", "bootstrap samples", 2000, low=1),),
    kind="parser",
    systems=(*ATTACHMENT.systems, "trained:spacy/german-free/0"),
)
