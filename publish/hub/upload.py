"""Pushes built folders to a Hub: what must not go out is refused, then a commit and a tag each.

Every step can be repeated: what is there is left alone, a commit is whole or not made, so that a
push that was cut off is completed by running it again.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # HTTPError: httpx's, whichever generation
from tqdm import tqdm

from dataset_scripts.registry import suite_builder, suite_names
from dataset_scripts.suite import Config
from ground.markdown import markdown_table
from publish.build.commitment import PRIVATE
from publish.build.manifest import read_provenance
from publish.check.check import check
from publish.hub.plan import (
    PushPlan,
    PushRefusedError,
    Repository,
    as_static,
    check_namespace,
    local_repository,
    plan_repository,
)
from publish.hub.retries import CONFLICTS, attempt, explain, open_request, status_of, without_token

COLLECTION = "Garden Path"
COLUMNS = ("repository", "change", "file", "KB", "rows")

T = TypeVar("T")


class PushStoppedError(RuntimeError):
    """A push stopped half-way; the message says what is done and what is not."""


@dataclass(frozen=True)
class PushOptions:
    """How to push: options of `push.py push`.

    Without a `space_sdk` a Space has what it has already, and Gradio where it is new; a pull
    request has no tag.
    """

    namespace: str
    space_sdk: str | None = None
    is_private: bool = False
    as_pull_request: bool = False
    accepts_unlicensed: bool = False
    deletes_foreign: bool = False
    trusts: bool = False


def plan_push(api: HfApi, out: Path, names: list[str], options: PushOptions) -> list[PushPlan]:
    """Checks that everything may go out, and compares it with the Hub. Nothing is sent."""
    check_namespace(options.namespace)
    if problems := check(out, names, reuses_record=True, trusts=options.trusts):
        first = f"{len(problems)} problems, expected none; see push.py check:"
        raise PushRefusedError("\n".join([first, *problems]))
    told = {name: read_provenance(out / name) for name in names}
    for rules in ((local, hidden), () if options.accepts_unlicensed else (unlicensed,)):
        found = [line for name in names for rule in rules for line in rule(name, told[name])]
        if found:
            raise PushRefusedError("\n".join(found))
    plans = []
    for name in tqdm(names, desc="compare", unit="repository", leave=False):
        repository = local_repository(out / name, options.namespace, options.space_sdk)
        plans.append(_reading(name, functools.partial(_planned, api, repository, options)))
    return plans


def describe(
    api: HfApi, plans: list[PushPlan], options: PushOptions, *, is_verbose: bool = False
) -> str:
    """What plans would change, a line for each repository, and the collection's state.

    Files that others added are always listed, all others where it is verbose.
    """
    slug, items = _reading("the collection", lambda: collection(api, options.namespace))
    repositories = [plan.repository for plan in plans]
    missing = [one.id for one in repositories if (one.kind, one.id) not in items]
    text = markdown_table(plan.total() for plan in plans)
    kept = [row for plan in plans for row in plan.rows() if row["change"] == "keep"]
    rows = [row for plan in plans for row in plan.rows()] if is_verbose else kept
    if kept:
        end = "are kept; --delete-foreign deletes them."
        text += f"\nFiles that no push of this project put there {end}\n"
    if rows:
        text += f"\n{markdown_table(rows, COLUMNS)}"
    state = f"add {', '.join(missing)}" if missing else "nothing changes"
    if slug is None:
        state = f"create it with {len(missing)} items"
    return f"{text}\nCollection {COLLECTION!r} of {options.namespace}: {state}."


def push(api: HfApi, plans: list[PushPlan], options: PushOptions) -> list[str]:
    """Carries out plans, one commit per repository, then the collection; a line for each."""
    _check_login(api, options.namespace)
    done: list[str] = []
    for i, plan in enumerate(tqdm(plans, desc="push", unit="repository", leave=False)):
        try:
            _push_repository(api, plan, options, done)
        except (HTTPError, OSError, ValueError, KeyboardInterrupt) as error:
            left = [*(later.repository.id for later in plans[i:]), "the collection"]
            raise _stopped(plan.repository.id, error, done, left) from None
    try:
        done.append(attempt(lambda: _collect(api, [plan.repository for plan in plans], options)))
    except (HTTPError, OSError, KeyboardInterrupt) as error:
        raise _stopped("the collection", error, done, ["the collection"]) from None
    return done


def _check_login(api: HfApi, namespace: str) -> None:
    try:
        who = attempt(api.whoami)
    except (HTTPError, OSError) as error:
        raise PushRefusedError(f"login: {explain(error)}") from None
    if who.get("auth", {}).get("accessToken", {}).get("role") == "read":
        expected = "one that may write; run `hf auth login`"
        raise PushRefusedError(f"login: token, got one of role read; expected {expected}")
    roles = {who["name"]: "admin"}
    roles |= {one["name"]: one.get("roleInOrg") for one in who.get("orgs", [])}
    got = f"--namespace, got {namespace!r}"
    if roles.get(namespace) == "read":
        expected = "one that may write: ask an administrator of the organisation"
        raise PushRefusedError(f"{got}, where this login has the role read; expected {expected}")
    if namespace not in roles:
        raise PushRefusedError(f"{got}; expected one of this login's: {', '.join(roles)}")


def _push_repository(api: HfApi, plan: PushPlan, options: PushOptions, done: list[str]) -> None:
    """Carries out one plan; each step that is done adds its line to `done` at once."""
    repository = plan.repository
    if plan.is_done:
        done.append(f"{repository.id}: nothing changed")
        return
    if plan.head is None:
        repository, note = _create(api, repository, options)
        done.append(f"{repository.id}: created" + note)
        plan = attempt(lambda: _planned(api, repository, options))
        if plan.head is None:
            got = "the Hub says that it exists, and does not show it"
            raise PushRefusedError(f"{got}: the name belongs to a repository of another type")
    if plan.sent:
        done.append(f"{repository.id}: " + _commit(api, plan, options))
    if not options.as_pull_request and not plan.is_tagged:
        tag: dict[str, Any] = {"tag": repository.tag, "repo_type": repository.kind}
        attempt(lambda: api.create_tag(repository.id, **tag, exist_ok=True))
        done.append(f"{repository.id}: tagged {repository.tag}")


def _planned(api: HfApi, repository: Repository, options: PushOptions) -> PushPlan:
    return plan_repository(api, repository, deletes_foreign=options.deletes_foreign)


def _create(api: HfApi, repository: Repository, options: PushOptions) -> tuple[Repository, str]:
    """The repository as created, static where the account may not have a Gradio Space; a note."""

    how: dict[str, Any] = {"repo_type": repository.kind, "private": options.is_private or None}

    def create(sdk: str | None) -> None:
        attempt(lambda: api.create_repo(repository.id, space_sdk=sdk, exist_ok=True, **how))

    try:
        create(repository.sdk)
        return repository, ""
    except HTTPError as error:
        if status_of(error) != 402 or repository.sdk != "gradio":
            raise
    create("static")
    why = "because this account may not create Gradio Spaces (status 402)"
    return as_static(repository), f" as a static page, {why}"


def _commit(api: HfApi, plan: PushPlan, options: PushOptions) -> str:
    """Makes the one commit, recognised by its content where the answer was lost; says what was."""
    repository, tries = plan.repository, 0
    where: dict[str, Any] = {"repo_type": repository.kind}
    if options.as_pull_request and (
        number := open_request(api, repository.title, repository.id, **where)
    ):
        return f"pull request {number} is open already"
    how = {**where, "parent_commit": plan.head, "create_pr": options.as_pull_request}

    def commit() -> Any:
        nonlocal tries
        tries += 1
        operations = [
            CommitOperationDelete(change.path)
            if change.action == "delete"
            else CommitOperationAdd(change.path, repository.files[change.path].source)
            for change in plan.sent
        ]
        return api.create_commit(repository.id, operations, commit_message=repository.title, **how)

    try:
        info = attempt(commit)
    except HTTPError as error:
        if status_of(error) not in CONFLICTS:
            raise
        if attempt(lambda: _planned(api, repository, options)).sent:
            raise
        first = "another push committed the same content first"
        return "committed, the answer was lost" if tries > 1 else first
    if options.as_pull_request:
        return f"pull request {info.pr_url}"
    return f"committed {info.oid[:8]}, {len(plan.sent)} files"


def _collect(api: HfApi, repositories: list[Repository], options: PushOptions) -> str:
    slug, items = collection(api, options.namespace)
    if slug is None:
        how: dict[str, Any] = {"namespace": options.namespace, "private": options.is_private}
        slug = api.create_collection(COLLECTION, **how, exists_ok=True).slug
    missing = [one for one in repositories if (one.kind, one.id) not in items]
    for one in missing:
        api.add_collection_item(slug, one.id, one.kind, exists_ok=True)  # type: ignore[arg-type]  # a Literal
    return f"collection {slug}: {f'{len(missing)} added' if missing else 'nothing changed'}"


def collection(api: HfApi, namespace: str) -> tuple[str | None, set[tuple[str, str]]]:
    """Slug of the namespace's collection, None if there is none, and kinds and ids of its items."""
    for found in api.list_collections(owner=namespace):
        if found.title == COLLECTION and found.slug.startswith(f"{namespace}/"):
            whole = api.get_collection(found.slug)  # the list shows the first items only
            return found.slug, {(item.item_type, item.item_id) for item in whole.items}
    return None, set()


