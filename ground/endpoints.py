"""An endpoint over HTTP that may be busy, slow, broken or hostile: several requests at once.

The key is sent nowhere but to the endpoint, and stands in no message and no answer. An answer is
read no longer than the attempt may last, and no further than `MOST_BYTES`.

What may pass is tried again: a broken connection, a busy server, an answer that is none. What
cannot pass stops the run: a wrong address or key. What is refused for one request alone (it is too
long, a filter objects) is missing.
"""

import email.utils
import math
import os
import re
import socket
import sys
import threading
import time
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlsplit

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({400, 413, 422, 451})  # this request alone; the next one may be answered
LONGEST_WAIT = 120.0
MOST_BYTES = 2**24  # of an answer, once it is decompressed
LEAST_KEY = 6  # a shorter one is no secret, and a part of many words
T = TypeVar("T")


class EndpointError(RuntimeError):
    """No request will be answered; says which endpoint, what it answered, what was expected."""


class PassingError(Exception):
    """A request that may succeed later, after `wait` seconds if the server said so.

    An endpoint that `is_answered` is there, though what it answers is not what was expected.
    """

    def __init__(self, reason: str, wait: float | None = None, *, is_answered: bool = False):
        super().__init__(reason)
        self.wait, self.is_answered = wait, is_answered


class Pace:
    """Starts of requests at least 1 / rate seconds apart, over all threads; None: no limit."""

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


@dataclass
class Endpoint(Generic[T]):
    """An address that JSON objects are posted to."""

    base_url: str  # up to and without `path`; what messages call it
    path: str
    key: str  # goes along with every request; "" for none
    read: Callable[[str], T]  # of an answer's text; raises a `PassingError` where it says nothing
    missing: Callable[[str], T]  # stands in place of an answer, given why there is none
    concurrency: int = 8  # requests under way at once
    rate: float | None = None  # requests per second at most
    timeout: float = 300.0  # seconds of an attempt, from its start to the last byte
    retries: int = 6
    # Seconds before the second attempt; twice as many before each further one, and up to as many
    # more at random, so that not all come back at once.
    first_wait: float = 1.0
    sleep: Callable[[float], None] | None = None  # by default until the run is stopped
    _n_read: int = field(default=0, init=False)
    _told: set[str] = field(default_factory=set, init=False)

    def answers(self, requests: Iterable[Any]) -> Iterator[tuple[int, T]]:
        """Answers as they arrive; what stops the run is raised after those under way.

        A request is sent only when an answer has been taken and the next is wanted: of whoever
        stores each before going on, a kill costs the `concurrency` requests under way and no more.

        Raises:
            EndpointError: The endpoint refuses, or does not answer after all retries.
        """
        import httpx

        stop, pace = threading.Event(), Pace(self.rate)
        # an attempt that was given up may hold its connection for a while
        limits = httpx.Limits(max_keepalive_connections=self.concurrency)
        waiting, asked = enumerate(requests), dict[Future[T], int]()
        key = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        headers = {"Accept-Encoding": "gzip", **key}
        with (
            httpx.Client(timeout=self.timeout, limits=limits, headers=headers) as client,
            ThreadPoolExecutor(self.concurrency) as pool,
        ):

            def ask(n: int) -> None:
                for i, request in islice(waiting, n):
                    asked[pool.submit(self._ask, client, request, stop, pace)] = i

            ask(self.concurrency)
            try:
                while asked:
                    done = next(iter(wait(asked, return_when=FIRST_COMPLETED).done))
                    if done.exception() is not None:
                        break
                    yield asked.pop(done), done.result()
                    ask(1)
            finally:
                stop.set()
        yield from ((i, done.result()) for done, i in asked.items() if done.exception() is None)
        for done in asked:
            done.result()  # raises what stopped the run

    def tell(self, what: str, message: str) -> None:
        """Says a thing on stderr, once."""
        if what not in self._told:
            self._told.add(what)
            sys.stderr.write(f"{self.base_url}: {message}\n")

    def _ask(self, client: Any, request: Any, stop: threading.Event, pace: Pace) -> T:
        """One answer, after as many attempts as are allowed; none once the run is stopped."""
        import tenacity

        def attempt() -> T:
            if early := pace.wait():
                (self.sleep or stop.wait)(early)
            return within(self.timeout, lambda: self._ask_once(client, request))

        first = self.first_wait
        usual = tenacity.wait_exponential_jitter(first, LONGEST_WAIT, jitter=first)
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(PassingError),
            stop=tenacity.stop_after_attempt(self.retries + 1) | tenacity.stop_when_event_set(stop),
            wait=lambda state: asked_wait(state, usual),
            sleep=self.sleep or tenacity.sleep_using_event(stop),
            before_sleep=self._tell_of_retry,
            reraise=True,
        )
        try:
            answer = retrying(attempt)
        except PassingError as error:
            n = retrying.statistics["attempt_number"]
            if error.is_answered and self._n_read:  # this endpoint has answered other requests
                return self.missing(f"{error} {n} times")
            got = f"{self.base_url}: got {error} after {n} attempts"
            raise EndpointError(f"{got}; expected an answer") from None
        self._n_read += 1
        return answer

    def _tell_of_retry(self, state: Any) -> None:
        """Says that an attempt has failed, lest a wrong address look like a slow one."""
        error = state.outcome.exception()
        self.tell(str(error), f"got {error}; trying again, up to {self.retries} times")

    def _ask_once(self, client: Any, request: Any) -> T:
        import httpx

        end = time.monotonic() + self.timeout
        try:
            url = self.base_url.rstrip("/") + self.path
            with client.stream("POST", url, json=request) as response:
                text = without_key(text_of(response, end), self.key)
        except httpx.TransportError as error:
            if is_hopeless(error):
                got = f"{self.base_url}: got {type(error).__name__} ({error})"
                raise EndpointError(f"{got}; expected the address of an endpoint") from None
            raise PassingError(type(error).__name__) from None
        status = response.status_code
        if status in BUSY:
            raise PassingError(f"HTTP {status}", retry_after(response.headers.get("retry-after")))
        if status in REFUSED and self._n_read:
            return self.missing(f"HTTP {status} {shown(text)}")
        if status != 200:
            raise EndpointError(f"{self.base_url}: got HTTP {status} {shown(text)}; expected 200")
        return self.read(text)


