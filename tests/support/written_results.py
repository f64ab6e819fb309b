"""Result files that other tools write, each with a model that needs neither weights nor network.

    python -m tests.support.written_results TOOL PYTHON FOLDER

runs a tool in the Python where it is installed; `tests/product/inputs/written` keeps what came out,
by the tool's version. The input of every_eval_ever is a folder of logs of inspect.
"""

import os
import sys
from pathlib import Path

from tests.support.processes import captured

INSPECT = """
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, grouped, includes, match, mean, scorer, std
from inspect_ai.solver import generate

def reply(n):
    def of(messages, *_):
        answer = ModelOutput.from_content("mockllm", "7" if int(messages[-1].text[1:]) < n else "8")
        answer.usage = ModelUsage()
        return answer
    return of

@scorer(metrics={"a": [mean(), std()], "b": [mean()]})
def two():
    async def score(state, target):
        return Score(value={"a": float(state.output.completion == "7"), "b": 0.5})
    return score

@scorer(metrics=[grouped(accuracy(), "kind")])
def bykind():
    async def score(state, target):
        return Score(value="C" if state.output.completion == "7" else "I")
    return score

kinds = {"json": [match(), includes()], "two": two(), "grouped": bykind()}
for model, n in (("good", 5), ("bad", 2)):
    llm = lambda n: get_model(f"mockllm/{model}", custom_outputs=reply(n), memoize=False)
    for name, more in (("t", 0), ("u", 1), ("v", -1)):
        samples = [Sample(input=f"w{i}", target="7", metadata={"kind": "yx"[i % 2]})
                   for i in range(6)]
        for kind in (*kinds, "eval"):
            task = Task(MemoryDataset(samples), solver=generate(), name=name,
                        scorer=kinds.get(kind, kinds["json"]))
            eval(task, model=llm(n + more), display="none", log_dir=f"{OUT}/{kind}",
                 log_samples=False, log_format="eval" if kind == "eval" else "json",
                 max_connections=1)
"""
MTEB = """
from pathlib import Path
import mteb
from mteb.cache import ResultCache
from mteb.mocks import mock_tasks
names = ("MockClassificationTask", "MockSTSTask", "MockMultilingualClassificationTask")
meta = mteb.get_model_meta("mteb/baseline-random-encoder")
for name, revision in (("org/first", "1"), ("org/second", "1"), ("org/second", "2")):
    model = meta.loader(name, revision, embed_dim=8)
    model.mteb_model_meta = meta.model_copy(update={"name": name, "revision": revision})
    for task in names:
        mteb.evaluate(model, getattr(mock_tasks, task)(), cache=ResultCache(Path(OUT)),
                      co2_tracker=False)
"""
HELM = '''
import dataclasses, sys
from pathlib import Path
from helm.benchmark import model_deployment_registry as deployments
from helm.benchmark import model_metadata_registry as models
from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.config_registry import register_builtin_configs_from_helm_package
from helm.benchmark.executor import ExecutionSpec
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec
from helm.benchmark.runner import Runner
from helm.benchmark.scenarios.scenario import ScenarioSpec
Path(OUT).mkdir(exist_ok=True)
Path(OUT, "tiny_scenario.py").write_text("""
from helm.benchmark.scenarios.scenario import *
class Tiny(Scenario):
    name, description, tags = "tiny", "words", []
    def __init__(self, size):
        super().__init__()
        self.size = size
    def get_instances(self, output_path):  # simple/model1 says the last word of the prompt
        said = ["Output:" if i < self.size else "b" for i in range(6)]
        return [Instance(input=Input(text=f"w{i} a"), split=TEST_SPLIT, references=[
            Reference(Output(text=word), tags=[CORRECT_TAG])]) for i, word in enumerate(said)]
""")
sys.path.insert(0, OUT)
register_builtin_configs_from_helm_package()
first, second = "simple/model1", "simple/model2"
models.register_model_metadata(dataclasses.replace(models.get_model_metadata(first), name=second))
deployments.register_model_deployment(dataclasses.replace(
    deployments.get_model_deployment(first), name=second, model_name=second))
local = ExecutionSpec(url=None, auth=None, local_path=OUT + "/env", parallelism=1, dry_run=False)
runner = Runner(execution_spec=local, output_path=OUT, suite="tiny", skip_instances=False,
                cache_instances=False, cache_instances_only=False, skip_completed_runs=False,
                exit_on_error=True)
metrics = "helm.benchmark.metrics.basic_metrics."
runner.run_all([
    RunSpec(
        name=f"tiny:size={n},model={model.replace('/', '_')}",
        scenario_spec=ScenarioSpec(class_name="tiny_scenario.Tiny", args={"size": n}),
        adapter_spec=AdapterSpec(method="generation", model=model, model_deployment=model,
            max_eval_instances=10, max_train_instances=0, num_outputs=1, max_tokens=5,
            temperature=0.0),
        metric_specs=[
            MetricSpec(metrics + "BasicGenerationMetric",
                       {"names": ["exact_match", "quasi_exact_match", "f1_score"]}),
            MetricSpec(metrics + "InstancesPerSplitMetric", {})],
        groups=["tiny"])
    for model in (first, second) for n in (3, 4, 5)])
'''
LIGHTEVAL = '''
import json
from pathlib import Path
import huggingface_hub, lighteval
huggingface_hub.HfApi.list_models = lambda *args, **options: iter(())  # asks the Hub at import
Path(lighteval.__file__).parent.joinpath("tasks/tasks/tinyBenchmarks.pkl").touch()  # and the web
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.dummy.dummy_model import DummyModelConfig
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
rows = Path(OUT, "rows")
rows.mkdir(parents=True, exist_ok=True)
lines = (json.dumps({"q": f"w{i}", "y": i % 2}) + "\\n" for i in range(12))
(rows / "test.jsonl").write_text("".join(lines))
Path(OUT, "tiny_tasks.py").write_text(f"REPO = {str(rows)!r}" + """
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc
def prompt(line, task_name=None):
    return Doc(task_name=task_name, query=line["q"], choices=["yes", "no"], gold_index=line["y"])
TASKS_TABLE = [
    LightevalTaskConfig(name=name, prompt_function=prompt, hf_repo=REPO, hf_subset="default",
        metrics=[Metrics.loglikelihood_acc, Metrics.mrr], evaluation_splits=["test"],
        hf_avail_splits=["test"], few_shots_split=None, few_shots_select=None, generation_size=4)
    for name in ("tiny:a", "tiny:b", "single")]
""")
for name, seed in (("org/first", 1), ("org/second", 2)):
    pipeline = Pipeline(tasks="tiny:a|0,tiny:b|0,single|0",
        pipeline_parameters=PipelineParameters(launcher_type=ParallelismManager.NONE,
            custom_tasks_directory=str(Path(OUT, "tiny_tasks.py")), bootstrap_iters=0),
        evaluation_tracker=EvaluationTracker(output_dir=OUT, save_details=False),
        model_config=DummyModelConfig(model_name=name, seed=seed))
    pipeline.evaluate()
    pipeline.save_and_push_results()
'''
LM_EVAL = '''
import importlib.metadata, json
from pathlib import Path
import lm_eval
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast
from lm_eval.models.dummy import DummyLM
words = Tokenizer(models.WordLevel({"w": 0}, unk_token="w"))
PreTrainedTokenizerFast(tokenizer_object=words).save_pretrained("words")
DummyLM.tokenizer_name = "words"  # 0.4.11 takes one from the Hub
folder = Path(OUT)
folder.mkdir(parents=True, exist_ok=True)
rows = folder / "rows.jsonl"
rows.write_text("".join(json.dumps({"q": f"w{i}", "y": i % 2}) + "\\n" for i in range(6)))
for name in ("tiny_a", "tiny_b", "tiny_c"):
    (folder / f"{name}.yaml").write_text(f"""task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {rows}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{q}}}}"
doc_to_choice: ["yes", "no"]
doc_to_target: "{{{{y}}}}"
metric_list:
- {{metric: acc, aggregation: mean, higher_is_better: true}}
- {{metric: brier_score, aggregation: brier_score, higher_is_better: false}}
""")
means = "aggregate_metric_list: [{metric: acc, aggregation: mean, weight_by_size: true}]\\n"
is_old = importlib.metadata.version("lm_eval") == "0.4.3"
group = "group: tiny\\ntask: [tiny_a, tiny_b]\\n"
(folder / "tiny.yaml").write_text(group + ("" if is_old else means))
manager = TaskManager(include_path=OUT, include_defaults=False)
for seed, revision in enumerate(("step1", "step2"), 1):
    tracker = EvaluationTracker(output_path=str(folder / "out" / revision))
    found = lm_eval.simple_evaluate(
        model="dummy", model_args=f"pretrained=org/m,revision={revision}",
        tasks=["tiny", "tiny_c"], task_manager=manager, bootstrap_iters=0, random_seed=seed,
        evaluation_tracker=tracker)
    tracker.save_results_aggregated(results=found, samples=found.pop("samples"))
'''
EVERY_EVAL_EVER = """
import os, pathlib, sys
from every_eval_ever.cli import main
logs = pathlib.Path("known")  # a model's name needs a developer that is known
logs.mkdir(parents=True)
for path in pathlib.Path(os.environ["LOGS"]).glob("*.json"):
    (logs / path.name).write_text(path.read_text().replace("mockllm/", "openai/"))
sys.exit(main(["convert", "inspect", "--log_path", str(logs), "--output_dir", OUT,
               "--source_organization_name", "test"]))
"""
CODE = {
    "inspect_ai": INSPECT,
    "mteb": MTEB,
    "crfm_helm": HELM,
    "lighteval": LIGHTEVAL,
    "lm_eval": LM_EVAL,
    "every_eval_ever": EVERY_EVAL_EVER,
}
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "INSPECT_DISPLAY": "none"}


def write(tool: str, python: str | Path, folder: Path, **environment: str) -> None:
    """Runs a tool beside its Python; what it writes lies in the folder.

    Raises:
        RuntimeError: The tool failed; the message ends as its output did.
    """
    done = captured(
        [str(python), "-c", f"OUT = {str(folder)!r}\n{CODE[tool]}"],
        env={**os.environ, **OFFLINE, **environment},
        cwd=folder.parent,
    )
    if done.returncode:
        raise RuntimeError(f"{tool}: {done.stderr[-2000:]}")


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], Path(sys.argv[3]).resolve())
