"""What a Hub keeps: repositories with commits and pull requests, names of contents, collections."""

import hashlib
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

DATE = "2025-01-01T00:00:00.000Z"
LARGE_FILES = (".parquet", ".png", ".arrow")


class RefusalError(Exception):
    """An answer other than 200."""

    def __init__(self, status: int, message: str, code: str = "", **more: Any) -> None:
        super().__init__(message)
        self.status, self.code, self.body = status, code, {"error": message, **more}


@dataclass
class Commit:
    oid: str
    title: str
    files: dict[str, bytes]
    author: str = ""


@dataclass
class Repository:
    kind: str
    id: str
    sdk: str | None
    is_private: bool
    commits: list[Commit]
    author: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    pulls: list[Commit] = field(default_factory=list)

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    @property
    def path(self) -> str:
        return self.id if self.kind == "model" else f"{self.kind}s/{self.id}"

    def at(self, revision: str) -> Commit:
        if revision.startswith("refs/pr/") and revision[8:].isdigit():
            number = int(revision[8:])
            if 0 < number <= len(self.pulls):
                return self.pulls[number - 1]
        oid = self.head.oid if revision == "main" else self.tags.get(revision, revision)
        for commit in self.commits:
            if commit.oid == oid:
                return commit
        raise RefusalError(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def commit(self, title: str, files: dict[str, bytes]) -> Commit:
        text = repr((self.id, len(self.commits), len(self.pulls), title, sorted(files)))
        return Commit(hashlib.sha1(text.encode()).hexdigest(), title, files)


def entry(path: str, content: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {"size": len(content), "oid": blob_id(content)}
    found["blobId"] = found["oid"]
    if is_large(path):
        digest = sha256(content)
        lfs = {"oid": digest, "sha256": digest, "size": len(content), "pointerSize": 130}
        found["lfs"] = lfs
    return found


def is_large(path: str) -> bool:
    return path.endswith(LARGE_FILES)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def discussions(repository: Repository, query: str = "") -> dict[str, Any]:
    """Open pull requests, all or those of one author."""
    asked = parse_qs(query).get("author")
    more = {
        "status": "open",
        "isPullRequest": True,
        "createdAt": DATE,
        "repo": {"name": repository.id, "type": repository.kind},
    }
    pulls = [
        {"num": n, "title": pull.title, "author": {"name": pull.author}, **more}
        for n, pull in enumerate(repository.pulls, start=1)
        if asked is None or pull.author in asked
    ]
    return {"discussions": pulls, "count": len(pulls), "start": 0}


def new_collection(body: dict[str, Any]) -> dict[str, Any]:
    owner = {"type": "user", "_id": "0", "fullname": "", "isPro": False, "isHf": False}
    return {
        "owner": {**owner, "name": body["namespace"], "avatarUrl": ""},
        "lastUpdated": DATE,
        "position": 0,
        "theme": "blue",
        "upvotes": 0,
        "isUpvotedByUser": False,
        "slug": f"{body['namespace']}/{body['title'].lower().replace(' ', '-')}-{'0' * 24}",
        "title": body["title"],
        "private": body["private"],
        "items": [],
    }


def new_item(item: dict[str, Any], position: int) -> dict[str, Any]:
    more = {"author": "", "private": False, "gated": False, "likes": 0}
    return {**item, "_id": str(position), "position": position, **more}
