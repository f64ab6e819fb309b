"""Compares what was built with what a Hub has: files to add, change, delete, and whether it may."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError
from huggingface_hub.utils.sha import git_hash

from dataset_scripts.registry import suite_names
from ground.downloads import checksum
from publish.build.manifest import MANIFEST, PROVENANCE, read_provenance
from publish.build.pages import card_with_sdk
from publish.build.parquet import count_rows

SPACE_SDKS = ("gradio", "static")
MADE_BY_THE_HUB = {".gitattributes", "README.md", "index.html", "style.css"}
"""What a repository has before its first push."""
NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")


class PushRefusedError(ValueError):
    """A push is refused before anything was sent."""


@dataclass(frozen=True)
class File:
    """A file as it goes to a repository: a path on disk, or text that depends on the push."""

    path: str
    source: Path | bytes

    @cached_property
    def content(self) -> bytes:
        """The bytes."""
        return self.source if isinstance(self.source, bytes) else self.source.read_bytes()

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size

    @property
    def n_rows(self) -> int | None:
        """Rows of a Parquet file; None for any other."""
        if isinstance(self.source, bytes) or not self.path.endswith(".parquet"):
            return None
        return count_rows([self.source])

    def is_same_as(self, sibling: Any) -> bool:
        """Whether a remote file has the same bytes, by the hash that the Hub keeps of it."""
        if sibling.size != self.size:
            return False
        if sibling.lfs is not None:
            return bool(checksum(self.content) == sibling.lfs["sha256"])
        return bool(git_hash(self.content) == sibling.blob_id)


@dataclass(frozen=True)
class Repository:
    """One built folder as a `dataset` or `space`; `keeps_sdk`: one that is static stays so."""

    name: str
    id: str
    kind: str
    files: Mapping[str, File]
    provenance: Mapping[str, Any]
    sdk: str | None = None
    keeps_sdk: bool = False

    @property
    def tag(self) -> str:
        """The tag of this version; evaluate asks for tags that start with v."""
        return f"v{self.provenance['version']}"

    @property
    def title(self) -> str:
        """The commit's message; the same build has the same."""
        files = sorted(self.files.items())
        text = "".join(f"{path}\0{checksum(file.content)}" for path, file in files)
        digest = checksum(text.encode())[:12]
        return f"{self.name} {self.provenance['version']} ({digest})"


@dataclass(frozen=True)
class Change:
    """One file that a push adds, changes or deletes."""

    action: str
    path: str
    size: int | None = None
    n_rows: int | None = None


@dataclass(frozen=True)
class PushPlan:
    """What a push does to a repository, as compared with its commit `head`; None for a new one."""

    repository: Repository
    head: str | None
    changes: list[Change] = field(default_factory=list)
    is_tagged: bool = False

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.head is not None and not self.sent and self.is_tagged

    @property
    def sent(self) -> list[Change]:
        """The changes that a push makes: all but the files that are kept."""
        return [change for change in self.changes if change.action != "keep"]

    def total(self) -> dict[str, object]:
        """One line for the repository: how many files, how large, how many rows, and the tag."""
        counts = Counter(change.action for change in self.changes)
        sizes = [change.size or 0 for change in self.sent if change.action != "delete"]
        state = "new" if self.head is None else "changes" if self.sent else "to be tagged"
        if self.is_done:
            state = "as on the Hub"
        return {
            "repository": self.repository.id,
            "state": state,
            **{action: counts[action] for action in ("add", "change", "delete", "keep")},
            "MB": sum(sizes) / 1e6,
            "rows": sum(change.n_rows or 0 for change in self.sent),
            "tag": "is there" if self.is_tagged else self.repository.tag,
        }

    def rows(self) -> Iterable[dict[str, object]]:
        """Lines of the table that a dry run shows."""
        where, tag = {"repository": self.repository.id}, self.repository.tag
        for change in self.changes:
            size = None if change.size is None else change.size / 1000
            row = {**where, "change": change.action, "file": change.path}
            yield {**row, "KB": size, "rows": change.n_rows}
        if self.head is None:
            kind = f"{self.repository.sdk or ''} {self.repository.kind}".strip()
            yield {**where, "change": "create", "file": f"({kind})"}
        if not self.is_tagged:
            yield {**where, "change": "tag", "file": tag}
        if self.is_done:
            yield {**where, "change": "none", "file": f"as on the Hub, {tag}"}


def check_namespace(namespace: str) -> None:
    """Raises a PushRefusedError for a namespace that no repository id can have."""
    if not NAMESPACE.fullmatch(namespace):
        expected = "a user or an organisation of the Hub: every id is NAMESPACE/NAME"
        raise PushRefusedError(f"--namespace, got {namespace!r}; expected {expected}")


