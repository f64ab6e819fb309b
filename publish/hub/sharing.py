"""`push.py result`: writes a result's files, and opens a pull request on the model's repository."""

import datetime
import json
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import (  # type: ignore[attr-defined]  # HTTPError: httpx's, whichever generation
    HFValidationError,
    HTTPError,
)
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]  # documented

from huggingface_hub.utils.sha import git_hash

from ground.files import write_whole
from publish.hub.results import SharedResult, hub_file, read_result, shared_record
from publish.hub.retries import attempt, explain, open_request


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
        raise ValueError(
            f"--namespace, got none, and no login to take it from ({explain(error)}); expected the"
            " owner of the suite's repository"
        ) from None


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
        info = attempt(
            lambda: api.create_commit(
                sharing.model,
                [CommitOperationAdd(sharing.path, sharing.text.encode())],
                commit_message=sharing.title,
                commit_description=sharing.result.notes,
                create_pr=True,
            )
        )
    except (HTTPError, OSError) as error:
        raise ResultRefusedError(f"{sharing.model}: {explain(error)}\nNothing was sent.") from None
    return f"{sharing.model}: pull request {info.pr_url}"
