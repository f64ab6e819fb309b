"""How CenterBench is drawn again for language models: its questions as a choice of answers.

    python -m studies centerbench redraw_choice

A model that writes its answers takes too long for many draws; which of the sentence's own nouns or
events it finds likeliest is told at once. A parser chooses by the answer that it gives.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from builders.centerbench import VERSION
from builders.centerbench.likelihoods import CENTER
from dataset_scripts.headlines import Headline
from dataset_scripts.registry import split_table
from metrics.minimal_pair_preference.effects import best_choices
from studies.centerbench.redraw import by_relation
from studies.levels import GroupScores
from studies.redraw import Redrawable, redraw_study
from systems.choosers import ChoiceQuestion

ACCURACY = "choice_accuracy"
SHARED = ("choices", "neighbour", "chance")  # what a choice has and a question lacks
HEADLINE = Headline(
    "minimal_pair_preference",
    ACCURACY,
    "choice accuracy",
    lambda result: result["null"],
    "the neighbouring noun or chance by exclusion, whichever is right more often",
)


def draw(seed: int, size: int) -> pa.Table:
    """Question rows of draw number `seed` with their choices, `size` pairs per level from 2 on."""
    options = {"seed": seed, "size": size}
    questions, choices = (
        split_table("centerbench", config, "test", options).to_pylist()
        for config in ("questions", "choice")
    )
    asked = {(row["sentence"], row["question"]): row for row in questions}
    rows = [
        asked[row["sentence"], row["question"]] | {name: row[name] for name in SHARED}
        for row in choices
        if row["construction"] == CENTER
    ]
    return pa.Table.from_pylist(rows)


def score(chooser: Any, rows: pa.Table) -> Mapping[str, Any]:
    """Share of right choices.

    Returns:
        `choice_accuracy`, in which one of k choices that are as good as each other is worth 1 / k;
        `choice_accuracy_strict`, in which it is worth nothing; `null`; all in [0, 1]; `right`, the
        first question by question, shape (n,).
    """
    columns = (rows[name].to_pylist() for name in ChoiceQuestion._fields)
    found = chooser.predict([ChoiceQuestion(*row) for row in zip(*columns, strict=True)])
    choices, answers = (rows[name].to_pylist() for name in ("choices", "answer"))
    ordered = [
        [values[offered.index(answer)], *np.delete(values, offered.index(answer))]
        for values, offered, answer in zip(found, choices, answers, strict=True)
    ]
    right = best_choices(ordered, [[1.0] * len(values) for values in ordered], exponent=0.0)
    is_neighbour = np.array(rows["neighbour"].to_pylist()) == np.array(answers)
    return {
        ACCURACY: float(right.mean()),
        f"{ACCURACY}_strict": float((right == 1.0).mean()),
        "null": float(max(is_neighbour.mean(), rows["chance"].to_numpy().mean())),
        "right": right,
    }


def groups(result: Mapping[str, Any], rows: pa.Table) -> GroupScores:
    """Choice accuracy about each relation."""
    return by_relation(rows, result["right"])


SUITE = Redrawable(
    suite="centerbench",
    version=lambda: str(VERSION),
    draw=draw,
    items=lambda rows: sorted(set(rows["sentence"].to_pylist())),
    score=score,
    kind="chooser",
    systems=("spacy:en_core_web_sm", "gguf:smollm2", "gguf:gemma"),
    size=(1, "pair per level from 2 to 6"),
    metrics={ACCURACY: True, f"{ACCURACY}_strict": True},
    speaks_of=(
        "Draws take other sentences from the same knowledge base by the same design; of one pair a"
        " level all are about animals, the first domain. Asked is who did it and what was done,"
        " about center-embedded sentences; the answer is chosen among the sentence's own nouns or"
        " events but that of the question, by a language model as the likeliest, by a parser as the"
        " one that it gives. Who gives none of them guesses: that is worth 1 / n in the first"
        " score, nothing in the strict one. A relation is the verb that a question asks about."
    ),
    levels=("domain", "relation"),
    drawn="relation",
    groups=groups,
    headline=HEADLINE,
    module="redraw_choice",
)
STUDY = redraw_study(SUITE)
