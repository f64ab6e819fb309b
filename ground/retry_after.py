"""What a server asks for with the header `Retry-After`: seconds, or a date."""

import email.utils
import math
import time


def retry_after(header: str | None, now: float | None = None) -> float | None:
    """Seconds to wait, at least 0; None where the header is missing or says nothing readable.

    Args:
        header: Value of `Retry-After`, a number of seconds or an HTTP date.
        now: Time from which a date counts, in seconds since 1970; the present if None.

    Example:
        >>> retry_after("Wed, 21 Oct 2015 07:28:30 GMT", now=1445412500.0)
        10.0
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        pass
    else:
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        date = email.utils.parsedate_to_datetime(header).timestamp()
    except ValueError:
        return None
    return max(0.0, date - (time.time() if now is None else now))
