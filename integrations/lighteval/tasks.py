"""Tasks of lighteval: the configs for language models whose members share one context.

    GARDEN_PATH_HUB=NAMESPACE lighteval accelerate model_name=NAME garden_path:sorts_pairs
        --custom-tasks integrations/lighteval/tasks.py

`garden_path` are all of them. GARDEN_PATH_HUB is who has published the suites, or the folder that
holds them. What a task reports is what our metric says of all its rows: lighteval's own accuracy
gives a tie to the right member, and its standard error takes every pair for a draw of its own.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

from integrations import scores, suites

ONE_CONTEXT = {key for key in suites.SCORED if key != ("eras", "pairs")}  # those have four


class Collect(SampleLevelComputation):
    """What a row got, to be scored with the others."""

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> dict[str, Any]:
        """The row with the number of tokens of each member, and their log-probabilities."""
        counts = [len(tokens) for tokens in model_response.output_tokens[: len(doc.choices)]]
        row = {**(doc.specific or {}), "continuations": doc.choices, "n_tokens": counts}
        return {"row": row, "values": model_response.logprobs[: len(doc.choices)]}


def numbers(items: Sequence[Mapping[str, Any]]) -> scores.Numbers:
    """What our metric says of the rows of a task."""
    score = scores.choice if "choices" in items[0]["row"] else scores.preference
    return score([scores.Collected(**item) for item in items])


def ask(measures: Any, row: dict[str, Any], task_name: str = "") -> Doc:
    """A row as lighteval asks it."""
    asked = suites.requests(next(iter(measures(row).values())))
    return Doc(asked["context"], asked["continuations"], 0, specific=row, task_name=task_name)


TASKS_TABLE = [
    LightevalTaskConfig(
        name=f"garden_path:{suite}_{config}",
        prompt_function=partial(ask, suites.SCORED[suite, config]),
        hf_repo=suites.place(suite, os.environ.get("GARDEN_PATH_HUB", "")),
        hf_subset=config,
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        metrics=[CorpusLevelMetric("numbers", True, SamplingMethod.LOGPROBS, Collect(), numbers)],
        version=1,
    )
    for suite, config in sorted(ONE_CONTEXT)
]
"""What lighteval reads."""
