"""A small Hub on the loopback.

Unmodified huggingface_hub, datasets and evaluate talk to it through `HF_ENDPOINT`.

It keeps repositories, tags, pull requests and collections in memory, checks tokens, and answers as
the Hub does, error codes included.
A test may switch on faults: delays, refusals, and cuts of the connection before, during or after a
request.
"""

import base64
import contextlib
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

KINDS = {"models": "model", "datasets": "dataset", "spaces": "space"}
LARGE_FILES = (".parquet", ".png", ".arrow")
DATE = "2025-01-01T00:00:00.000Z"


@dataclass
class Fault:
    """What goes wrong with requests whose `METHOD /path` matches the pattern, `times` times.

    `cut`: "during" closes the connection in the middle of the request's body, "after" when the
    request was carried out but not answered. `delay`: seconds to wait before the request is carried
    out.
    """

    pattern: str
    status: int | None = None
    message: str = "refused by the test"
    more: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cut: str | None = None
    delay: float = 0.0
    times: int = 1


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


@dataclass
class Repository:
    kind: str
    id: str
    sdk: str | None
    is_private: bool
    commits: list[Commit]
    tags: dict[str, str] = field(default_factory=dict)
    pulls: list[Commit] = field(default_factory=list)

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    @property
    def path(self) -> str:
        return self.id if self.kind == "model" else f"{self.kind}s/{self.id}"

    def at(self, revision: str) -> Commit:
        oid = self.head.oid if revision == "main" else self.tags.get(revision, revision)
        for commit in self.commits:
            if commit.oid == oid:
                return commit
        raise RefusalError(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def commit(self, title: str, files: dict[str, bytes]) -> Commit:
        text = repr((self.id, len(self.commits), len(self.pulls), title, sorted(files)))
        return Commit(hashlib.sha1(text.encode()).hexdigest(), title, files)


class HubServer:
    """The Hub's state and its answers.

    `tokens` maps a token to its user and role, `may_create_gradio` is what a paid account may do.
    """

    def __init__(self) -> None:
        self.tokens = {
            "hf_writer": ("ns", "write"),
            "hf_reader": ("ns", "read"),
            "hf_other": ("other", "write"),
        }
        self.repositories: dict[tuple[str, str], Repository] = {}
        self.stored: dict[str, bytes] = {}
        self.collections: dict[str, dict[str, Any]] = {}
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        self.may_create_gradio = True
        self.lock = threading.RLock()
        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), handler_class(self))
        self.httpd.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"

    def repository(self, kind: str, repo_id: str) -> Repository:
        found = self.repositories.get((kind, repo_id))
        if found is None:
            raise RefusalError(404, "Repository not found", "RepoNotFound")
        return found

    def environment(self, home: object, token: str = "hf_writer") -> dict[str, str]:
        """Environment variables of a process that talks to this Hub.

        Keeps its caches in `home`.
        """
        return {
            "HF_ENDPOINT": self.url,
            "HF_TOKEN": token,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_HUB_OFFLINE": "0",
            "HF_EVALUATE_OFFLINE": "0",
            "no_proxy": "127.0.0.1",
        }

    # Accounts and repositories

    def whoami(self, user: str | None, role: str | None) -> dict[str, Any]:
        if user is None:
            raise RefusalError(401, "Invalid credentials in Authorization header")
        return {
            "name": user,
            "type": "user",
            "orgs": [],
            "auth": {"type": "access_token", "accessToken": {"role": role}},
        }

    def create(self, body: dict[str, Any], user: str | None, role: str | None) -> dict[str, Any]:
        namespace = body.get("organization") or user
        self.check_writer(f"{namespace}/", user, role)
        kind, repo_id, sdk = (
            body.get("type", "model"),
            f"{namespace}/{body['name']}",
            body.get("sdk"),
        )
        taken = self.repositories.get((kind, repo_id))
        if taken is not None:
            raise RefusalError(409, "You already created this repo", url=f"{self.url}/{taken.path}")
        if sdk in ("gradio", "docker") and not self.may_create_gradio:
            raise RefusalError(402, "Payment required: only static Spaces are free")
        repository = Repository(kind, repo_id, sdk, body.get("visibility") == "private", [])
        repository.commits.append(
            repository.commit("initial commit", {".gitattributes": b"*.parquet filter=lfs\n"})
        )
        self.repositories[kind, repo_id] = repository
        return {"url": f"{self.url}/{repository.path}"}

    def check_writer(self, repo_id: str, user: str | None, role: str | None) -> None:
        if user is None:
            raise RefusalError(401, "Invalid username or password.")
        if role != "write" or repo_id.split("/")[0] != user:
            raise RefusalError(
                403, "You don't have the required permissions to perform this operation"
            )

    # Commits

    def preupload(self, repository: Repository, body: dict[str, Any]) -> dict[str, Any]:
        def answer(path: str) -> dict[str, Any]:
            content = repository.head.files.get(path)
            oid = (
                None if content is None else sha256(content) if is_large(path) else blob_id(content)
            )
            return {
                "path": path,
                "uploadMode": "lfs" if is_large(path) else "regular",
                "shouldIgnore": False,
                "oid": oid,
            }

        return {"files": [answer(file["path"]) for file in body["files"]]}

    def batch(self, body: dict[str, Any]) -> dict[str, Any]:
        def answer(asked: dict[str, Any]) -> dict[str, Any]:
            actions = {
                "upload": {"href": f"{self.url}/storage/{asked['oid']}"},
                "verify": {"href": f"{self.url}/verify/{asked['oid']}"},
            }
            return {**asked, **({} if asked["oid"] in self.stored else {"actions": actions})}

        return {"transfer": "basic", "objects": [answer(asked) for asked in body["objects"]]}

    def commit(
        self, repository: Repository, lines: list[dict[str, Any]], query: str
    ) -> dict[str, Any]:
        header = lines[0]["value"]
        files = dict(repository.head.files)
        if header.get("parentCommit") not in (None, repository.head.oid):
            raise RefusalError(412, "A commit has happened since. Please refresh and try again.")
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                if value["oid"] not in self.stored:
                    raise RefusalError(
                        400, f"LFS pointer pointed to a file that does not exist: {value['path']}"
                    )
                files[value["path"]] = self.stored[value["oid"]]
            elif value["path"] not in files:
                raise RefusalError(404, "A file with this name doesn't exist", "EntryNotFound")
            else:
                del files[value["path"]]
        commit = repository.commit(header["summary"], files)
        answer = {
            "commitOid": commit.oid,
            "commitUrl": f"{self.url}/{repository.path}/commit/{commit.oid}",
            "success": True,
        }
        if "create_pr=1" in query:
            repository.pulls.append(commit)
            return {
                **answer,
                "pullRequestUrl": (
                    f"{self.url}/{repository.path}/discussions/{len(repository.pulls)}"
                ),
            }
        repository.commits.append(commit)
        return answer

    def tag(self, repository: Repository, revision: str, body: dict[str, Any]) -> dict[str, Any]:
        if body["tag"] in repository.tags:
            raise RefusalError(409, "Tag reference exists already")
        repository.tags[body["tag"]] = repository.at(revision).oid
        return {}

    # Reading

    def info(self, repository: Repository, revision: str) -> dict[str, Any]:
        commit = repository.at(revision)
        siblings = [
            {"rfilename": path, **entry(path, content)} for path, content in commit.files.items()
        ]
        return {
            "id": repository.id,
            "sha": commit.oid,
            "private": repository.is_private,
            "siblings": siblings,
            "sdk": repository.sdk,
        }

    def tree(
        self, repository: Repository, revision: str, folder: str, query: str
    ) -> list[dict[str, Any]]:
        inside = f"{folder}/" if folder else ""
        files = {
            path: content
            for path, content in repository.at(revision).files.items()
            if path.startswith(inside)
        }
        if inside and not files:
            raise RefusalError(404, f"{folder} does not exist", "EntryNotFound")
        deep = "recursive=true" in query.lower()
        found = [
            {"type": "file", "path": p, **entry(p, c)}
            for p, c in files.items()
            if deep or "/" not in p.removeprefix(inside)
        ]
        folders = {
            inside + path.removeprefix(inside).split("/")[0]
            for path in files
            if "/" in path.removeprefix(inside)
        }
        return found + [
            {"type": "directory", "path": path, "oid": "0" * 40, "size": 0}
            for path in sorted(folders)
        ]

    def paths_info(
        self, repository: Repository, revision: str, body: dict[str, Any]
    ) -> list[dict[str, Any]]:
        files = repository.at(revision).files
        return [
            {"type": "file", "path": path, **entry(path, files[path])}
            for path in body["paths"]
            if path in files
        ]

    def refs(self, repository: Repository) -> dict[str, Any]:
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid}
            for name, oid in repository.tags.items()
        ]
        return {
            "branches": [
                {"name": "main", "ref": "refs/heads/main", "targetCommit": repository.head.oid}
            ],
            "converts": [],
            "tags": tags,
        }

    def discussions(self, repository: Repository) -> dict[str, Any]:
        author = {"name": repository.id.split("/")[0]}
        more = {
            "status": "open",
            "isPullRequest": True,
            "createdAt": DATE,
            "author": author,
            "repo": {"name": repository.id, "type": repository.kind},
        }
        pulls = [
            {"num": n, "title": pull.title, **more}
            for n, pull in enumerate(repository.pulls, start=1)
        ]
        return {"discussions": pulls, "count": len(pulls), "start": 0}

    # Collections

    def create_collection(
        self, body: dict[str, Any], user: str | None, role: str | None
    ) -> dict[str, Any]:
        self.check_writer(body["namespace"] + "/", user, role)
        slug = f"{body['namespace']}/{body['title'].lower().replace(' ', '-')}-{'0' * 24}"
        if slug in self.collections:
            raise RefusalError(409, "collection exists", slug=slug)
        owner = {
            "name": body["namespace"],
            "type": "user",
            "_id": "0",
            "fullname": "",
            "isPro": False,
            "isHf": False,
        }
        more = {
            "owner": {**owner, "avatarUrl": ""},
            "lastUpdated": DATE,
            "position": 0,
            "theme": "blue",
            "upvotes": 0,
            "isUpvotedByUser": False,
        }
        self.collections[slug] = {
            **more,
            "slug": slug,
            "title": body["title"],
            "private": body["private"],
            "items": [],
        }
        return self.collections[slug]

    def collection(self, slug: str) -> dict[str, Any]:
        if slug not in self.collections:
            raise RefusalError(404, "Collection not found")
        return self.collections[slug]

    def add_item(self, slug: str, item: dict[str, Any]) -> dict[str, Any]:
        items = self.collection(slug)["items"]
        if any(old["id"] == item["id"] and old["type"] == item["type"] for old in items):
            raise RefusalError(409, "item exists")
        items.append(
            {
                **item,
                "_id": str(len(items)),
                "position": len(items),
                "author": "",
                "private": False,
                "gated": False,
                "likes": 0,
            }
        )
        return self.collection(slug)

    # Routes: `METHOD /path` of the application programming interface, and who answers

    def answer(
        self, method: str, path: str, query: str, body: bytes, user: str | None, role: str | None
    ) -> Any:
        if method == "PUT" and (match := re.fullmatch(r"/storage/(\w+)", path)):
            if sha256(body) != match[1]:
                raise RefusalError(400, "content does not match its name")
            self.stored[match[1]] = body
            return {}
        if path.startswith("/verify/") or path == "/api/validate-yaml":
            return {"errors": [], "warnings": []}
        if path == "/api/whoami-v2":
            return self.whoami(user, role)
        if path == "/api/repos/create":
            return self.create(json.loads(body), user, role)
        if path.startswith("/api/collections"):
            return self.answer_collections(method, path, query, body, user, role)
        if match := re.fullmatch(
            r"/((?:datasets|spaces)/)?([\w.-]+/[\w.-]+)\.git/info/lfs/objects/batch", path
        ):
            self.check_writer(match[2], user, role)
            return self.batch(json.loads(body))
        if match := re.fullmatch(
            r"/api/(models|datasets|spaces)/([\w.-]+/[\w.-]+)(?:/([\w-]+)(?:/([^/]+))?(?:/(.+))?)?",
            path,
        ):
            repository = self.visible(KINDS[match[1]], match[2], user)
            return self.answer_repository(
                method,
                repository,
                match[3],
                unquote(match[4] or "main"),
                match[5] or "",
                query,
                body,
                user,
                role,
            )
        raise RefusalError(404, f"no such route: {method} {path}", "RepoNotFound")

    def visible(self, kind: str, repo_id: str, user: str | None) -> Repository:
        repository = self.repository(kind, repo_id)
        if repository.is_private and user != repo_id.split("/")[0]:
            raise RefusalError(404 if user else 401, "Repository not found", "RepoNotFound")
        return repository

    def answer_repository(
        self,
        method: str,
        repository: Repository,
        what: str,
        revision: str,
        rest: str,
        query: str,
        body: bytes,
        *who: Any,
    ) -> Any:
        if method == "POST" and what in ("preupload", "commit", "tag"):
            self.check_writer(repository.id, *who)
        posted = json.loads(body) if body and what != "commit" else {}
        routes: dict[str, Callable[[], Any]] = {
            "preupload": lambda: self.preupload(repository, posted),
            "commit": lambda: self.commit(
                repository, [json.loads(line) for line in body.splitlines() if line.strip()], query
            ),
            "tag": lambda: self.tag(repository, revision, posted),
            "revision": lambda: self.info(repository, revision),
            "tree": lambda: self.tree(repository, revision, rest, query),
            "paths-info": lambda: self.paths_info(repository, revision, posted),
            "refs": lambda: self.refs(repository),
            "discussions": lambda: self.discussions(repository),
        }
        if what is None:
            return self.info(repository, "main")
        if what not in routes:
            raise RefusalError(404, f"no such route: {what}")
        return routes[what]()

    def answer_collections(
        self, method: str, path: str, query: str, body: bytes, user: str | None, role: str | None
    ) -> Any:
        slug = path.removeprefix("/api/collections").strip("/")
        if method == "GET":
            found = [
                {key: value for key, value in found.items() if key != "position"}
                for found in self.collections.values()
            ]
            return self.collection(slug) if slug else found
        if not slug:
            return self.create_collection(json.loads(body), user, role)
        self.check_writer(slug, user, role)
        return self.add_item(slug.removesuffix("/items"), json.loads(body)["item"])


