"""What the task files of this folder call: rows in, items, and the numbers of a task.

    lm_eval run --include_path integrations/lm_eval --tasks garden_path_sorts_pairs
        --metadata '{"hub": "NAMESPACE"}'

lm-eval loads this file by its place: the repository need not be installed.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))

import datasets

from integrations import scores, suites
from integrations.scores import Collected, Numbers

Docs = Mapping[str, datasets.Dataset]
SPLIT = "test"


def load_scored(
    suite: str,
    config: str,
    measure: str,
    where: Mapping[str, Any] | None = None,
    hub: str = "",
    pretrained: str = "",
    tokenizer: str = "",
    **_: Any,
) -> Docs:
    """Rows of a config for language models, with what lm-eval asks a model about each.

    `where` are values by column, `pretrained` and `tokenizer` what lm-eval hands on: without both
    nothing is known of tokens.
    """
    rows = suites.scored(suite, config, measure, hub, where)
    if "choices" in rows[0] and (name := tokenizer or pretrained):
        from transformers import AutoTokenizer

        model = AutoTokenizer.from_pretrained(name)
        rows = [row | {"n_tokens": suites.token_counts(row, model)} for row in rows]
    return {SPLIT: datasets.Dataset.from_list(rows)}


def load_asked(suite: str, hub: str = "", where: Mapping[str, Any] | None = None, **_: Any) -> Docs:
    """Rows of a suite that are prompts; arguments as of `load_scored`."""
    return {SPLIT: datasets.Dataset.from_list(suites.those(suites.asked(suite, hub), where))}


class Scoring:
    """What a task file calls of a function of `scores`: items of rows, numbers of items."""

    def __init__(self, score: Callable[[Sequence[Collected]], Numbers], *names: str) -> None:
        self.score = score
        self.names = names
        self._last: tuple[list[Collected], Numbers] = ([], {})

    def items(self, doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Collected]:
        """The item of a row, once for each number."""
        reply = results[0] if isinstance(results[0], str) else ""
        values = () if isinstance(results[0], str) else tuple(value for value, _ in results)
        return dict.fromkeys(self.names, Collected(doc, values, reply))

    def number(self, name: str) -> Callable[[Sequence[Collected]], float]:
        """The function that sums up items as one number; all numbers are computed once."""

        def aggregate(items: Sequence[Collected]) -> float:
            if list(map(id, items)) != list(map(id, self._last[0])):
                self._last = list(items), self.score(items)
            return self._last[1][name]

        return aggregate


def _ends(headline: str) -> list[str]:
    """A headline with its standard error and the ends of its interval."""
    return [f"{headline}{end}" for end in ("", "_stderr", "_low", "_high")]


SCORINGS = {
    "preference": Scoring(scores.preference, *_ends("accuracy"), "effect", "effect_p"),
    "choice": Scoring(scores.choice, *_ends("accuracy"), "accuracy_per_character", "chance"),
    "core_accuracy": Scoring(scores.core_accuracy, *_ends("accuracy_core"), "unreadable"),
    "pair_accuracy": Scoring(scores.pair_accuracy, *_ends("pair_accuracy"), "chance", "unreadable"),
    "topology_pairs": Scoring(
        scores.topology_pairs, *_ends("pair_accuracy"), "chance", "unreadable"
    ),
    "right_choices": Scoring(scores.right_choices, *_ends("accuracy"), "unreadable"),
    "morpheme_f1": Scoring(scores.morpheme_f1, "f1", "f1_low", "f1_high", "unreadable"),
}


def __getattr__(name: str) -> Any:
    """What task files call: `preference_items`, `preference__effect`, and so on."""
    scoring, _, number = name.partition("__")
    if scoring in SCORINGS and number in SCORINGS[scoring].names:
        return SCORINGS[scoring].number(number)
    scoring = name.removesuffix("_items")
    if scoring != name and scoring in SCORINGS:
        return SCORINGS[scoring].items
    raise AttributeError(f"{__file__}: function, got {name!r}; expected of {', '.join(SCORINGS)}")
