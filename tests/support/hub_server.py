"""A small Hub on the loopback. Unmodified huggingface_hub, datasets and evaluate talk to it through
`HF_ENDPOINT`. It keeps repositories, tags, pull requests and collections in memory, checks tokens,
and answers as the Hub does, error codes included: cards and `eval.yaml` by its rules, roles in an
organisation, redirects of renamed repositories, large files in parts. It has no xet storage, and
its clients run with `HF_HUB_DISABLE_XET`: what a push sends by xet to the real Hub is tested
nowhere. A test may switch on faults: delays, refusals, and cuts of the connection before, during or
after a request."""

import base64
import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote

from tests.support.hub_http import KINDS, Asked, Fault, handler_class
from tests.support.hub_repository import (
    RefusalError,
    Repository,
    blob_id,
    discussions,
    entry,
    is_large,
    new_collection,
    new_item,
    sha256,
)
from tests.support.hub_rules import RESULTS, card_errors, eval_errors, result_errors

BATCH = re.compile(r"/((?:datasets|spaces)/)?([\w.-]+/[\w.-]+)\.git/info/lfs/objects/batch")
OF_REPOSITORY = re.compile(
    r"/api/(models|datasets|spaces)/([\w.-]+/[\w.-]+)(?:/([\w-]+)(?:/([^/]+))?(?:/(.+))?)?"
)


