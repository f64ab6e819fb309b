"""A model by name on a test of a suite: which test it fits, what it is asked, what it answers."""

import functools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, NamedTuple

from builders.suites import SuiteTest, named_tests
from garden_path.answers import KeptAnswers, asker, kept_in
from garden_path.models.registry import USERS
from garden_path.models.system import SHORT_DTYPES, SHORT_DTYPES_SAY
from ground.revisions import split_revision
from ground.tables import read_table

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

    Raises:
        ValueError: The limit is no whole number, or below 1.

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