def entry(path: str, content: bytes) -> dict[str, Any]:
    large = (
        {
            "lfs": {
                "oid": sha256(content),
                "sha256": sha256(content),
                "size": len(content),
                "pointerSize": 130,
            }
        }
        if is_large(path)
        else {}
    )
    return {"size": len(content), "oid": blob_id(content), "blobId": blob_id(content), **large}


def is_large(path: str) -> bool:
    return path.endswith(LARGE_FILES)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def handler_class(hub: HubServer) -> type[BaseHTTPRequestHandler]:
    """The HTTP side: reads requests, applies faults, writes answers."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def log_message(self, *_: object) -> None:
            pass

        def handle_request(self) -> None:
            url = urlsplit(self.path)
            line = f"{self.command} {url.path}"
            with hub.lock:
                hub.requests.append(line)
                fault = next(
                    (
                        fault
                        for fault in hub.faults
                        if fault.times > 0 and re.search(fault.pattern, line)
                    ),
                    None,
                )
                if fault:
                    fault.times -= 1
            if fault and fault.cut == "during":
                self.rfile.read(min(1000, int(self.headers.get("Content-Length") or 1)))
                self.cut()
                return
            body = self.read_body()
            if fault:
                time.sleep(fault.delay)
            if fault and fault.status:
                self.write(
                    fault.status,
                    json.dumps({"error": fault.message, **fault.more}).encode(),
                    fault.headers,
                )
                return
            status, content, headers = self.respond(url.path, url.query, body)
            if fault and fault.cut == "after":
                self.cut()
            else:
                self.write(status, content, headers)

        do_GET = do_HEAD = do_POST = do_PUT = handle_request  # noqa: N815  # the names that http.server asks for

        def respond(self, path: str, query: str, body: bytes) -> tuple[int, bytes, dict[str, str]]:
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            user, role = hub.tokens.get(token, (None, None))
            try:
                with hub.lock:
                    if token and user is None:
                        raise RefusalError(401, "Invalid credentials in Authorization header")
                    if match := re.fullmatch(
                        r"/((?:datasets|spaces)/)?([\w.-]+/[\w.-]+)/resolve/([^/]+)/(.+)", path
                    ):
                        repository = hub.visible(
                            KINDS[(match[1] or "models/").rstrip("/")], match[2], user
                        )
                        return self.file(repository, unquote(match[3]), unquote(match[4]))
                    return (
                        200,
                        json.dumps(
                            hub.answer(self.command, unquote(path), query, body, user, role)
                        ).encode(),
                        {},
                    )
            except RefusalError as refusal:
                headers = {"X-Error-Code": refusal.code} if refusal.code else {}
                return (
                    refusal.status,
                    json.dumps(refusal.body).encode(),
                    {**headers, "X-Error-Message": str(refusal)},
                )

        def file(
            self, repository: Repository, revision: str, path: str
        ) -> tuple[int, bytes, dict[str, str]]:
            commit = repository.at(revision)
            if path not in commit.files:
                raise RefusalError(404, "Entry not found", "EntryNotFound")
            content = commit.files[path]
            headers = {
                "X-Repo-Commit": commit.oid,
                "ETag": f'"{blob_id(content)}"',
                "Accept-Ranges": "bytes",
            }
            if is_large(path):
                headers |= {
                    "X-Linked-Etag": f'"{sha256(content)}"',
                    "X-Linked-Size": str(len(content)),
                }
            if wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
                first, last = (
                    int(wanted[1]),
                    min(int(wanted[2] or len(content) - 1), len(content) - 1),
                )
                return (
                    206,
                    content[first : last + 1],
                    {**headers, "Content-Range": f"bytes {first}-{last}/{len(content)}"},
                )
            return 200, content, headers

        def read_body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def write(self, status: int, content: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def cut(self) -> None:
            self.close_connection = True
            self.connection.close()

    return Handler


@contextlib.contextmanager
def hub_server() -> Iterator[HubServer]:
    """Serves a Hub on a free port of the loopback while the block runs."""
    hub = HubServer()
    thread = threading.Thread(
        target=hub.httpd.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield hub
    finally:
        hub.httpd.shutdown()
        hub.httpd.server_close()
        thread.join()
