"""vLLM behind `transformers:NAME` under Ray: the same tokens in, the same reading of those out.

vLLM itself is not installed here: Ray's own checks of what it is given stand in for it.
"""

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ground import ray_inference
from ground.engines import Workers
from ground.loop import Task
from systems.registry import load
from tests.test_answerers import GENERATED, make_model

pytest.importorskip("transformers")
pytestmark = pytest.mark.clock
QUESTIONS = GENERATED[:3]


@pytest.fixture(scope="module")
def answerer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small model with random weights, which says something."""
    folder = make_model(tmp_path_factory.mktemp("model"))
    return load("answerer", f"transformers:{folder}", max_new_tokens=8, dtype="float32")


def test_an_engine_gets_the_tokens_that_the_model_gets_and_is_read_as_it_is(answerer: Any) -> None:
    """What the model itself generates, brought back as vLLM's, gives the model's own answers."""
    import torch

    inference = answerer.inference
    tasks = [("a", Task(("k0", "k1"), tuple(QUESTIONS[:2]))), ("b", Task(("k2",), QUESTIONS[2:]))]
    given = list(ray_inference.rows_of(inference, tasks))
    assert [(row["name"], row["place"]) for row in given] == [("a", 0), ("a", 1), ("b", 0)]
    model = loaded_model(inference.config["model_source"])

    def engine() -> Iterator[dict[str, Any]]:
        for row in reversed(given):  # they come in any order
            prompt = torch.tensor([row["tokenized_prompt"]])
            n = row["sampling_params"]["max_tokens"]
            written = model.generate(
                input_ids=prompt, do_sample=False, max_new_tokens=n, pad_token_id=0
            )
            tokens = written[0, prompt.shape[1] :].tolist()
            done = {"num_input_tokens": prompt.shape[1], "generated_tokens": tokens, "else": 1}
            yield ray_inference.generated(row | done)

    found = {o.name: dict(o.result) for o in ray_inference.whole(inference, given, engine())}
    expected = [answer._asdict() for answer in answerer.predict(QUESTIONS)]
    assert found == {"a": {0: expected[0], 1: expected[1]}, "b": {0: expected[2]}}
    assert any(answer["text"] for answer in expected)


def loaded_model(folder: str) -> Any:
    """The model's weights, by transformers alone."""
    import transformers

    return transformers.AutoModelForCausalLM.from_pretrained(folder).eval()


def test_what_never_comes_is_named(answerer: Any) -> None:
    given = [{"name": "a", "place": 0}, {"name": "a", "place": 1}]
    done = [{"name": "a", "place": 0, "num_input_tokens": 3, "generated_tokens": [1]}]
    (outcome,) = ray_inference.whole(answerer.inference, given, done)
    assert (outcome.name, outcome.is_of_the_machine) == ("a", True)
    assert "no answer of vLLM" in outcome.error


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")
def test_ray_accepts_what_it_is_told(answerer: Any) -> None:
    """The settings are fields of Ray's own record, and the rows have what its engine asks for."""
    llm = pytest.importorskip("ray.data.llm", reason="this Ray has no batch inference")
    stages = pytest.importorskip("ray.llm._internal.batch.stages")
    told = ray_inference.settings(answerer.inference, Workers(2, "ray"))
    assert set(told) <= set(llm.vLLMEngineProcessorConfig.model_fields)
    config = llm.vLLMEngineProcessorConfig(**told)
    assert config.model_source == answerer.inference.config["model_source"]
    (row,) = answerer.inference.requests(QUESTIONS[:1])
    stage = stages.vLLMEngineStage(
        fn_constructor_kwargs={"task_type": config.task_type}, map_batches_kwargs={}
    )
    assert set(stage.get_required_input_keys()) <= set(row)
    known = set(stage.get_required_input_keys()) | set(stage.get_optional_input_keys())
    assert set(row) <= known


def test_vllm_answers_only_where_it_is_installed(
    answerer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("systems.questions.vllm_version", lambda: "")
    assert answerer.on_ray() == replace(answerer, inference=None)
    monkeypatch.setattr("systems.questions.vllm_version", lambda: "0.19")
    there = answerer.on_ray()
    assert there.version == f"{answerer.version} vllm 0.19"  # another key in the store
    assert there.inference is answerer.inference
