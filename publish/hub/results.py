"""Results as others can use them: read, refused where they would mislead, written for two readers.

In goes the result of a metric as JSON. Out come the Hub's `.eval_results/*.yaml` of a model and a
record of every_eval_ever 0.3.0, with score, interval and null. A leaderboard compares like with
like: the headline of a suite, on its published draw, by the metric's defaults.
"""

import datetime
import hashlib
import json
import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from huggingface_hub import CommitOperationAdd, EvalResultEntry, HfApi, eval_result_entries_to_yaml
from huggingface_hub.errors import (  # type: ignore[attr-defined]  # HTTPError: httpx's, whichever generation
    HFValidationError,
    HTTPError,
)
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]  # documented
from huggingface_hub.utils.sha import git_hash

from dataset_scripts.headlines import HEADLINES, Headline, cluster_sums
from ground.files import write_whole
from ground.tables import read_text
from metrics._shared.option_fields import Signature, read_signature
from publish.build.boards import check_comparable, task_name
from publish.hub.retries import attempt, explain, open_request

EVERY_EVAL_EVER = "0.3.0"
PROPORTION = {
    "metric_unit": "proportion",
    "lower_is_better": False,
    "score_type": "continuous",
    "min_score": 0.0,
    "max_score": 1.0,
}
DIGITS = 6


@dataclass(frozen=True)
class SharedResult:
    """The headline of a result, with all that must stand beside it.

    The score is in [0, 1]; where its interval is undefined, both ends are nan and `method` says
    why. `clusters` are sums and numbers of items, for paired comparisons.
    """

    signature: Signature
    headline: Headline
    value: float
    low: float
    high: float
    method: str
    null: float
    is_above: bool
    n: int
    n_clusters: int | None
    clusters: Mapping[str, tuple[float, int]]

    @property
    def task(self) -> str:
        """Its leaderboard: the config, and the split where that is not `test`."""
        run = self.signature.run
        return task_name(f"{run['config']}/{run['split']}")

    @property
    def confidence(self) -> float:
        """Level of the interval."""
        return float(self.signature.options.get("confidence", 0.95))

    @property
    def notes(self) -> str:
        """Interval, null and signature in one line."""
        level = f"{100 * self.confidence:g} % interval"
        ends = f"[{self.low:.4f}, {self.high:.4f}]"
        spread = f"{level} {ends}" if not math.isnan(self.low) else f"{level} {self.method}"
        above = "" if self.is_above else ", not above it"
        return f"{spread}; null {self.null:.4f}{above}; {self.signature}"


def read_result(path: Path) -> SharedResult:
    """The headline of a result; a ValueError for one that no leaderboard can compare."""
    expected = "the result of a metric"
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: JSON, got {error}; expected {expected}") from None
    if not isinstance(found, dict):
        got = type(found).__name__
        raise ValueError(f"{path}: JSON, got {got}; expected {expected}, an object")
    if not isinstance(told := found.get("signature"), str):
        expected = "the one that every result of `compute` has: score it again"
        raise ValueError(f"{path}: signature, got {told!r}; expected {expected}")
    try:
        signature = read_signature(told)
        check_comparable(signature)
        return _headline_of(signature, found)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _headline_of(signature: Signature, found: Mapping[str, Any]) -> SharedResult:
    headline = HEADLINES[signature.run["suite"]]
    score = headline.score
    value = _share(found, score)
    ends: list[Any] = [found.get(f"{score}_{end}") for end in ("low", "high")]
    if not all(isinstance(end, int | float) for end in ends):
        expected = "an interval: score it with a `confidence`"
        raise ValueError(f"{score}_low, got {ends[0]!r}; expected {expected}")
    low, high = map(float, ends)
    if not (math.isnan(low) and math.isnan(high)) and not 0 <= low <= value <= high <= 1:
        expected = "it in its interval, both in [0, 1]"
        raise ValueError(f"{score}, got {value} in [{low}, {high}]; expected {expected}")
    run = signature.run
    place = f"{run.get('config', '')}/{run.get('split', 'test')}"
    try:
        null = headline.worth_nothing(found, place)
        is_above = headline.is_above(found, place)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"null of {score}, got none ({error}); expected one") from None
    if not 0 <= null <= 1:
        raise ValueError(f"null of {score}, got {null}; expected a share in [0, 1]")
    method, n = str(found.get(f"{score}_interval", "")), int(found.get("n", 0))
    clusters = (found.get("n_clusters"), cluster_sums(run["suite"], score, found))
    measured = (value, low, high, method, null, is_above, n)
    return SharedResult(signature, headline, *measured, *clusters)


