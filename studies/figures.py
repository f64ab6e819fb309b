"""Makes the committed figures again: those that rest on other versions, or all."""

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from dataset_scripts import registry
from ground.paths import RESULTS, ROOT
from studies.report import metric_versions


def make_figures(arguments: Sequence[str]) -> int:
    """Runs the recorded commands, one after the other; gives 1 where one of them failed.

    A command that fails stops no other; what it should have made stays as it was.
    """
    options = _parser().parse_args(arguments)
    commands = {}
    for path in sorted(RESULTS.glob("*/*.json")):
        if options.suites and path.parent.name not in options.suites:
            continue
        stamp = json.loads(path.read_text(encoding="utf-8"))
        if options.all or (why := why_stale(path, stamp)):
            commands[stamp["command"]] = "asked for" if options.all else why
    for command, why in commands.items():
        print(f"{command}  # {why}", flush=True)
    failed = [] if options.list else [c for c in commands if not _succeeds(c)]
    for command in failed:
        print(f"failed: {command}", file=sys.stderr)
    return 1 if failed else 0


def why_stale(path: Path, stamp: dict[str, object]) -> str:
    """What a figure rests on that has changed since, "" for nothing."""
    metrics = stamp.get("metrics", {})
    if not isinstance(metrics, dict) or metrics != metric_versions(metrics):
        return "another version of a metric"
    if path.parent.name not in registry.suite_names():
        return ""
    built = registry.suite_stamp(path.parent.name)
    return "" if all(stamp.get(name) == built[name] for name in built) else "another suite"


def _succeeds(command: str) -> bool:
    words = [sys.executable, *command.split()[1:]]
    return subprocess.run(words, cwd=ROOT, check=False).returncode == 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m studies figures", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="of these suites only")
    parser.add_argument("--all", action="store_true", help="also what rests on today's versions")
    parser.add_argument("--list", action="store_true", help="only say what would be run, and why")
    return parser
