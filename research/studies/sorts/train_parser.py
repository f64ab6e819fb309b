"""Trains parsers on free treebanks and scores them on sentences that are held out.

    python -m research sorts train_parser
    python -m research sorts train_parser --parsers spacy/german-all/0 udpipe/german-free/0

A parser is named KIND/TREEBANKS/SEED: `treebanks.toml` says what it is trained on and
tested with, `spacy_parser.cfg` and `stanza_parser.toml` how; `spacy-vectors` is
spaCy's parser with vectors of words from Gemma (`piece_vectors.py`). It is trained where
there is none yet, some minutes on one core, kept in the weights folder, and is a system of every
study as `trained:` and its name.
Gold tokens, predicted tags, punctuation counted.

Source: Zeman et al. (2018), CoNLL 2018 Shared Task, for the measures.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from ground.markdown import markdown_table, percent
from research.studies.options import flag
from research.studies.report import Shown
from research.studies.study import Options, Run, Study
from research.systems.parsers.trained_parsers import (
    mixes,
    read_recipe,
    sentences_of,
    trained,
    training_and_test,
)

GERMAN = (
    *("spacy/german-free", "spacy/german-all", "udpipe/german-free", "stanza/german-free"),
    "spacy-vectors/german-free",
)
PARSERS = [
    *(f"{recipe}/{seed}" for recipe in (*GERMAN, "spacy/dutch") for seed in range(3)),
    "spacy-vectors/german-all/0",
    "spacy-vectors/dutch/0",
]
FLOORS = {
    "spacy/german-all": 68,
    "spacy/german-free": 65,
    "udpipe/german-free": 62,
    "biaffine/german-free": 78,
}
"""LAS in percent that the mean over seeds should reach on the German test; our own aims."""


def score(parsers: Sequence[str], run: Run) -> list[dict[str, Any]]:
    """Each parser's sizes and scores, `las` and `uas` in [0, 1]; it is trained if need be."""
    found = []
    for name in parsers:
        recipe = read_recipe(name)
        parser = trained(recipe)
        if parser.minutes is not None:
            print(f"{name}: {parser.minutes:.1f} minutes of processor time", flush=True)
        training, test = training_and_test(recipe.treebanks)
        sizes = {"n_training": len(training), "n_test": sum(1 for _ in sentences_of(test))}
        scores = {"version": parser.version, "las": parser.las, "uas": parser.uas}
        found.append({"parser": name, **sizes, **scores})
    return found


def show(scored: Sequence[Mapping[str, Any]], options: Options) -> list[Shown]:
    """One line per parser, and one per recipe with the mean over its seeds."""
    rows, means = [shown_row(result) for result in scored], mean_rows(scored)
    text = (
        "### Parsers trained here\n\n"
        "Percent of the words of held-out sentences with the right head and label (LAS), with the"
        " right head (UAS): gold tokens, predicted tags, punctuation counted.\n\n"
        f"{markdown_table(rows)}\nMeans over seeds; `aim` is what LAS should reach:\n\n"
        f"{markdown_table(means)}"
    )
    figures = {result["parser"]: dict(result) for result in scored}
    return [Shown(text, figures)]


def shown_row(result: Mapping[str, Any]) -> dict[str, object]:
    """A parser's line: what it learnt from, what it was tested with, its scores in percent."""
    _, treebanks, _ = result["parser"].split("/")
    entry = mixes()[treebanks]
    return {
        "parser": f"trained:{result['parser']}",
        "trained on": ", ".join(Path(file).stem for file in entry["train"]),
        "sentences": result["n_training"],
        "tested on": Path(entry["test"]).stem,
        "of test": result["n_test"],
        "LAS": percent(result["las"]),
        "UAS": percent(result["uas"]),
    }


def mean_rows(scored: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Mean LAS and UAS of each recipe's seeds in percent, and the aim."""
    recipes: dict[str, list[Mapping[str, Any]]] = {}
    for result in scored:
        recipes.setdefault(result["parser"].rpartition("/")[0], []).append(result)
    rows = []
    for recipe, results in recipes.items():
        row: dict[str, object] = {"recipe": recipe, "seeds": len(results)}
        row |= {n.upper(): percent(fmean(one[n] for one in results)) for n in ("las", "uas")}
        rows.append(row | {"aim": FLOORS.get(recipe)})
    return rows


STUDY = Study.of(
    __name__,
    rows=lambda options: options.parsers,
    options=(flag("parsers", "parsers by name", PARSERS, many="+", metavar="KIND/TREEBANKS/SEED"),),
).with_variants()