def _share(found: Mapping[str, Any], name: str) -> float:
    value: Any = found.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        why = found.get(f"{name}_interval", "no such score")
        got = f"{value} ({why})" if value != value else repr(value)
        raise ValueError(f"{name}, got {got}; expected a share in [0, 1]")
    return float(value)


def hub_file(result: SharedResult, data_set: str, date: str) -> tuple[str, str]:
    """Path in the model's repository and text of its entry; the date is ISO 8601."""
    said: dict[str, Any] = {"value": round(result.value, DIGITS), "notes": result.notes}
    entry = EvalResultEntry(dataset_id=data_set, task_id=result.task, date=date, **said)
    told = eval_result_entries_to_yaml([entry])
    text = yaml.safe_dump(told, allow_unicode=True, sort_keys=False, width=1000)
    suite = result.signature.run["suite"]
    return f".eval_results/{suite}_{result.task}.yaml", text


def shared_record(
    result: SharedResult, model: str, data_set: str, when: datetime.datetime
) -> tuple[str, dict[str, Any]]:
    """Path in a store of every_eval_ever, and the record."""
    run, signature = result.signature.run, result.signature
    name, stamp = f"garden-path-{run['suite']}", str(int(when.timestamp()))
    (owner, model_name), publisher = model.split("/"), data_set.split("/")[0]
    source = {"source_name": "Garden Path", "source_type": "evaluation_run"}
    source["source_organization_name"] = publisher
    source["evaluator_relationship"] = "first_party" if owner == publisher else "third_party"
    library = {"name": "garden-path", "version": signature.version}
    details = dict.fromkeys(("deployment_type", "model_availability"), "unknown")
    details |= {"system": run["system"], "revision": run.get("revision", "unknown")}
    record = {
        "schema_version": EVERY_EVAL_EVER,
        "evaluation_id": f"{name}/{model.replace('/', '_')}/{stamp}",
        "evaluation_timestamp": stamp,
        "retrieved_timestamp": stamp,
        "source_metadata": source,
        "eval_library": library | {"additional_details": {"metric": signature.metric}},
        "model_info": {"name": model_name, "id": model, "developer": owner}
        | {"additional_details": details},
        "evaluation_results": [_measured(result, name, data_set)],
    }
    seed = hashlib.sha256(f"{model}\0{signature}\0{result.value}".encode()).digest()
    file = uuid.UUID(bytes=seed[:16], version=4)
    return f"data/{name}/{model}/{file}.json", record


def _measured(result: SharedResult, name: str, data_set: str) -> dict[str, Any]:
    run, score = result.signature.run, result.headline.score
    interval: dict[str, Any] = {"lower": result.low, "upper": result.high}
    interval |= {"confidence_level": result.confidence, "method": result.method}
    details = {"signature": str(result.signature), "is_above_null": str(result.is_above).lower()}
    details |= {"clusters": json.dumps(result.clusters)} if result.clusters else {}
    shown: dict[str, Any] = {"score": result.value, "details": details}
    if math.isnan(result.low):
        details["interval"] = result.method
    else:
        shown["uncertainty"] = {"confidence_interval": interval}
        shown["uncertainty"] |= {"num_samples": result.n_clusters} if result.n_clusters else {}
    source: dict[str, Any] = {
        "dataset_name": run["suite"],
        "source_type": "hf_dataset",
        "hf_repo": data_set,
    }
    source |= {"hf_split": run["split"], "samples_number": result.n}
    told = {key: run[key] for key in ("config", "draw", "suite_version") if key in run}
    title, kind = result.headline.title, "f1" if score == "f1" else "accuracy"
    measure = {"evaluation_description": f"{title}; null: {result.headline.null_is}"}
    measure |= {"metric_id": f"{name}.{score}", "metric_name": title, "metric_kind": kind}
    null = {"null": f"{result.null:.{DIGITS}f}"}
    return {
        "evaluation_result_id": f"{name}.{result.task}.{score}",
        "evaluation_name": f"{name}.{result.task}",
        "source_data": source | {"additional_details": told},
        "metric_config": measure | PROPORTION | {"additional_details": null},
        "score_details": shown,
    }