def _reading(name: str, call: Callable[[], T]) -> T:
    try:
        return attempt(call)
    except (HTTPError, OSError) as error:
        raise PushStoppedError(f"{name}: {explain(error)}\nNothing was sent.") from None


def _stopped(
    where: str, error: BaseException, done: list[str], left: list[str]
) -> PushStoppedError:
    reason = "interrupted" if isinstance(error, KeyboardInterrupt) else ""
    if isinstance(error, ValueError) and not isinstance(error, HTTPError):
        reason = str(error)
    lines = [f"{where}: {without_token(reason) or explain(error)}"]  # type: ignore[arg-type]  # an interrupt has its reason
    lines += ["Done:", *(f"  {line}" for line in done or ["nothing"])]
    lines += [
        "Not done, or not whole (run the same command again to complete it):",
        *(f"  {line}" for line in left),
    ]
    return PushStoppedError("\n".join(lines))


def local(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for each built config that shows rows of a text that the user alone has."""
    got = "got rows of a text that is not ours to pass on; expected a build without it"
    configs = _built_configs(name, provenance)
    return [f"{name}: {config.name}, {got}" for config in configs if config.kind == "local"]


def hidden(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for a private draw; none for any other build."""
    if PRIVATE not in provenance.get("options", {}):
        return []
    expected = "one that may be known: build it with its --seed once that is revealed"
    return [f"{name}: draw, got a private one; expected {expected}"]


def unlicensed(name: str, provenance: Mapping[str, Any]) -> list[str]:
    """Line for each built config of the authors' own rows, of a source that states no licence."""
    got = "got rows of a source without a licence; expected --accept-unlicensed to publish them"
    built = sorted(_built_configs(name, provenance), key=lambda config: config.name)
    bare = [config.name for config in built if config.has_files and not config.source_licence]
    return [f"{name}: {config}, {got}" for config in bare]


def _built_configs(name: str, provenance: Mapping[str, Any]) -> list[Config]:
    if name not in suite_names():
        return []
    configs = {config.name: config for config in suite_builder(name).CONFIGS}
    built = {key.split("/")[0] for key in provenance["rows"]}
    return [config for config in configs.values() if config.name in built]
