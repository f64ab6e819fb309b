"""Calls to a Hub that may fail: what is tried again, for how long, and what a person is told."""

import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import (  # type: ignore[attr-defined]  # HTTPError: httpx's
    HfHubHTTPError,
    HTTPError,
    LocalTokenNotFoundError,
)

from ground.endpoints import retry_after

TRIES = 4
FIRST_WAIT = 1.0  # seconds; doubles with every try
LONGEST_WAIT = 300.0
TRANSIENT = (408, 429, 500, 502, 503, 504)
CONFLICTS = (409, 412)
ADVICE = {
    401: "the Hub does not accept the login; run `hf auth login`",
    402: "the account may not create it; a Space of static pages is free: --space-sdk static",
    403: "the login may not write there; log in with a token of role write for this namespace",
    404: "it is not there for this login, or the name belongs to a repository of another type",
    409: "somebody else changed it meanwhile; run it again",
    412: "somebody else changed it meanwhile; run it again",
    413: "a request was too large for the Hub; push fewer at a time with --only, "
    "or build a smaller draw",
    429: "the Hub asks to wait; run it again later",
}

T = TypeVar("T")


def attempt(call: Callable[[], T], sleep: Callable[[float], object] | None = None) -> T:
    """Result of a call, tried up to four times after a broken connection or a request to wait."""
    for number in range(1, TRIES + 1):
        try:
            return _unwrapped(call)
        except HTTPError as error:
            wait = waiting_time(error, number)
            is_transient = status_of(error) in (None, *TRANSIENT)
            if number == TRIES or not is_transient or wait > LONGEST_WAIT:
                raise
            (sleep or time.sleep)(wait)
    raise AssertionError("unreachable: the last try returns or raises")


def _unwrapped(call: Callable[[], T]) -> T:
    """Result of a call; where an upload of a large file failed, its cause is what is raised."""
    try:
        return call()
    except RuntimeError as error:
        if isinstance(error.__cause__, HTTPError | OSError):
            raise error.__cause__ from None
        raise


def open_request(api: HfApi, title: str, repository: str, **which: Any) -> int | None:
    """Number of an open pull request with a title; `which`: its `repo_type` or `author`."""
    wanted: dict[str, Any] = {"discussion_type": "pull_request", "discussion_status": "open"}
    found = attempt(lambda: list(api.get_repo_discussions(repository, **wanted, **which)))
    return next((request.num for request in found if request.title == title), None)


def status_of(error: HTTPError) -> int | None:
    """Status of an answer that is a refusal; None for a connection that broke."""
    response = error.response if isinstance(error, HfHubHTTPError) else None
    return None if response is None else response.status_code


def waiting_time(error: HTTPError, number: int) -> float:
    """Seconds to wait after the given try: what the Hub asks for, else twice the time before."""
    response = error.response if isinstance(error, HfHubHTTPError) else None
    asked = retry_after(response.headers.get("Retry-After")) if response is not None else None
    return FIRST_WAIT * 2 ** (number - 1) if asked is None else asked


def explain(error: Exception) -> str:
    """A failure as one line for a person: what happened, what to do; never the token."""
    if isinstance(error, LocalTokenNotFoundError):
        return "nobody is logged in; run `hf auth login`"
    if not isinstance(error, HTTPError):
        return without_token(f"{type(error).__name__}: {error}")
    status = status_of(error)
    if status is None:
        broken = f"the connection broke ({type(error).__name__}: {error})"
        return without_token(f"{broken}; run it again")
    said = " ".join((getattr(error, "server_message", None) or "").split())
    usual = "the Hub failed; run it again later" if status >= 500 else "the Hub refuses it"
    advice = ADVICE.get(status, usual)
    return without_token(f"status {status}: {advice}" + (f" ({said})" if said else ""))


def without_token(text: str) -> str:
    """A text with every token in it blotted out."""
    token = get_token()
    if token:
        text = text.replace(token, "hf_...")
    return re.sub(r"hf_[A-Za-z0-9]{4,}", "hf_...", text)