class ResultRefusedError(RuntimeError):
    """The Hub does not take a result; the message says why, and that nothing was sent."""


@dataclass(frozen=True)
class Sharing:
    """What is written for one result: `path` and `text` of the Hub's file, and both files here."""

    result: SharedResult
    model: str
    path: str
    text: str
    files: tuple[Path, ...]

    @property
    def title(self) -> str:
        """Of the pull request."""
        run = self.result.signature.run
        return f"{run['suite']}, {self.result.task}: {self.result.headline.title}"


def write_files(path: Path, model: str, namespace: str, out: Path) -> Sharing:
    """Reads a result and writes its two files below `out`; a ValueError where it is refused."""
    result = read_result(path)
    data_set = f"{namespace}/{result.signature.run['suite']}"
    for what, repo_id in (("--model", model), ("--namespace", data_set)):
        check_repo_id(what, repo_id)
    when = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.timezone.utc)
    place, text = hub_file(result, data_set, when.strftime("%Y-%m-%dT%H:%M:%SZ"))
    record_place, record = shared_record(result, model, data_set, when)
    files = {
        out / model / place: text,
        out / record_place: json.dumps(record, indent=1, ensure_ascii=False) + "\n",
    }
    for file, content in files.items():
        write_whole(file, content)
    return Sharing(result, model, place, text, tuple(files))


def check_repo_id(what: str, repo_id: str) -> None:
    """Raises a ValueError for what is no id of a repository with its owner."""
    try:
        validate_repo_id(repo_id)
    except HFValidationError:
        repo_id = repo_id.replace("/", "")
    if repo_id.count("/") != 1:
        raise ValueError(f"{what}, got {repo_id!r}; expected owner/name, as the Hub has it")


def own_namespace(api: HfApi) -> str:
    """The name of the login, for suites that it published itself."""
    try:
        return str(attempt(api.whoami)["name"])
    except (HTTPError, OSError) as error:
        got = f"--namespace, got none, and no login to take it from ({explain(error)})"
        raise ValueError(f"{got}; expected the owner of the suite's repository") from None


def open_pull_request(api: HfApi, sharing: Sharing) -> str:
    """Opens the pull request, unless it is there; gives what happened."""
    try:
        blob = git_hash(sharing.text.encode())
        there = attempt(lambda: api.get_paths_info(sharing.model, [sharing.path]))
        if any(getattr(file, "blob_id", None) == blob for file in there):
            return f"{sharing.model}: nothing changed, {sharing.path} is there"
        mine = attempt(api.whoami)["name"]
        if (number := open_request(api, sharing.title, sharing.model, author=mine)) is not None:
            return f"{sharing.model}: pull request {number} is open already"
        file = CommitOperationAdd(sharing.path, sharing.text.encode())
        said: dict[str, Any] = {"commit_message": sharing.title, "create_pr": True}
        said["commit_description"] = sharing.result.notes
        info = attempt(lambda: api.create_commit(sharing.model, [file], **said))
    except (HTTPError, OSError) as error:
        raise ResultRefusedError(f"{sharing.model}: {explain(error)}\nNothing was sent.") from None
    return f"{sharing.model}: pull request {info.pr_url}"
