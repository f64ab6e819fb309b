"""Tasks by Ray Data's own batch inference with vLLM, for models that only it serves well.

Needs vLLM, which brings its own torch; where it is not installed nothing here is used.
"""

import importlib.metadata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ground import ray_engine
from ground.engines import Outcome, Workers

BATCH_SIZE = 64  # requests that an engine gets at once
GIVEN = ("name", "place")  # of a request: its task, and where in it


@dataclass(frozen=True)
class Inference:
    """How vLLM does the parts of tasks.

    Attributes:
        config: Of `vLLMEngineProcessorConfig`: `model_source`, `engine_kwargs` ...
        requests: Gives `tokenized_prompt` and `sampling_params` of each part.
        read: Makes the row of a part of the numbers of its prompt's tokens and of those generated.
    """

    config: Mapping[str, Any]
    requests: Callable[[Sequence[Any]], Sequence[Mapping[str, Any]]]
    read: Callable[[int, Sequence[int]], Mapping[str, Any]]


def vllm_version() -> str:
    """Version of vLLM, "" where it is not installed."""
    try:
        return importlib.metadata.version("vllm")
    except importlib.metadata.PackageNotFoundError:
        return ""


def settings(inference: Inference, workers: Workers) -> dict[str, Any]:
    """What `vLLMEngineProcessorConfig` is made with: prompts come as tokens and go as tokens."""
    stages = ("chat_template_stage", "tokenize_stage", "detokenize_stage")
    return {
        **dict.fromkeys(stages, False),
        "batch_size": BATCH_SIZE,
        "concurrency": workers.n or 1,
        "log_engine_metrics": False,
        **inference.config,
    }


def rows_of(inference: Inference, tasks: Iterable[tuple[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row for each part of each task, as the engine takes it."""
    for name, task in tasks:
        for place, request in enumerate(inference.requests(task.parts)):
            yield {"name": name, "place": place, **request}


def generated(row: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a row that the engine has done."""
    kept = (*GIVEN, "num_input_tokens", "generated_tokens")
    return {name: row[name] for name in kept}


def outcomes(
    inference: Inference, tasks: Iterable[tuple[str, Any]], workers: Workers
) -> Iterator[Outcome]:
    """Outcomes of all tasks, each when its last part is there.

    Args:
        inference: How parts are done.
        tasks: Each with its name; its `parts` are done.
        workers: How many engines, where.
    """
    import ray.data
    from ray.data.llm import build_processor, vLLMEngineProcessorConfig

    ray_engine.start(workers)
    given = list(rows_of(inference, tasks))
    config = vLLMEngineProcessorConfig(**settings(inference, workers))
    processor = build_processor(config, preprocess=dict, postprocess=generated)
    answered = processor(ray.data.from_items(given)).iter_batches(
        batch_size=None, batch_format="pyarrow", prefetch_batches=0
    )
    yield from whole(inference, given, (row for batch in answered for row in batch.to_pylist()))


def whole(
    inference: Inference, given: Iterable[Mapping[str, Any]], done: Iterable[Mapping[str, Any]]
) -> Iterator[Outcome]:
    """Tasks put together again from their parts, which come in any order."""
    missing: dict[str, int] = {}
    found: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for row in given:
        missing[row["name"]] = missing.get(row["name"], 0) + 1
    for row in done:
        name = row["name"]
        made = inference.read(row["num_input_tokens"], row["generated_tokens"])
        found.setdefault(name, []).append((row["place"], made))
        missing[name] -= 1
        if not missing[name]:
            yield Outcome(name, found.pop(name))
    for name in (name for name, n in missing.items() if n):
        yield Outcome.of_death(name, "no answer of vLLM", 1)
