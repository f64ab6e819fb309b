"""How far work is: a bar on a terminal, elsewhere a line now and then."""

import math
import sys
import time
from types import TracebackType

from tqdm import tqdm

LINE_SECONDS = 60.0


class Progress:
    """A bar on a terminal; elsewhere a line at the start and one a minute.

    Args:
        title: What is done.
        total: Pieces to do.
        seconds: How long they take on one core, roughly; nan where nobody knows.
    """

    def __init__(self, title: str, total: int, seconds: float = math.nan) -> None:
        self.title, self.total, self.done = title, total, 0
        self.start = self.last = time.monotonic()
        self.bar = tqdm(total=total, desc=title, leave=False, disable=None) if total else None
        if total:
            about = f", about {_duration(seconds)} of one core" if seconds == seconds else ""
            print(f"{title}: {total:,} to do{about}", file=sys.stderr)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.close()

    def update(self, n: int = 1) -> None:
        """Counts pieces."""
        self.done += n
        now = time.monotonic()
        if self.bar is not None and not self.bar.disable:
            self.bar.update(n)
        elif now - self.last >= LINE_SECONDS:
            self.last = now
            left = (now - self.start) / self.done * (self.total - self.done)
            print(
                f"{self.title}: {self.done:,} of {self.total:,}, about {_duration(left)} left",
                file=sys.stderr,
            )


def _duration(seconds: float) -> str:
    for unit, name in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * unit:
            return (
                f"{seconds / unit:.2g} {name}"
                if seconds < 100 * unit
                else f"{seconds / unit:.0f} {name}"
            )
    return f"{seconds:.0f} s"
