"""A model by name on a test of a suite: which test it fits, what it is asked, what it answers."""

import functools
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from builders.suites import SuiteTest, named_tests
from garden_path.models.questions import Answer
from garden_path.models.registry import USERS
from garden_path.models.system import SHORT_DTYPES, SHORT_DTYPES_SAY, System
from ground.hashes import make_key
from ground.revisions import split_revision
from ground.tables import read_table
from metrics._shared.language_models import TokenScores

VARIABLE = "GARDEN_PATH_ANSWERS"
AT_ONCE = 1024  # inputs that are handed over at once, where a system leaves that open
SECONDS = {True: 0.5, False: 30.0}  # between two signs of life, on a terminal and elsewhere
RATES = Path(__file__).parent / "models" / "data" / "rates.tsv"
TOGETHER = ("pair_id", "item_id", "cluster")  # rows that are alike in one of these stay together
KINDS = {
    "ForTokenClassification": ("segmenter",),
    "ForSequenceClassification": ("classifier",),
    "ForMaskedLM": ("language_model",),
    "": ("answerer", "language_model"),
}
"""Kinds of systems that a model of transformers can be, by how its architecture's name ends."""


@dataclass(frozen=True)
class Rate:
    """Inputs of a suite that a system of a kind reads in a second of one core, as measured."""

    suite: str
    kind: str
    system: str
    rate: float


@functools.cache
def rates() -> tuple[Rate, ...]:
    """Measured rates; one system of each kind stands for it."""
    return tuple(read_table(RATES, Rate)) if RATES.is_file() else ()


class ModelAnswers(NamedTuple):
    """What a model said to each input, what is told of the run, and a parser's scheme."""

    answers: list[Any]
    version: str
    told: tuple[str, ...]
    scheme: str | None = None


def fitting_test(
    suite: str, config: str, model: str, settings: Mapping[str, Any], kind: str = ""
) -> SuiteTest:
    """The test of a config and kind ("" for any) that a model fits, of several the first."""
    named = named_tests(suite, config, kind)
    kinds = kinds_of(model, settings)
    if fits := [test for test in named if test.kind in kinds]:
        return min(fits, key=lambda test: kinds[test.kind])
    known = ", ".join(dict.fromkeys(name for test in named for name in USERS.known(test.kind)))
    raise ValueError(f"{suite}: model, got {model!r}; expected one of {known}")


def kinds_of(model: str, settings: Mapping[str, Any]) -> dict[str, int]:
    """Kinds that a model can be, each with its rank; of equal rank the suite's order decides."""
    name, _, argument = model.partition(":")
    able = {kind: 0 for kind in USERS.kinds() if name == "python" or name in USERS.loaders(kind)}
    if name != "transformers":
        return able
    from metrics._shared.language_models import architecture_of

    place, revision = split_revision(argument, settings.get("revision"))
    architecture = architecture_of(place, revision)
    found = next(kinds for end, kinds in KINDS.items() if architecture.endswith(end))
    if "answerer" in found:
        import transformers

        tokenizer = transformers.AutoTokenizer.from_pretrained(place, revision=revision)
        found = found if tokenizer.chat_template else found[::-1]  # one that does not chat
    return {kind: rank for rank, kind in enumerate(found)}


