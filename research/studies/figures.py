"""Makes committed figures again, those that rest on other versions or all; then the overview."""

import argparse
import functools
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dataset_scripts import registry
from ground.paths import RESULTS, ROOT
from research.studies.report import metric_versions

OVERVIEW = "python -m research overview --write"


def make_figures(arguments: Sequence[str]) -> int:
    """Runs the recorded commands; one that fails stops no other, and the exit code is 1."""
    options = _parser().parse_args(arguments)
    known = sorted({*registry.suite_names(), *(p.parent.name for p in RESULTS.glob("*/*.json"))})
    for name in options.suites or ():
        if name not in known:
            print(f"figures: SUITE, got {name!r}; expected {', '.join(known)}", file=sys.stderr)
            return 1
    commands = {}
    stamp_of = functools.cache(registry.suite_stamp)  # drawn once, however many figures there are
    for path in sorted(RESULTS.glob("*/*.json")):
        if options.suites and path.parent.name not in options.suites:
            continue
        stamp = json.loads(path.read_text(encoding="utf-8"))
        if options.all or (why := why_stale(path, stamp, stamp_of)):
            commands[stamp["command"]] = "asked for" if options.all else why
    for command, why in commands.items():
        print(f"{command}  # {why}", flush=True)
    todo = (*commands, OVERVIEW) if commands and not options.list else ()
    failed = [command for command in todo if _run(command)]
    for command in failed:
        print(f"failed: {command}", file=sys.stderr)
    return 1 if failed else 0


def _run(command: str) -> int:
    return subprocess.run([sys.executable, *command.split()[1:]], cwd=ROOT, check=False).returncode


def why_stale(path: Path, stamp: dict[str, Any], stamp_of: Callable[..., Mapping[str, str]]) -> str:
    """What a figure rests on that has changed since, "" for nothing; `stamp_of` says what is."""
    metrics = stamp.get("metrics", {})
    if not isinstance(metrics, dict) or metrics != metric_versions(metrics):
        return "another version of a metric"
    if path.parent.name not in registry.suite_names():
        return ""
    built = stamp_of(path.parent.name, configs=tuple(stamp.get("configs", ())))
    return "" if all(stamp.get(name) == built[name] for name in built) else "another suite"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m research figures", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="of these suites only")
    parser.add_argument("--all", action="store_true", help="also what rests on today's versions")
    parser.add_argument("--list", action="store_true", help="only say what would be run, and why")
    return parser