def local_repository(folder: Path, namespace: str, space_sdk: str | None) -> Repository:
    """Built folder as it would lie on the Hub; a Space's card names the SDK it is to run with."""
    files: dict[str, Path | bytes] = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    is_suite = folder.name in suite_names()
    sdk = None if is_suite else space_sdk or "gradio" if "app.py" in files else "static"
    if sdk is not None:
        card = (folder / "README.md").read_text(encoding="utf-8")
        files["README.md"] = card_with_sdk(card, sdk).encode()
    return Repository(
        name=folder.name,
        id=f"{namespace}/{folder.name}",
        kind="dataset" if is_suite else "space",
        files={path: File(path, source) for path, source in files.items()},
        provenance=read_provenance(folder),
        sdk=sdk,
        keeps_sdk=space_sdk is None,
    )


def as_static(repository: Repository) -> Repository:
    """Space as static pages: the same files, another card."""
    card = card_with_sdk(repository.files["README.md"].content.decode(), "static")
    files = {**repository.files, "README.md": File("README.md", card.encode())}
    return replace(repository, sdk="static", files=files)


def plan_repository(
    api: HfApi, repository: Repository, *, deletes_foreign: bool = False
) -> PushPlan:
    """Compares one repository with the Hub's; a PushRefusedError where it is not ours to change.

    Files that no push of ours put there are kept unless `deletes_foreign`.
    """
    try:
        info: Any = api.repo_info(repository.id, repo_type=repository.kind, files_metadata=True)
    except RepositoryNotFoundError:
        changes = [_addition("add", file) for file in repository.files.values()]
        return PushPlan(repository, None, changes)
    if info.id != repository.id:
        got = f"{repository.id}: repository, got one that was renamed to {info.id}"
        advice = "rename it back, or make a new one of this name on the Hub"
        raise PushRefusedError(f"{got}; expected one of this name: {advice}")
    siblings = {sibling.rfilename: sibling for sibling in info.siblings or []}
    sdk = getattr(info, "sdk", None)
    _check_owner(repository, sdk, siblings)
    if repository.keeps_sdk and repository.sdk == "gradio" and sdk == "static":
        repository = as_static(repository)
    published = {
        name: _published(api, repository, name, info.sha)
        for name in (PROVENANCE, MANIFEST)
        if name in siblings
    }
    if PROVENANCE in published:
        _check_version(repository, published[PROVENANCE])
    ours = published.get(MANIFEST, {}).get("files", ())
    changes = _changes(repository, siblings, ours, deletes_foreign=deletes_foreign)
    tags = [ref.name for ref in api.list_repo_refs(repository.id, repo_type=repository.kind).tags]
    return PushPlan(repository, info.sha, changes, repository.tag in tags)


def _published(api: HfApi, repository: Repository, name: str, revision: str) -> dict[str, Any]:
    path = api.hf_hub_download(repository.id, name, repo_type=repository.kind, revision=revision)
    found = json.loads(Path(path).read_text(encoding="utf-8"))
    return found if isinstance(found, dict) else {}


def _changes(
    repository: Repository,
    siblings: Mapping[str, Any],
    ours: Collection[str],
    *,
    deletes_foreign: bool,
) -> list[Change]:
    """What becomes of every file; `ours` are the files that an earlier push put there."""
    new = [file for path, file in repository.files.items() if path not in siblings]
    known = [(file, siblings[path]) for path, file in repository.files.items() if path in siblings]
    added = [_addition("add", file) for file in new]
    changed = [_addition("change", file) for file, there in known if not file.is_same_as(there)]
    left = sorted(set(siblings) - set(repository.files) - MADE_BY_THE_HUB)
    actions = {path: "delete" if deletes_foreign or path in ours else "keep" for path in left}
    rest = [Change(action, path, siblings[path].size) for path, action in actions.items()]
    return added + changed + rest


def _addition(action: str, file: File) -> Change:
    return Change(action, file.path, file.size, file.n_rows)


def _check_owner(repository: Repository, sdk: str | None, siblings: Mapping[str, Any]) -> None:
    if sdk is not None and sdk not in SPACE_SDKS:
        expected = f"{' or '.join(SPACE_SDKS)}: choose another namespace"
        raise PushRefusedError(
            f"{repository.id}: Space, got one of type {sdk}; expected {expected}"
        )
    foreign = sorted(set(siblings) - MADE_BY_THE_HUB - set(repository.files))
    if foreign and PROVENANCE not in siblings:
        got = f"{', '.join(foreign[:3])}, which this project did not put there"
        expected = "a repository made by an earlier push or an empty one"
        advice = "choose another namespace or move them"
        raise PushRefusedError(f"{repository.id}: files, got {got}; expected {expected}: {advice}")


def _check_version(repository: Repository, published: Mapping[str, Any]) -> None:
    """The content of a published VERSION does not change; cards, plots and pages may."""
    ours = repository.provenance
    if published.get("version") != ours["version"]:
        return
    before, after = published.get("content_hashes", {}), ours.get("content_hashes", {})
    differing = [key for key in before if key in after and before[key] != after[key]]
    if differing or published.get("content_hash") != ours["content_hash"]:
        what = f"content of {', '.join(differing[:3])}" if differing else "content"
        got = f"another than the published version {ours['version']}"
        expected = "a new VERSION for changed content, or the published draw"
        raise PushRefusedError(f"{repository.id}: {what}, got {got}; expected {expected}")
