"""Writes beside the work, so that workers do not wait for a shard to be packed and on the disk."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


class BackgroundWriter:
    """A thread that writes to a store, one thing at a time; who gives it another waits."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1)
        self.writing: Future[None] | None = None

    def do(self, write: Callable[[], None]) -> None:
        """Begins to write, when what was written before is there; tells what went wrong then."""
        if self.writing is not None:
            self.writing.result()
        self.writing = self.thread.submit(write)

    def wait(self) -> None:
        """Waits for the last, and ends the thread; what went wrong is told by who tries again."""
        self.thread.shutdown()
