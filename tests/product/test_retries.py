"""Retries: what is waited for, what `Retry-After` says, and what is not tried again."""

from types import SimpleNamespace

import pytest
from huggingface_hub.errors import HfHubHTTPError, HTTPError

from ground.endpoints import retry_after
from publish.hub.retries import attempt

pytestmark = pytest.mark.clock


def refusal(status, **headers):
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    response = SimpleNamespace(status_code=status, headers=named, request=None)
    return HfHubHTTPError(f"status {status}", response=response)


def try_with(failures):
    """Result of a call that fails with each of `failures` before it works, and the waits."""
    waits, left = [], list(failures)

    def call():
        if left:
            raise left.pop(0)
        return "done"

    try:
        result = attempt(call, waits.append)
    except Exception as error:
        result = error
    return result, waits


@pytest.mark.parametrize(
    ("failures", "waits"),
    [
        ([], []),
        ([refusal(500)], [1.0]),
        ([refusal(503), HTTPError("the connection broke"), refusal(504)], [1.0, 2.0, 4.0]),
        ([refusal(429, Retry_After="7"), refusal(500)], [7.0, 2.0]),
        ([refusal(429, Retry_After="0.5")], [0.5]),
        ([refusal(429, Retry_After="soon")], [1.0]),
        ([refusal(429, Retry_After="Wed, 21 Oct 2015 07:28:30 GMT")], [0.0]),  # long past
        ([refusal(429, Retry_After="300")], [300.0]),
    ],
)
def test_a_passing_failure_is_tried_again_after_a_wait(failures, waits):
    assert try_with(failures) == ("done", waits)


@pytest.mark.parametrize(
    ("failures", "waits"),
    [
        ([refusal(403)], []),
        ([refusal(409)], []),
        ([refusal(429, Retry_After="301")], []),
        ([refusal(500)] * 4, [1.0, 2.0, 4.0]),
    ],
)
def test_what_will_not_pass_is_given_up(failures, waits):
    result, waited = try_with(failures)
    assert result is failures[-1]
    assert waited == waits


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3.0), ("0.25", 0.25), ("-1", 0.0), (None, None), ("soon", None), ("inf", None)],
)
def test_retry_after_reads_seconds(header, seconds):
    assert retry_after(header) == seconds


def test_the_cause_of_a_failed_upload_is_what_counts():
    def call():
        raise RuntimeError("Error while uploading 'a.parquet' to the Hub.") from left.pop(0)

    left = [refusal(500), refusal(403)]
    with pytest.raises(HfHubHTTPError, match="status 403"):
        attempt(call, lambda _: None)
    left = [ValueError("another")]
    with pytest.raises(RuntimeError, match="Error while uploading"):
        attempt(call, lambda _: None)
