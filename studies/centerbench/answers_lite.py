"""The answers to a part of the lite subset, of language models too.

    python -m studies centerbench answers_lite

As `answers --failures`, about the first five sentence pairs of each level of `questions_lite`,
half of it: two small models need about twenty minutes of one core. They are asked in bfloat16, with
at most 32 tokens an answer. The longest right answers have more tokens: causal sequences of the
deepest levels, which these models answer at no level.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from studies.centerbench.answers import FAILURES
from studies.centerbench.answers import STUDY as WHOLE
from studies.study import Options, Rows, Run, Shown

ROWS = {"config": "questions_lite", "limit": 5}


def score(questions: Rows, run: Run) -> list[dict[str, Any]]:
    """Results of the metric for every system, the kinds of their failures among them."""
    run.options.failures = True
    found: list[dict[str, Any]] = WHOLE.score(questions, run)
    return found


def show(results: Sequence[Mapping[str, Any]], options: Options) -> list[Shown]:
    """Tables, figures and plot, under a name of their own."""
    of_whole = WHOLE.show(results, options)
    return [dataclasses.replace(shown, name="answers_lite") for shown in of_whole]


STUDY = dataclasses.replace(
    WHOLE,
    module=__name__,
    about=__doc__,
    score=score,
    show=show,
    options=tuple(
        dataclasses.replace(option, default=ROWS.get(option.name, option.default))
        for option in WHOLE.options
        if option is not FAILURES
    ),
    systems=(*WHOLE.systems, "spacy:en_core_web_sm", "gguf:smollm2", "gguf:gemma"),
    settings={"dtype": "bfloat16", "max_new_tokens": 32},
)
