"""Answers of a model to the inputs of a test, kept in a file as they come.

Every distinct input is asked once, and its answer is on the disk before the next is asked for, so
that a run that was killed goes on where it was. A file belongs to one system: its name, version and
settings are the first line.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from garden_path.models.questions import Answer
from garden_path.models.system import System
from ground.hashes import make_key
from metrics._shared.language_models import TokenScores

VARIABLE = "GARDEN_PATH_ANSWERS"
AT_ONCE = 1024  # inputs that are handed over at once, where a system leaves that open
SECONDS = {True: 0.5, False: 30.0}  # between two signs of life, on a terminal and elsewhere
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

    def __len__(self) -> int:
        return len(self.found)

    def key(self, asked: Any) -> str:
        """Key of an input."""
        return make_key(input=asked)

    def ask(self, asked: Sequence[Any], ask: Ask) -> list[Any]:
        """Answers of inputs, those that are missing of the system, as they are ready.

        `ask` gives the place of each of some inputs with its answer.
        """
        asked_keys = list(map(self.key, asked))
        every = dict(zip(asked_keys, asked, strict=True))
        waiting = {key: one for key, one in every.items() if key not in self.found}
        keys, is_shown = list(waiting), sys.stderr.isatty()
        if n_stored := len(every) - len(keys):
            print(
                f"{self.about.get('system', '')}: {n_stored:,} of {len(every):,} answers are stored"
                f" from an earlier run, in {self.path} (delete it to ask again)",
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
    ask = WAYS.get(kind, _predicted)

    def in_batches(asked: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        order = sorted(range(len(asked)), key=lambda i: _order(kind, asked[i]))
        size = system.batch_size or AT_ONCE
        for start in range(0, len(order), size):
            places = order[start : start + size]
            yield from zip(places, ask(system, [asked[i] for i in places]), strict=True)

    return in_batches


def _order(kind: str, asked: Any) -> Any:
    shown = str(asked)
    return shown if kind == "language_model" else (-len(shown), shown)


def _predicted(system: Any, some: Sequence[Any]) -> Any:
    return system.predict(some)


def _trees(system: Any, clauses: Sequence[Any]) -> list[dict[str, Any]]:
    found = system.predict({"tokens": list(clauses)})
    names = ("tokens", "heads", "deprels")
    columns = [found[name] for name in names]
    return [dict(zip(names, tree, strict=True)) for tree in zip(*columns, strict=True)]


def _masked(system: Any, sentences: Sequence[str]) -> Any:
    """P(positive) of sentences; `[MASK]` is what the classifier reads in its place."""
    return system.predict([text.replace("[MASK]", system.mask_token) for text in sentences])


WAYS: Mapping[str, Callable[[Any, Sequence[Any]], Any]] = {"parser": _trees, "classifier": _masked}


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