class HubServer:
    """The Hub's state and its answers. `tokens` maps a token to its user and role, `organisations`
    an organisation to its members' roles; `may_create_gradio` is what a paid account may do.
    `renamed` maps a kind and an old id to the new one. Files of more than `part_size` bytes are
    uploaded in parts."""

    def __init__(self) -> None:
        users = ("other", "member", "helper", "guest")
        self.tokens = {"hf_writer": ("ns", "write"), "hf_reader": ("ns", "read")}
        self.tokens |= {f"hf_{user}": (user, "write") for user in users}
        self.organisations = {"org": {"member": "write", "helper": "contributor", "guest": "read"}}
        self.renamed: dict[tuple[str, str], str] = {}
        self.part_size: int | None = None
        self.parts: dict[str, dict[int, bytes]] = {}
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
        """Environment variables of a process that talks to this Hub. Keeps its caches in `home`."""
        own = {"HF_ENDPOINT": self.url, "HF_TOKEN": token, "HF_HOME": str(home)}
        off = ("UPDATE_DOWNLOAD_COUNTS", "HUB_OFFLINE", "EVALUATE_OFFLINE")
        disabled = ("XET", "TELEMETRY", "UPDATE_CHECK")
        own |= {f"HF_{name}": "0" for name in off} | {"no_proxy": "127.0.0.1"}
        return own | {f"HF_HUB_DISABLE_{name}": "1" for name in disabled}

    def validate(self, body: dict[str, Any]) -> dict[str, Any]:
        """The Hub's check of a card before anything is sent."""
        if errors := card_errors(body["content"], body["repoType"]):
            listed = [{"message": message} for message in errors]
            raise RefusalError(400, "Invalid metadata", errors=listed, warnings=[])
        return {"errors": [], "warnings": []}

    def moved(self, path: str) -> str | None:
        """Where a path of a renamed repository leads now; None for any other."""
        for (kind, old), new in self.renamed.items():
            prefix = "" if kind == "model" else f"{kind}s/"
            for begin in (f"/api/{kind}s/", f"/{prefix}"):
                rest = path.removeprefix(f"{begin}{old}")
                if rest != path and (not rest or rest[0] in "/."):
                    return f"{begin}{new}{rest}"
        return None

    # Accounts and repositories

    def whoami(self, user: str | None, role: str | None) -> dict[str, Any]:
        if user is None:
            raise RefusalError(401, "Invalid credentials in Authorization header")
        orgs = [
            {"name": name, "roleInOrg": members[user]}
            for name, members in self.organisations.items()
            if user in members
        ]
        auth = {"type": "access_token", "accessToken": {"role": role}}
        return {"name": user, "type": "user", "orgs": orgs, "auth": auth}

    def create(self, body: dict[str, Any], user: str | None, role: str | None) -> dict[str, Any]:
        namespace = body.get("organization") or user
        self.check_writer(f"{namespace}/", user, role, creates=True)
        kind, sdk = body.get("type", "model"), body.get("sdk")
        repo_id = f"{namespace}/{body['name']}"
        taken = self.repositories.get((kind, repo_id))
        if taken is not None:
            raise RefusalError(409, "You already created this repo", url=f"{self.url}/{taken.path}")
        if sdk in ("gradio", "docker") and not self.may_create_gradio:
            raise RefusalError(402, "Payment required: only static Spaces are free")
        is_private = body.get("visibility") == "private"
        repository = Repository(kind, repo_id, sdk, is_private, [], author=user or "")
        repository.commits.append(
            repository.commit("initial commit", {".gitattributes": b"*.parquet filter=lfs\n"})
        )
        self.repositories[kind, repo_id] = repository
        return {"url": f"{self.url}/{repository.path}"}

    def check_writer(
        self, repo_id: str, user: str | None, role: str | None, *, creates: bool = False
    ) -> None:
        """Members with the role `contributor` may write to what they created, `read` to nothing."""
        if user is None:
            raise RefusalError(401, "Invalid username or password.")
        namespace = repo_id.split("/")[0]
        member = "admin" if namespace == user else self.organisations.get(namespace, {}).get(user)
        if member == "contributor":
            own = {r.id for r in self.repositories.values() if r.author == user}
            member = "write" if creates or repo_id in own else "read"
        if role != "write" or member not in ("admin", "write"):
            why = "You don't have the required permissions to perform this operation"
            raise RefusalError(403, why)

    def check_contributor(self, user: str | None, role: str | None) -> None:
        """Anybody who is logged in with a token that may write may open a pull request."""
        if user is None:
            raise RefusalError(401, "Invalid username or password.")
        if role != "write":
            raise RefusalError(403, "This token may not open pull requests")

    # Commits

    def preupload(self, repository: Repository, body: dict[str, Any]) -> dict[str, Any]:
        def answer(path: str) -> dict[str, Any]:
            content = repository.head.files.get(path)
            mode, name = ("lfs", sha256) if is_large(path) else ("regular", blob_id)
            oid = None if content is None else name(content)
            return {"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid}

        return {"files": [answer(file["path"]) for file in body["files"]]}

    def batch(self, body: dict[str, Any]) -> dict[str, Any]:
        def answer(asked: dict[str, Any]) -> dict[str, Any]:
            oid = asked["oid"]
            upload: dict[str, Any] = {"href": f"{self.url}/storage/{oid}"}
            if self.part_size and asked["size"] > self.part_size:
                n_parts = -(-asked["size"] // self.part_size)
                urls = {f"{i:05d}": f"{self.url}/parts/{oid}/{i}" for i in range(1, n_parts + 1)}
                upload = {
                    "href": f"{self.url}/complete/{oid}",
                    "header": {"chunk_size": str(self.part_size), **urls},
                }
            actions = {"upload": upload, "verify": {"href": f"{self.url}/verify/{oid}"}}
            return {**asked, **({} if oid in self.stored else {"actions": actions})}

        return {"transfer": "basic", "objects": [answer(asked) for asked in body["objects"]]}

    def store(self, oid: str, content: bytes) -> None:
        if sha256(content) != oid:
            raise RefusalError(400, "content does not match its name")
        self.stored[oid] = content

    def complete(self, oid: str, listed: list[dict[str, Any]]) -> dict[str, Any]:
        """Puts the parts of a file together, if they are those that the client lists."""
        parts = self.parts.get(oid, {})
        if [(p["partNumber"], p["etag"]) for p in listed] != [
            (number, f'"{blob_id(parts[number])}"') for number in sorted(parts)
        ]:
            raise RefusalError(400, "parts of the upload are missing or differ")
        self.store(oid, b"".join(parts[number] for number in sorted(parts)))
        return {}

    def commit(
        self, repository: Repository, lines: list[dict[str, Any]], asked: Asked
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
                    why = "LFS pointer pointed to a file that does not exist"
                    raise RefusalError(400, f"{why}: {value['path']}")
                files[value["path"]] = self.stored[value["oid"]]
            elif value["path"] not in files:
                raise RefusalError(404, "A file with this name doesn't exist", "EntryNotFound")
            else:
                del files[value["path"]]
        self.check_texts(repository, files)
        commit = repository.commit(header["summary"], files)
        url = f"{self.url}/{repository.path}/commit/{commit.oid}"
        answer = {"commitOid": commit.oid, "commitUrl": url, "success": True}
        if "create_pr=1" in asked.query:
            commit.author = str(asked.who[0])
            repository.pulls.append(commit)
            pull = f"{self.url}/{repository.path}/discussions/{len(repository.pulls)}"
            return {**answer, "pullRequestUrl": pull}
        repository.commits.append(commit)
        return answer

    def check_texts(self, repository: Repository, files: dict[str, bytes]) -> None:
        """A commit whose card, `eval.yaml` or results break a rule of the Hub is refused whole."""
        checks: list[tuple[str, Callable[[str], list[str]]]] = [
            ("README.md", lambda text: card_errors(text, repository.kind))
        ]
        if repository.kind == "dataset":
            checks.append(("eval.yaml", eval_errors))
        if repository.kind == "model":
            checks += [(path, result_errors) for path in files if RESULTS.fullmatch(path)]
        for path, find in checks:
            if path in files and (errors := find(files[path].decode())):
                raise RefusalError(400, f"Invalid {path}: {'; '.join(errors)}")

    def squash(self, repository: Repository, body: dict[str, Any]) -> dict[str, Any]:
        """Forgets all commits but the files of the last."""
        files = repository.head.files
        repository.commits[:] = [repository.commit(str(body.get("message")), files)]
        return {}

    def tag(self, repository: Repository, revision: str, body: dict[str, Any]) -> dict[str, Any]:
        if body["tag"] in repository.tags:
            raise RefusalError(409, "Tag reference exists already")
        repository.tags[body["tag"]] = repository.at(revision).oid
        return {}

    # Reading

    def info(self, repository: Repository, revision: str) -> dict[str, Any]:
        commit = repository.at(revision)
        siblings = [{"rfilename": path, **entry(path, c)} for path, c in commit.files.items()]
        told = {"id": repository.id, "sha": commit.oid, "siblings": siblings}
        return told | {"private": repository.is_private, "sdk": repository.sdk}

    def tree(
        self, repository: Repository, revision: str, folder: str, query: str
    ) -> list[dict[str, Any]]:
        inside = f"{folder}/" if folder else ""
        held = repository.at(revision).files.items()
        files = {path: content for path, content in held if path.startswith(inside)}
        if inside and not files:
            raise RefusalError(404, f"{folder} does not exist", "EntryNotFound")
        deep = "recursive=true" in query.lower()
        found = [
            {"type": "file", "path": p, **entry(p, c)}
            for p, c in files.items()
            if deep or "/" not in p.removeprefix(inside)
        ]
        below = [path.removeprefix(inside).partition("/") for path in files]
        folders = sorted({inside + name for name, slash, _ in below if slash})
        empty = {"type": "directory", "oid": "0" * 40, "size": 0}
        return found + [{**empty, "path": path} for path in folders]

    def paths_info(
        self, repository: Repository, revision: str, body: dict[str, Any]
    ) -> list[dict[str, Any]]:
        files = repository.at(revision).files
        asked = [path for path in body["paths"] if path in files]
        return [{"type": "file", "path": path, **entry(path, files[path])} for path in asked]

    def refs(self, repository: Repository) -> dict[str, Any]:
        tags = [
            {"name": name, "ref": f"refs/tags/{name}", "targetCommit": oid}
            for name, oid in repository.tags.items()
        ]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repository.head.oid}
        return {"branches": [main], "converts": [], "tags": tags}

    # Collections

    def create_collection(
        self, body: dict[str, Any], user: str | None, role: str | None
    ) -> dict[str, Any]:
        self.check_writer(body["namespace"] + "/", user, role, creates=True)
        collection = new_collection(body)
        if collection["slug"] in self.collections:
            raise RefusalError(409, "collection exists", slug=collection["slug"])
        self.collections[collection["slug"]] = collection
        return collection

    def collection(self, slug: str) -> dict[str, Any]:
        if slug not in self.collections:
            raise RefusalError(404, "Collection not found")
        return self.collections[slug]

    def add_item(self, slug: str, item: dict[str, Any]) -> dict[str, Any]:
        items = self.collection(slug)["items"]
        if any(old["id"] == item["id"] and old["type"] == item["type"] for old in items):
            raise RefusalError(409, "item exists")
        items.append(new_item(item, len(items)))
        return self.collection(slug)

    # Routes of the application programming interface, and who answers

    def answer(self, asked: Asked) -> Any:
        path = asked.path
        if asked.method == "PUT" and path.startswith("/storage/"):
            return self.store(path.removeprefix("/storage/"), asked.body)
        if match := re.fullmatch(r"/parts/(\w+)/(\d+)", path):
            self.parts.setdefault(match[1], {})[int(match[2])] = asked.body
            return {}
        if path.startswith("/complete/"):
            oid = path.removeprefix("/complete/")
            return self.complete(oid, json.loads(asked.body)["parts"])
        if path.startswith("/verify/"):
            return {}
        if path == "/api/validate-yaml":
            return self.validate(json.loads(asked.body))
        if path == "/api/whoami-v2":
            return self.whoami(*asked.who)
        if path == "/api/repos/create":
            return self.create(json.loads(asked.body), *asked.who)
        if path.startswith("/api/collections"):
            return self.answer_collections(asked)
        if match := BATCH.fullmatch(path):
            self.check_writer(match[2], *asked.who)
            return self.batch(json.loads(asked.body))
        if match := OF_REPOSITORY.fullmatch(path):
            repository = self.visible(KINDS[match[1]], match[2], asked.who[0])
            revision = unquote(match[4] or "main")
            return self.answer_repository(asked, repository, match[3], revision, match[5] or "")
        raise RefusalError(404, f"no such route: {asked.method} {path}", "RepoNotFound")

    def visible(self, kind: str, repo_id: str, user: str | None) -> Repository:
        repository = self.repository(kind, repo_id)
        if repository.is_private and user != repo_id.split("/")[0]:
            raise RefusalError(404 if user else 401, "Repository not found", "RepoNotFound")
        return repository

    def answer_repository(
        self, asked: Asked, repository: Repository, what: str, revision: str, rest: str
    ) -> Any:
        query, body = asked.query, asked.body
        if asked.method == "POST" and what in ("preupload", "commit", "tag", "super-squash"):
            if what in ("preupload", "commit") and "create_pr=1" in query:
                self.check_contributor(*asked.who)
            else:
                self.check_writer(repository.id, *asked.who)
        posted = read_body(body) if body and what != "commit" else {}
        lines = body.splitlines() if what == "commit" else []
        routes: dict[str, Callable[[], Any]] = {
            "preupload": lambda: self.preupload(repository, posted),
            "commit": lambda: self.commit(
                repository, [json.loads(line) for line in lines if line.strip()], asked
            ),
            "super-squash": lambda: self.squash(repository, posted),
            "tag": lambda: self.tag(repository, revision, posted),
            "revision": lambda: self.info(repository, revision),
            "tree": lambda: self.tree(repository, revision, rest, query),
            "paths-info": lambda: self.paths_info(repository, revision, posted),
            "refs": lambda: self.refs(repository),
            "discussions": lambda: discussions(repository, query),
        }
        if what is None:
            return self.info(repository, "main")
        if what not in routes:
            raise RefusalError(404, f"no such route: {what}")
        return routes[what]()

    def answer_collections(self, asked: Asked) -> Any:
        slug = asked.path.removeprefix("/api/collections").strip("/")
        if asked.method == "GET":
            found = [
                {key: value for key, value in found.items() if key != "position"}
                for found in self.collections.values()
            ]
            return self.collection(slug) if slug else found
        if not slug:
            return self.create_collection(json.loads(asked.body), *asked.who)
        self.check_writer(slug, *asked.who)
        return self.add_item(slug.removesuffix("/items"), json.loads(asked.body)["item"])


def read_body(body: bytes) -> dict[str, Any]:
    """What was posted, as JSON or as a form whose fields are lists."""
    try:
        return dict(json.loads(body))
    except ValueError:
        return dict(parse_qs(body.decode()))


@contextlib.contextmanager
def hub_server() -> Iterator[HubServer]:
    """Serves a Hub on a free port of the loopback while the block runs."""
    hub = HubServer()
    thread = threading.Thread(target=hub.httpd.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.httpd.shutdown()
        hub.httpd.server_close()
        thread.join()
