"""The tests of processes and clocks beside one busy process per core, three times in a row.

A machine that has other work finds what waits for a clock where it should wait for an event: kills,
locks, leases, worker processes, servers, pages.

    python -m tests.support.burner [ARGUMENTS OF PYTEST]
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

from ground.paths import ROOT

N_RUNS = 3
BUSY = """
import os, sys
while os.getppid() == int(sys.argv[1]):  # whoever started it may be killed
    sum(range(100_000))
"""


@contextlib.contextmanager
def burning(n: int) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Keeps as many processes busy until the block ends."""
    command = [sys.executable, "-c", BUSY, str(os.getpid())]
    with contextlib.ExitStack() as stack:
        started = []
        for _ in range(n):
            started.append(stack.enter_context(subprocess.Popen(command)))
            stack.callback(started[-1].kill)
        yield started


def main(arguments: Sequence[str]) -> int:
    """Runs the tests; gives the exit code of the first run that fails, else 0."""
    command = [sys.executable, "-m", "pytest", "-m", "clock", *arguments]
    with burning(os.cpu_count() or 1) as busy:
        for number in range(1, N_RUNS + 1):
            print(f"Run {number} of {N_RUNS}, beside {len(busy)} busy processes.", flush=True)
            if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