def sampled(
    rows: Sequence[Mapping[str, Any]], limit: int | None, seed: int = 0
) -> list[Mapping[str, Any]]:
    """A sample of `limit` rows at least, in their order, members of a pair together; None for all.

    A ValueError for a limit that is no whole number, or below 1.

    Example:
        >>> [row["id"] for row in sampled([{"pair_id": i // 2, "id": i} for i in range(8)], 3)]
        [0, 1, 4, 5]
    """
    if limit is not None and (not isinstance(limit, Integral) or limit < 1):
        raise ValueError(f"limit, got {limit!r}; expected a whole number of rows from 1 on")
    if limit is None or limit >= len(rows):
        return list(rows)
    name = next((one for one in TOGETHER if one in rows[0]), None)
    groups: dict[Any, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(place if name is None else row[name], []).append(place)
    order = list(groups)
    random.Random(seed).shuffle(order)
    chosen: list[int] = []
    for group in order:
        chosen += groups[group] if len(chosen) < limit else ()
    return [rows[place] for place in sorted(chosen)]


def ask_model(
    kind: str,
    model: str,
    inputs: Sequence[Any],
    *,
    kept: Path | None = None,
    settings: Mapping[str, Any],
) -> ModelAnswers:
    """What a model, `KIND:NAME`, answers; what is kept in a file is not asked again.

    The file is by default one in the user's cache. A ValueError where there is no such system or
    setting, or the file is another's.
    """
    system = USERS.load(kind, model, **settings)
    about = {"system": model, "version": system.version}
    answers = KeptAnswers(kept or kept_in(kind, about), kind, about)
    short = [one for one in SHORT_DTYPES if one in system.version][:1]
    told = tuple(f"{model} ran in {one}, {SHORT_DTYPES_SAY}" for one in short)
    found = answers.ask(inputs, asker(kind, system))
    return ModelAnswers(found, system.version, told, getattr(system, "scheme", None))


READ: Mapping[str, Callable[[Any], Any]] = {
    "answerer": lambda value: Answer(*value),
    "chooser": np.array,
    "language_model": lambda value: TokenScores(*map(np.array, value)),
}
"""What makes an answer of its JSON again; other kinds have lists and numbers."""
Ask = Callable[[Sequence[Any]], Iterator[tuple[int, Any]]]


class KeptAnswers:
    """The answers of one system, in a file that is made where there is none.

    `about` is what they depend on beside the input; a ValueError where the file is another's.
    """

    def __init__(self, path: Path, kind: str, about: Mapping[str, str]) -> None:
        self.path, self.kind, self.about = path, kind, dict(about)
        self.found: dict[str, Any] = {}
        if path.is_file():
            self._read()

    def ask(self, asked: Sequence[Any], ask: Ask) -> list[Any]:
        """Answers of inputs, those that are missing of the system, as they are ready.

        `ask` gives the place of each of some inputs with its answer.
        """
        asked_keys = [make_key(input=one) for one in asked]
        every = dict(zip(asked_keys, asked, strict=True))
        waiting = {key: one for key, one in every.items() if key not in self.found}
        keys, is_shown = list(waiting), sys.stderr.isatty()
        if n_stored := len(every) - len(keys):
            print(
                f"{self.about.get('system', '')}: {n_stored:,} of {len(every):,} answers were"
                f" stored before, in {self.path} (delete it to ask again)",
                file=sys.stderr,
            )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with (
            self.path.open("ab") as file,
            _bar(
                total=len(every),
                initial=len(every) - len(keys),
                desc=self.about.get("system", ""),
                unit=" inputs",
                mininterval=SECONDS[is_shown],
                disable=not keys,
            ) as bar,
        ):
            if file.tell() == 0 and keys:
                file.write(_line(self.about | {"kind": self.kind}))
            for place, answer in ask(list(waiting.values())):
                plain = _plain(answer)
                file.write(_line({"input": keys[place], "answer": plain}))
                file.flush()
                self.found[keys[place]] = plain
                bar.update()
        make = READ.get(self.kind, lambda value: value)
        return [make(self.found[key]) for key in asked_keys]

    def _read(self) -> None:
        *lines, torn = self.path.read_bytes().split(b"\n")
        own = self.about | {"kind": self.kind}
        if lines or not _line(own).startswith(torn):
            self._take(lines or [torn], own)
        if torn:  # of a write that was cut off, in a file that is ours
            os.truncate(self.path, self.path.stat().st_size - len(torn))

    def _take(self, lines: Sequence[bytes], own: Mapping[str, str]) -> None:
        """Takes the answers of a file with this system's head."""
        try:
            head, *records = map(json.loads, lines)
            self.found = {one["input"]: one["answer"] for one in records}
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(
                f"{self.path}: answers, got {error}; expected a file that this command wrote"
            ) from error
        if head != own:
            got, wanted = (json.dumps(one, ensure_ascii=False) for one in (head, own))
            raise ValueError(
                f"{self.path}: answers, got those of {got}; expected those of {wanted}, or another"
                " file"
            )


def kept_in(kind: str, about: Mapping[str, str]) -> Path:
    """The file of a system where none is named: in GARDEN_PATH_ANSWERS, or the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get(VARIABLE) or Path(cache) / "garden-path" / "answers")
    name = "".join(c if c.isalnum() else "-" for c in about["system"])[-60:].strip("-")
    return folder / f"{name}-{make_key(kind=kind, **about)[:12]}.jsonl"


def asker(kind: str, system: System) -> Ask:
    """How a system of a kind is asked: what it says comes as it is ready.

    Inputs of like length, or texts that begin alike, are handed over together.
    """
    if kind == "answerer":
        stream: Ask = system.stream  # type: ignore[attr-defined]
        return stream
    way: Way = WAYS.get(kind, lambda system, some: system.predict(some))

    def in_batches(asked: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        shown = list(map(str, asked))
        order = sorted(range(len(asked)), key=shown.__getitem__)
        if kind != "language_model":
            order.sort(key=lambda i: -len(shown[i]))
        size = system.batch_size or AT_ONCE
        for start in range(0, len(order), size):
            places = order[start : start + size]
            yield from zip(places, way(system, [asked[i] for i in places]), strict=True)

    return in_batches


def _trees(system: Any, clauses: Sequence[Any]) -> list[dict[str, Any]]:
    found = system.predict({"tokens": list(clauses)})
    names = ("tokens", "heads", "deprels")
    columns = [found[name] for name in names]
    return [dict(zip(names, tree, strict=True)) for tree in zip(*columns, strict=True)]


def _masked(system: Any, sentences: Sequence[str]) -> Any:
    """P(positive) of sentences; `[MASK]` is what the classifier reads in its place."""
    return system.predict([text.replace("[MASK]", system.mask_token) for text in sentences])


Way = Callable[[Any, Sequence[Any]], Any]
WAYS: Mapping[str, Way] = {"parser": _trees, "classifier": _masked}


def _line(record: Mapping[str, Any]) -> bytes:
    return f"{json.dumps(record, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    if isinstance(value, TokenScores):
        return [value.starts.tolist(), value.ends.tolist(), value.log_probabilities.tolist()]
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _bar(**options: Any) -> Any:
    """A progress bar; nothing is shown where tqdm is not installed."""
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return nullcontext(SimpleNamespace(update=lambda: None))
    return tqdm(**options)
