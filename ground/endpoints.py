"""An endpoint over HTTP that may be busy, slow, broken or hostile: address, key, pace, answers."""

import os
import socket
import threading
import time
import zlib
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

MOST_BYTES = 2**24  # of an answer, once it is decompressed
LEAST_KEY = 6  # a shorter one is no secret, and a part of many words
T = TypeVar("T")


class PassingError(Exception):
    """A request that may succeed later, after `wait` seconds if the server said so.

    An endpoint that `is_answered` is there, though what it answers is not what was expected.
    """

    def __init__(self, reason: str, wait: float | None = None, *, is_answered: bool = False):
        super().__init__(reason)
        self.wait, self.is_answered = wait, is_answered


class Pace:
    """Starts of requests at least 1 / rate seconds apart, over all threads.

    Args:
        rate: Requests per second; None for no limit.
        clock: What tells the time, in seconds.
    """

    def __init__(self, rate: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.gap = 1 / rate if rate else 0.0
        self.next = 0.0
        self.lock = threading.Lock()

    def wait(self) -> float:
        """Seconds until the next request may start; its place is taken by asking."""
        with self.lock:
            now = self.clock()
            start = max(now, self.next)
            self.next = start + self.gap
        return start - now


def check_address(url: str) -> str:
    """The address of an endpoint, if it can be one.

    Raises:
        ValueError: It is no http address, or a name and password stand in it, which would be put on
            record with the command.

    Example:
        >>> check_address("https://api.openai.com/v1")
        'https://api.openai.com/v1'
    """
    parts = urlsplit(url.strip())
    if "@" in url or parts.query:
        raise ValueError(
            "base_url, got one with a password or a query; expected it without,"
            " and the key in the environment variable of --key-variable"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(
            f"base_url, got {url!r}; expected an address such as https://api.openai.com/v1"
        )
    return url.strip()


def read_key(variable: str) -> str:
    """The key that an environment variable holds, "" where it is unset.

    Raises:
        ValueError: It cannot be sent as it is; the message does not show it.
    """
    key = os.environ.get(variable, "")
    if not all("!" <= character <= "~" for character in key):
        raise ValueError(
            f"environment variable {variable}, got a key with a blank, a line end or a character"
            " outside ASCII; expected the key alone"
        )
    return key


def without_key(text: str, key: str) -> str:
    """A text with the key blotted out, as it is, quoted for an address or in base64."""
    if len(key) < LEAST_KEY:
        return text
    for form in (key, quote(key, safe=""), b64encode(key.encode()).decode()):
        text = text.replace(form, "***")
    return text


def is_hopeless(error: BaseException) -> bool:
    """Whether no attempt can succeed: the protocol is wrong, or the host has no address."""
    import httpx

    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError):
        return True
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return cause.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", None))
        cause = cause.__cause__ or cause.__context__
    return False


def text_of(response: Any, end: float) -> str:
    """The body of a response, read until `end` by the monotonic clock, and to `MOST_BYTES`.

    Raises:
        PassingError: It takes longer, is longer, or its compression is broken.
    """
    is_packed = response.headers.get("content-encoding", "") in ("gzip", "x-gzip")
    unpack, body = zlib.decompressobj(zlib.MAX_WBITS | 16), bytearray()
    try:
        for raw in response.iter_raw():
            body += unpack.decompress(raw, MOST_BYTES + 1 - len(body)) if is_packed else raw
            if len(body) > MOST_BYTES:
                raise PassingError(f"more than {MOST_BYTES:,} bytes", is_answered=True)
            if time.monotonic() > end:
                raise PassingError("no end of the answer in time")
    except zlib.error as error:
        raise PassingError(f"broken compression ({error})", is_answered=True) from None
    if is_packed and body and not unpack.eof:
        raise PassingError("broken compression (cut off)", is_answered=True)
    return body.decode("utf-8-sig", "replace")


def within(seconds: float, attempt: Callable[[], T]) -> T:
    """What an attempt gives, in another thread: one that sends its headers drop by drop is left.

    Raises:
        PassingError: It takes longer.
    """
    done: Future[T] = Future()

    def work() -> None:
        try:
            done.set_result(attempt())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    if not wait([done], seconds).done:
        raise PassingError(f"no answer in {seconds:g} s")
    return done.result()
