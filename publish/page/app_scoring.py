"""Scores what a person gave, in processes of their own: as many at once as there are cores.

`python app_scoring.py`: a request is a line of JSON on standard input, the parts of its answer are
a line of JSON on standard output.

Threads would not do: Python runs one at a time, and warnings are the process's. A process that
dies or takes too long ends its own request only, and the next request begins another one.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomllib
from app_inputs import metric_inputs, read_roles  # type: ignore[import-not-found]  # beside it
from app_parquet import bound_memory  # type: ignore[import-not-found]
from app_readers import (  # type: ignore[import-not-found]
    InputError,
    check_size,
    guess_format,
    read_upload,
)
from app_results import (  # type: ignore[import-not-found]
    failure_html,
    plot_spec,
    remarks_html,
    scores_html,
    table_html,
    verdict_html,
    write_result,
)
from app_scores import DIRECTIONS, read_scores  # type: ignore[import-not-found]

HERE = Path(__file__).resolve().parent
SETTINGS = tomllib.loads((HERE / "space.toml").read_text(encoding="utf-8"))
SECONDS, MEMORY = 300, 8 << 30  # of a request, of a process
MOST_AT_ONCE = 8
GIVEN = ("file", "text", "config", "options")
Files = str | list[str] | None


def n_at_once() -> int:
    """Requests that are scored at once: one for each core, at most 8.

    A Space says in CPU_CORES how many are its own; the system counts those of the whole machine.
    """
    told = os.environ.get("CPU_CORES", "")
    return min(int(told) if told.isdigit() and int(told) else os.cpu_count() or 1, MOST_AT_ONCE)


class Scorers:
    """Processes that score, one request each at a time; all but one begin when they are needed."""

    def __init__(self, n: int) -> None:
        self.idle: queue.LifoQueue[Scorer] = queue.LifoQueue()
        for _ in range(n):
            self.idle.put(last := Scorer())
        last.begin()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of the answer to a request, once a process is idle."""
        scorer = self.idle.get()
        try:
            return scorer.ask(request)
        finally:
            self.idle.put(scorer)


class Scorer:
    """One process that scores, started again where it ended."""

    process: "subprocess.Popen[str] | None" = None

    def begin(self) -> "subprocess.Popen[str]":
        """The process, started where there is none."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).resolve())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                env={"OMP_NUM_THREADS": "1", **os.environ},  # the cores have a process each
            )
        return self.process

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The parts of the answer to a request."""
        process, begun = self.begin(), time.monotonic()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            process.stdin.write(f"{json.dumps(request)}\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if line.endswith("\n"):
            return dict(json.loads(line))
        process.kill()
        process.communicate()
        is_late = time.monotonic() - begun >= SECONDS
        got = f"no end after {SECONDS} s" if is_late else "the end of its process"
        more = "score it on your own machine, where nobody waits for it: pip install garden-path"
        return {"failure": failure_html(f"scoring, got {got}; expected a result: {more}")}


def load_metric() -> Any:
    """Loads the metric from the file beside this one, as evaluate would from the Hub."""
    import evaluate

    return evaluate.load(str(HERE / f"{SETTINGS['metric']}.py"))


def score(
    file: Files, text: str | None, config: str, options: Mapping[str, Any], metric: Any
) -> dict[str, Any]:
    """Scores uploaded files, else pasted text, of which an untouched page has none."""
    given = chosen_inputs(file, text or "")
    if SETTINGS.get("is_table"):
        options = {**options, "metric": options.get("metric") or None}
        options["columns"] = read_roles(options.get("columns") or "")
        better = options.get("higher_is_better")
        options["higher_is_better"] = DIRECTIONS.get(better, better)
        inputs = {"data": read_scores(given, options["metric"], SETTINGS, metric)}
    else:
        inputs = metric_inputs(read_upload(*given[0], SETTINGS, metric), config, SETTINGS)
    result: dict[str, Any] = metric.compute(
        **inputs, **options, **SETTINGS.get("fixed_options", {})
    )
    return result


def chosen_inputs(files: Files, text: str) -> list[tuple[str, bytes]]:
    """Names and contents of what a person gave; sizes are asked for before anything is read."""
    paths = [Path(file) for file in ([files] if isinstance(files, str) else files or [])]
    if gone := [path for path in paths if not path.exists()]:
        raise InputError(
            f"{gone[0].name}: file, got none any more; expected an upload of the last hour:"
            " upload it again"
        )
    total = 0
    for path in paths:  # together they are no larger than one may be
        total += path.stat().st_size
        check_size(path.name, total)
    if paths:
        return [(path.name, path.read_bytes()) for path in paths]
    if text.strip():
        return [(guess_format(text), text.encode())]
    raise InputError(
        "predictions, got none; expected an uploaded file or pasted rows: try one of the examples"
    )


def parts(request: Mapping[str, Any], metric: Any) -> dict[str, Any]:
    """What the page shows of a request's result, or under `failure` why there is none."""
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", UserWarning)
            result = score(**{name: request[name] for name in GIVEN}, metric=metric)
    except (ValueError, TypeError, OSError, MemoryError) as error:
        # what the file, the metric or the loading of the suite says
        return {
            "failure": failure_html(error if str(error) else "It needs more memory than there is.")
        }
    return {
        "verdict": verdict_html(result),
        "remarks": remarks_html(said),
        "scores": scores_html(result, SETTINGS),
        "plot": plot_spec(result, SETTINGS),
        "tables": [table_html(result, name) for name in SETTINGS["tables"]],
        "written": [
            metric.written(result, form.casefold()) for form in SETTINGS.get("written", [])
        ],
        "file": str(write_result(result, SETTINGS["metric"], Path(request["folder"]))),
    }


def main() -> int:
    """Answers requests until there are no more; what a library prints goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the page, and that ends the input
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    bound_memory(MEMORY)
    metric = load_metric()
    for line in sys.stdin:
        print(json.dumps(parts(json.loads(line), metric)), file=answers, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
