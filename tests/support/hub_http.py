"""The HTTP side of the test Hub: reads requests, applies faults, writes answers."""

import json
import re
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from tests.support.hub_repository import RefusalError, blob_id, is_large, sha256

KINDS = {"models": "model", "datasets": "dataset", "spaces": "space"}


class Asked(NamedTuple):
    """A request; `who` is its user and the role of the token."""

    method: str
    path: str
    query: str
    body: bytes
    who: tuple[str | None, str | None]


@dataclass
class Fault:
    """What goes wrong with requests whose `METHOD /path` matches the pattern, `times` times.
    `skip`: requests that match and are answered before. `cut`: "during" closes the connection in
    the middle of the request's body, "after" when the request was carried out but not answered.
    `delay`: seconds to wait before the request is carried out."""

    pattern: str
    status: int | None = None
    message: str = "refused by the test"
    more: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cut: str | None = None
    delay: float = 0.0
    times: int = 1
    skip: int = 0

    def strikes(self, line: str) -> bool:
        """Counts a request; says whether something goes wrong with it."""
        if self.times <= 0 or not re.search(self.pattern, line):
            return False
        is_now = self.skip <= 0
        self.times, self.skip = self.times - is_now, self.skip - 1
        return is_now


def handler_class(hub: Any) -> type[BaseHTTPRequestHandler]:
    """The HTTP side: reads requests, applies faults, writes answers."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 300  # seconds; a busy machine may take long between two reads
        disable_nagle_algorithm = True  # else a body waits 40 ms for the receipt of its head

        def log_message(self, *_: object) -> None:
            pass

        def handle_request(self) -> None:
            url = urlsplit(self.path)
            line = f"{self.command} {url.path}"
            with hub.lock:
                hub.requests.append(line)
                fault = next((fault for fault in hub.faults if fault.strikes(line)), None)
            if fault and fault.cut == "during":
                is_chunked = self.headers.get("Transfer-Encoding") == "chunked"
                n_bytes = int(self.headers.get("Content-Length") or is_chunked)
                self.rfile.read(min(1000, n_bytes))  # of a request without a body nothing comes
                self.cut()
                return
            body = self.read_body()
            if fault:
                time.sleep(fault.delay)
            if fault and fault.status:
                told = json.dumps({"error": fault.message, **fault.more}).encode()
                self.write(fault.status, told, fault.headers)
                return
            status, content, headers = self.respond(url.path, url.query, body)
            if fault and fault.cut == "after":
                self.cut()
            else:
                self.write(status, content, headers)

        do_GET = do_HEAD = do_POST = do_PUT = handle_request  # noqa: N815  # the names that http.server asks for

        def respond(self, path: str, query: str, body: bytes) -> tuple[int, bytes, dict[str, str]]:
            if target := hub.moved(unquote(path)):
                return 307, b"", {"Location": target + (f"?{query}" if query else "")}
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            user, role = hub.tokens.get(token, (None, None))
            try:
                with hub.lock:
                    if token and user is None:
                        raise RefusalError(401, "Invalid credentials in Authorization header")
                    if match := re.fullmatch(
                        r"/((?:datasets|spaces)/)?([\w.-]+/[\w.-]+)/resolve/([^/]+)/(.+)", path
                    ):
                        kind = KINDS[(match[1] or "models/").rstrip("/")]
                        repository = hub.visible(kind, match[2], user)
                        return self.file(repository, unquote(match[3]), unquote(match[4]))
                    asked = Asked(self.command, unquote(path), query, body, (user, role))
                    found = hub.answer(asked)
                    headers = {"ETag": f'"{blob_id(body)}"'} if path.startswith("/parts/") else {}
                    return 200, json.dumps(found).encode(), headers
            except RefusalError as refusal:
                headers = {"X-Error-Code": refusal.code} if refusal.code else {}
                headers["X-Error-Message"] = str(refusal)
                return refusal.status, json.dumps(refusal.body).encode(), headers

        def file(
            self, repository: Any, revision: str, path: str
        ) -> tuple[int, bytes, dict[str, str]]:
            commit = repository.at(revision)
            if path not in commit.files:
                raise RefusalError(404, "Entry not found", "EntryNotFound")
            content = commit.files[path]
            headers = {"X-Repo-Commit": commit.oid, "ETag": f'"{blob_id(content)}"'}
            headers["Accept-Ranges"] = "bytes"
            if is_large(path):
                headers["X-Linked-Etag"] = f'"{sha256(content)}"'
                headers["X-Linked-Size"] = str(len(content))
            if wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
                first, end = int(wanted[1]), len(content) - 1
                last = min(int(wanted[2] or end), end)
                headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
                return 206, content[first : last + 1], headers
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
