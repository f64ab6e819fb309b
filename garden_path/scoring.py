"""Scores a file, a model or a list of predictions on a test of a suite."""

import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from builders.choices import offered
from builders.notations import with_scheme
from builders.suites import SuiteTest, find_test
from garden_path.model_scores import ask_model, fitting_test, sampled
from garden_path.models.choosers import ChoiceQuestion, bag_choices
from garden_path.models.questions import Question
from garden_path.models.registry import USERS
from garden_path.readers.morphemes import read_morphemes
from garden_path.readers.predictions import (
    Predictions,
    checked_tokens,
    read_answers,
    read_probabilities,
    read_token_scores,
    read_trees,
    read_words,
)
from garden_path.result import PERCENT, Result
from garden_path.rows import load, origin
from ground.paths import ROOMS
from metrics.gper.inputs import SENTENCES
from metrics.minimal_pair_preference.members import Stretch, likelihoods, measures

Row = Mapping[str, Any]
FILE = "file:"
GOLDS: dict[str, tuple[str, ...]] = {
    "answerer": ("answer",),
    "segmenter": ("test_words", "control_words"),
    "morphological_segmenter": ("morphemes",),
    "parser": ("heads",),
}
REMARKS = {  # on fields of a result that are above 0
    "unparsed_rate": "Nothing could be read in {:.1f} % of the replies.",
    "n_undecided": "{:,} rows are undecided and not scored.",
    "n_unresolved": "{:,} clauses that nothing resolves are scored apart.",
    "n_other_words": "The morphemes of {:,} words do not spell their word.",
}


class Items(NamedTuple):
    """What a system is asked: its inputs and their ids."""

    inputs: list[Any]
    ids: list[str]


@dataclass(frozen=True)
class Asking:
    """How one kind of system answers the rows of a test.

    `wants` is what a file holds, for people. `read` reads it for inputs and ids; `fold` makes
    columns of the metric of predictions and rows.
    """

    wants: str
    items: Callable[[Sequence[Row]], Items]
    read: Callable[[str | Path, list[Any], list[str]], Predictions]
    fold: Callable[[list[Any], Sequence[Row]], dict[str, Any]]


def score(
    suite: str,
    predictions: Any = None,
    config: str = "",
    *,
    kind: str = "",
    model: str = "",
    limit: int | None = None,
    kept: Path | None = None,
    settings: Mapping[str, Any] | None = None,
    system: str = "",
    hub: str | None = None,
    **options: Any,
) -> Result:
    """The result of a suite's metric for predictions.

    Args:
        suite: Such as `eras`.
        predictions: A file's path; a system by name, such as `spacy:de_core_news_sm` or
            `python:module:function`; or a list with a prediction for each item of `inputs_of`.
        config: A test of the suite; for "" its default one, or the one that fits the model.
        kind: Kind of system, where a config has tests for several, such as `classifier`.
        model: In place of predictions, `KIND:NAME`, such as `transformers:NAME`.
        limit: Rows of a sample that is scored instead of all, see `model_scores.sampled`.
        kept: File of the model's answers, which a second run goes on with; by default one in the
            user's cache.
        settings: What a model is loaded with: device, dtype, batch_size, revision and its kind's.
        system: What is scored, for the result; the file or the system by default.
        hub: Where the rows are, see `garden_path.rows.load`.
        **options: Options of the metric.

    Raises:
        ValueError: There is no such suite, config, file or system, or the predictions do not fit.
    """
    settings = {name: one for name, one in (settings or {}).items() if one is not None}
    if model.startswith(FILE):
        predictions, model = predictions or model, ""
    if (predictions is None) == (not model):
        expected = f"a file or a model, such as `garden-path score {suite} FILE`"
        got = "both" if model else "none"
        raise ValueError(f"{suite}: predictions, got {got}; expected {expected}")
    if isinstance(predictions, str) and is_system(predictions):
        predictions, model = None, predictions
    if model:
        test = fitting_test(suite, config, model, settings, kind)
    else:
        test = find_test(suite, config, kind)
    every = rows_of(test, hub)
    rows = sampled(every, limit)
    asking = ASKING[test.kind]
    items = asking.items(rows)
    run = {"suite": suite, "config": test.config, "split": test.split}
    run |= origin(suite, test.config, hub)
    if model:
        asked = ask_model(test.kind, model, items.inputs, kept=kept, settings=settings)
        found, name, told = asked.answers, model, "\n".join(asked.told)
        if test.kind == "answerer":
            found = [None if one.problem else one.text for one in found]
        run["revision"] = asked.version
        if asked.scheme:
            options = {"scheme": asked.scheme} | options
    elif settings or kept:
        wrong = next(iter(settings), "answers")
        raise ValueError(f"{suite}: {wrong}, got it with predictions; expected it with a model")
    else:
        found, name, told = _predicted(test, rows, items, predictions)
        if test.kind == "parser" and "scheme" not in options:
            found, scheme = with_scheme(found)
            if scheme != "ud":
                line = f"Labels are read as those of {scheme.upper()}."
                options, told = options | {"scheme": scheme}, f"{told}\n{line}".strip()
    run["system"] = system or name
    made = scored(test, asking.fold(found, rows), run=run, **{**options, "per_item": True})
    if len(rows) < len(every):
        made["sample"] = {"n": len(rows), "of": len(every), "seed": 0}
    told = "\n".join(filter(None, [told, *_remarks(made, len(rows), len(every))]))
    is_kept = bool(options.get("per_item"))
    return Result.of_rows(made, test, rows, every, system or name, told, keeps_items=is_kept)


