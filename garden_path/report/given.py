"""What a report is about: the results of a model's name, or of files, on every test that fits."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from builders.suites import SuiteTest, find_test, settings_of, suites_with, tests_of
from garden_path.model_scores import fitting_test, kinds_of
from garden_path.result import Result
from garden_path.scoring import ASKING, FILE, is_system, rows_of, score

NAMED_BY_LANGUAGE = ("spacy", "stanza")  # de_core_news_sm, de/gsd


class ScoredTests(NamedTuple):
    """Results, and a line for each test that was tried and does not fit."""

    scored: list[Result]
    left_out: list[str]


def find_results(
    given: Sequence[str],
    *,
    system: str = "",
    hub: str | None = None,
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> ScoredTests:
    """Scores models' names or files, also as `SUITE[/TEST]=GIVEN`, on every test that fits.

    A ValueError where nothing fits, or a test would be there twice.
    """
    settings = {name: one for name, one in (settings or {}).items() if one is not None}
    if settings and not any(is_system(_split(one)[1]) for one in given):
        raise ValueError(f"report: {next(iter(settings))}, got it with files; expected a model")
    scored: dict[SuiteTest, Result] = {}
    left_out: list[str] = []
    for one in given:
        place, source = _split(one)
        for test in _fitting(place, source, hub, settings):
            where = f"{test.suite} {test.name}"
            if test in scored:
                raise ValueError(
                    f"report: {where}, got two results; expected one of each test:"
                    " `garden-path compare` compares two"
                )
            print(f"scoring {source} on {where}", file=sys.stderr)
            try:
                scored[test] = score(
                    test.suite,
                    source,
                    test.name,
                    kind=test.kind,
                    limit=limit,
                    settings=settings if is_system(source) else None,
                    system=system,
                    hub=hub,
                    per_item=True,
                )
            except ValueError as error:
                left_out.append(f"{where}: {error}")
    if not scored:
        raise ValueError("\n".join(left_out))
    for line in left_out:
        print(f"not scored: {line}", file=sys.stderr)
    order = {suite: place for place, suite in enumerate(suites_with("tests"))}
    found = sorted(scored.values(), key=lambda one: order[one.test.suite])
    return ScoredTests(found, left_out)


def language_of(test: SuiteTest) -> str:
    """Language tag of a test's rows; "" where none is known."""
    told = settings_of(test.suite).get("report", {})
    return str(told.get("language", {}).get(test.name, ""))


def _split(given: str) -> tuple[tuple[str, str] | None, str]:
    """Suite and test that are named before `=`, None where none is; and the rest."""
    place, is_named, source = given.partition("=")
    suite, _, name = place.partition("/")
    return ((suite, name), source) if is_named and suite in suites_with("tests") else (None, given)


def _fitting(
    place: tuple[str, str] | None, source: str, hub: str | None, settings: Mapping[str, Any]
) -> list[SuiteTest]:
    """The tests that a model's name or a file fits; a model that does not chat answers nothing."""
    if place is not None:
        return [fitting_test(*place, source, settings) if is_system(source) else find_test(*place)]
    every = [test for suite in suites_with("tests") for test in tests_of(suite)]
    path = source.removeprefix(FILE)
    if Path(path).exists():
        return _fitting_file(path, every, hub)
    name, _, argument = source.partition(":")
    ranks = {} if name in ("file", "python") else kinds_of(source, settings)
    takers = {kind for kind, rank in ranks.items() if rank == 0 or kind != "answerer"}
    found = [test for test in every if test.kind in takers]
    if name in NAMED_BY_LANGUAGE:
        meta = Path(argument) / "meta.json"  # of a spaCy pipeline in a folder
        code = re.split("[/_]", argument)[0]
        if meta.is_file():
            code = json.loads(meta.read_text(encoding="utf-8"))["lang"]
        found = [test for test in found if language_of(test).split("-")[0] == code]
    if not found:
        raise ValueError(
            f"report: given, got {source!r}; expected a file that is there, a model that a test"
            " takes, or SUITE=python:MODULE:FUNCTION"
        )
    return found


def _fitting_file(path: str, every: Sequence[SuiteTest], hub: str | None) -> list[SuiteTest]:
    """The tests of which a file has predictions: by their ids or texts, else by their number."""
    found: dict[str, list[SuiteTest]] = {"id": [], "text": [], "order": []}
    wrong = [f"{path}: predictions, got those of no test"]
    for test in (one for one in every if one.kind != "chooser"):  # no file has what it says
        try:
            asking = ASKING[test.kind]
            read = asking.read(path, *asking.items(rows_of(test, hub)))
            found[read.matched.by].append(test)
        except ValueError as error:
            wrong.append(f"{test.suite} {test.name}: {error}")
    best = found["id"] or found["text"] or found["order"]
    if not best:
        raise ValueError("\n".join(wrong))
    return best
