"""A user's own systems, one function per kind, and some that give what no kind takes."""

from collections.abc import Callable
from typing import Any

VALUE = 3


def segmenter(sentences: list[str]) -> list[list[str]]:
    return [list(sentence) for sentence in sentences]


def classifier(sentences: list[str]) -> list[float]:
    return [len(sentence) / 10 for sentence in sentences]


def parser(clauses: list[list[str]]) -> list[tuple[list[int], list[str]]]:
    """Every word hangs on the first."""
    return [([0] + [1] * (len(c) - 1), ["root"] + ["obj"] * (len(c) - 1)) for c in clauses]


def tiger(clauses: list[list[str]]) -> list[tuple[list[int], list[str]]]:
    return [([0] + [1] * (len(c) - 1), ["ROOT"] + ["sb"] * (len(c) - 1)) for c in clauses]


tiger.scheme = "tiger"  # type: ignore[attr-defined]


def answerer(questions: list[dict[str, Any]]) -> list[str]:
    return [f"<think>{asked['entity']}</think>{asked['question_type']}" for asked in questions]


def language_model(texts: list[str]) -> list[list[tuple[int, int, float]]]:
    return [[(0, len(text), -1.5 * len(text))] for text in texts]


def chooser(questions: list[dict[str, Any]]) -> list[list[int]]:
    """The shorter a choice, the better."""
    return [[-len(choice) for choice in asked["choices"]] for asked in questions]


def morphological_segmenter(training: Any, seed: int) -> Callable[[list[str]], list[list[str]]]:
    """Cuts off the endings that it has seen."""
    endings = tuple(sorted({morphemes[-1] for morphemes in training}))

    def cut(word: str) -> list[str]:
        ending = next((one for one in endings if word.endswith(one) and word != one), "")
        return [word.removesuffix(ending), ending] if ending else [word]

    return lambda words: list(map(cut, words))


def nothing(batch: Any, seed: int = 0) -> None:
    return None


def too_few(batch: Any) -> list[Any]:
    return []


def wrong(batch: Any) -> list[int]:
    return [7 for _ in batch]