def inputs_of(suite: str, config: str = "", *, kind: str = "", hub: str | None = None) -> Items:
    """What a system is to be given: the items of a test, and their ids."""
    test = find_test(suite, config, kind)
    return ASKING[test.kind].items(rows_of(test, hub))


def rows_of(test: SuiteTest, hub: str | None = None) -> list[Row]:
    """The rows of a test."""
    rows: list[Row] = load(test.suite, test.config, test.split, hub=hub).to_pylist()
    return [row for row in rows if all(row[name] == one for name, one in test.where.items())]


def _remarks(made: Mapping[str, Any], n: int, n_every: int) -> Iterator[str]:
    """What is to be said of a result of n rows: that they are a sample, what was not scored."""
    if n < n_every:
        yield f"A sample of {n:,} of {n_every:,} rows, drawn with seed 0."
    for name, text in REMARKS.items():
        if made.get(name, 0) > 0 and (name != "n_unresolved" or made["n"] < n):
            yield text.format(made[name] * (PERCENT if "%" in text else 1))


def _predicted(
    test: SuiteTest, rows: Sequence[Row], items: Items, given: Any
) -> tuple[list[Any], str, str]:
    """Predictions of the items, their system's name, and how they were read."""
    asking = ASKING[test.kind]
    if isinstance(given, Path | str):
        path = str(given).removeprefix(FILE)
        read = asking.read(path, *items)
        _check_gold(read, test, rows)
        return read.whole(), Path(path).name, read.report()
    where = f"{test.suite} {test.name}: predictions"
    if not isinstance(given, Iterable):
        raise ValueError(f"{where}, got {given!r}; expected a file, a system, or one for each item")
    found = list(given)
    if len(found) != len(items.inputs):
        expected = f"{len(items.inputs):,}, one for each item of `garden-path inputs {test.suite}`"
        raise ValueError(f"{where}, got {len(found):,}; expected {expected}")
    missing = sum(one is None or (isinstance(one, float) and one != one) for one in found)
    if missing == len(found):
        raise ValueError(f"{where}, got none, {missing:,} are missing; expected at least one")
    told = f"predictions: {missing:,} of {len(found):,} missing" if missing else ""
    return found, "predictions", told


def _check_gold(read: Predictions, test: SuiteTest, rows: Sequence[Row]) -> None:
    """Refuses the suite's own gold in every row beside a column that may be the prediction."""
    golds = GOLDS.get(test.kind, ())
    other = next((name for name in read.beside if name.lower() not in rows[0]), "")
    values = [one[golds[0]] if isinstance(one, dict) else one for one in read.values if other]
    if other and golds and values == [row[name] for row in rows for name in golds]:
        raise ValueError(
            f"{read.where}: predictions, got the gold {golds[0]} of every row beside the column"
            f" {other}; expected the prediction in a column prediction, without the gold"
        )


def is_system(given: str) -> bool:
    """Whether a text names a system rather than a file; a file that is there is a file."""
    name = given.partition(":")[0]
    if name == "file" or os.path.exists(given):  # `Path.exists` fails where a text is too long
        return False
    return name == "python" or any(name in USERS.loaders(kind) for kind in USERS.kinds())