def asked_wait(state: Any, usual: Callable[[Any], float]) -> float:
    """What the server asks to wait, at most `LONGEST_WAIT` seconds, or the usual time."""
    asked = state.outcome.exception().wait
    return usual(state) if asked is None else min(LONGEST_WAIT, asked)


def retry_after(header: str | None, now: float | None = None) -> float | None:
    """Seconds that a server asks to wait, from a number or an HTTP date; None where unreadable.

    Example:
        >>> retry_after("Wed, 21 Oct 2015 07:28:30 GMT", now=1445412500.0)
        10.0
    """
    try:
        seconds = float(header or "nan")
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        date = email.utils.parsedate_to_datetime(header or "").timestamp()
    except ValueError:
        return None
    return max(0.0, date - (time.time() if now is None else now))


def check_address(url: str) -> str:
    """The address of an endpoint; a ValueError where it is none.

    A name and password in it would be put on record with the command.
    """
    parts = urlsplit(url.strip())
    if "@" in url or parts.query:
        expected = "it without, and the key in the environment variable of --key-variable"
        raise ValueError(f"base_url, got one with a password or a query; expected {expected}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        expected = "an address such as https://api.openai.com/v1"
        raise ValueError(f"base_url, got {url!r}; expected {expected}")
    return url.strip()


def read_key(variable: str) -> str:
    """The key that an environment variable holds, "" where it is unset.

    A ValueError, which does not show it, where it cannot be sent as it is.
    """
    key = os.environ.get(variable, "")
    if not all("!" <= character <= "~" for character in key):
        got = f"{variable}, got a key with a blank, a line end or a character outside ASCII"
        raise ValueError(f"environment variable {got}; expected the key alone")
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
    """The body of a response, read until `end` by the monotonic clock, and to `MOST_BYTES`."""
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
    """What an attempt gives, in another thread: one that sends its headers drop by drop is left."""
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


def shown(text: str) -> str:
    """What a server says, shortened, with what looks like a key blotted out."""
    return repr(re.sub(r"(?i)(bearer\s+|\bsk-)\S+", r"\1***", text)[:300])