def scored(test: SuiteTest, inputs: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """What the metric of a test says of its columns."""
    scoring = importlib.import_module(f"{ROOMS}metrics.{test.metric}.scoring")
    read = importlib.import_module(f"{ROOMS}metrics.{test.metric}.options").read_options
    result: dict[str, Any] = getattr(scoring, test.function)(inputs, read(**options))
    return result


def _of_columns(*names: str) -> Callable[[Sequence[Row]], Items]:
    """Items of what rows have in some columns."""

    def items(rows: Sequence[Row]) -> Items:
        ids = [f"{row['id']}/{name}" if names[1:] else row["id"] for row in rows for name in names]
        return Items([copy(row[name]) for row in rows for name in names], ids)

    return items


def _questions(rows: Sequence[Row]) -> Items:
    asked = [Question(*(row[name] for name in Question._fields)) for row in rows]
    return Items(asked, [row["id"] for row in rows])


def _texts(rows: Sequence[Row]) -> Items:
    every = [(row["id"], i, one) for row in rows for i, one in enumerate(_members(row))]
    return Items([one.text for _, _, one in every], [f"{name}/{i}" for name, i, _ in every])


def _members(row: Row) -> Sequence[Stretch]:
    return next(iter(measures(row).values()))


def _choices(rows: Sequence[Row]) -> Items:
    asked = [
        ChoiceQuestion(**{n: row.get(n, "") for n in Question._fields}, choices=(*row["choices"],))
        for row in offered(rows)
    ]
    return Items(asked, [row["id"] for row in rows])


def _grouped(n: int) -> Callable[[list[Any], Sequence[Row]], dict[str, Any]]:
    """Predictions of n items a row."""

    def fold(found: list[Any], rows: Sequence[Row]) -> dict[str, Any]:
        groups = [found[i : i + n] for i in range(0, len(found), n)] if n > 1 else found
        return {"predictions": groups, "references": pa.Table.from_pylist(list(rows))}

    return fold


def _likelihoods(found: list[Any], rows: Sequence[Row]) -> dict[str, Any]:
    scores = iter(found)
    every = []
    for row in rows:
        members = _members(row)
        texts = [one.text for one in members]
        of_text = {text: checked_tokens("predictions", text, next(scores)) for text in texts}
        every.append(likelihoods(members, of_text).likelihoods)
    return {
        "predictions": [[one.total for one in members] for members in every],
        "n_tokens": [[max(1, one.n_tokens) for one in members] for members in every],
        "references": rows,
    }


def _chosen(found: list[Any], rows: Sequence[Row]) -> dict[str, Any]:
    asked, rows = _choices(rows).inputs, offered(rows)

    def right_first(values: Sequence[Any]) -> list[list[float]]:
        places = [row["choices"].index(row["answer"]) for row in rows]
        return [[one[i], *one[:i], *one[i + 1 :]] for i, one in zip(places, values, strict=True)]

    bags = right_first([bag_choices(one).tolist() for one in asked])
    values = right_first([list(one) for one in found])
    return {"predictions": values, "references": rows, "nulls": {"bag": bags}}


def _not_read(path: str | Path, inputs: list[Any], ids: list[str]) -> Predictions:
    raise ValueError(
        f"{path}: predictions, got a file; expected a model, as sentence-transformers:NAME"
    )


ASKING: Mapping[str, Asking] = {
    "segmenter": Asking(
        "words between blanks, a sentence a line",
        _of_columns("test", "control"),
        read_words,
        _grouped(2),
    ),
    "parser": Asking(
        "CoNLL-U, CoNLL-X or CoNLL-2009", _of_columns("tokens"), read_trees, _grouped(1)
    ),
    "answerer": Asking(
        "a reply a line, or JSON with id and answer",
        _questions,
        lambda path, asked, ids: read_answers(path, [" ".join(one[:2]) for one in asked], ids),
        _grouped(1),
    ),
    "morphological_segmenter": Asking(
        "a word a line, its morphemes between blanks",
        _of_columns("word"),
        read_morphemes,
        _grouped(1),
    ),
    "language_model": Asking(
        "JSON lines with text and tokens (start, end, log-probability), or with sums",
        _texts,
        lambda path, texts, ids: read_token_scores(path, texts),
        _likelihoods,
    ),
    "classifier": Asking(
        "P(positive) a line, or a table with id or text",
        _of_columns(*SENTENCES[:4]),
        read_probabilities,
        _grouped(4),
    ),
    "chooser": Asking("nothing: a model is asked", _choices, _not_read, _chosen),
}
