"""What a metric's `for_trainer` gives to transformers' Trainer: what to evaluate on, and how.

    scorer = evaluate.load("garden_path_accuracy").for_trainer(rows, tokenizer)
    Trainer(..., eval_dataset=scorer.dataset, compute_metrics=scorer)

Logits and label ids come in, one row per input in the order of `dataset`; our numbers go out. A
label id of -100 hides a position: special tokens, and all subwords of a word but its first, as
`run_ner.py` has them. Nothing is gathered here: Trainer has done that before it asks, so that two
processes give the number of one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .columns import FloatArray, IntArray

HIDDEN = -100
Compute = Callable[..., Any]
BMES = ("B", "M", "E", "S")
STARTS = ("B", "S")


class TrainerScores:
    """A `compute_metrics`: called with what Trainer predicted, it returns numbers by name.

    Attributes:
        dataset: What to evaluate on, tokenized, in the order in which it must be predicted; None
            where no tokenizer was given: then evaluate on inputs in the order of `inputs`.
        inputs: The inputs as plain rows, each with the `id` of its item.
    """

    def __init__(
        self,
        score: Callable[..., dict[str, Any]],
        read: Callable[[Any, Any], Any],
        inputs: Sequence[Mapping[str, Any]],
        dataset: Any = None,
    ) -> None:
        """Takes the metric's `compute`, what makes its predictions of logits and label ids."""
        self._score, self._read = score, read
        self.inputs, self.dataset = inputs, dataset

    def __call__(self, evaluation: Any) -> dict[str, float]:
        """Scores an `EvalPrediction`, or a pair of predictions and label ids.

        Raises:
            ValueError: There are more or fewer rows than inputs, or a row is cut off.
        """
        is_named = hasattr(evaluation, "predictions")
        given, labels = (evaluation.predictions, evaluation.label_ids) if is_named else evaluation
        n = len(given[0]) if isinstance(given, tuple) else len(given)
        if n != len(self.inputs):
            raise ValueError(
                f"for_trainer: predictions, got {n}; expected {len(self.inputs)}, one for each "
                "input in their order: evaluate on `dataset`"
            )
        return self._score(self._read(given, labels))


def first_array(given: Any) -> FloatArray:
    """The logits, where a model returns more than these."""
    return np.asarray(given[0] if isinstance(given, tuple | list) else given)


def positive_logits(given: Any) -> FloatArray:
    """Log-odds of the positive class of each row.

    They are the second of two logits minus the first, or the only one.

    Raises:
        ValueError: The rows have another number of logits.
    """
    logits = first_array(given).astype(np.float64).reshape(len(first_array(given)), -1)
    if logits.shape[1] > 2:
        raise ValueError(
            f"for_trainer: logits, got {logits.shape[1]} a row; expected 2, negative and positive, "
            "or one"
        )
    return logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]


def word_logits(given: Any, labels: Any, words: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
    """Logits of the words of each input: those of its first subword.

    Args:
        given: Logits of shape (inputs, positions, labels).
        labels: Label ids of shape (inputs, positions); -100 where a position is no first subword.
        words: The words of each input.

    Raises:
        ValueError: An input has fewer or more such positions than words.
    """
    shown = np.asarray(labels) != HIDDEN
    for i, (row, is_shown) in enumerate(zip(first_array(given), shown, strict=True)):
        found = row[: len(is_shown)][is_shown]
        if len(found) != len(words[i]):
            raise ValueError(
                f"for_trainer: input {i}: labelled positions, got {len(found)}; expected "
                f"{len(words[i])}, one for each of {''.join(words[i])[:40]!r}: is it cut off?"
            )
        yield found


def cut_words(characters: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Words of characters tagged B, M, E, S; a word begins at B and S, and after E and S.

    Example:
        >>> cut_words("醉心机动", "BEBE"), cut_words("醉心机动", "MEMM")
        (['醉心', '机动'], ['醉心', '机动'])
    """
    words: list[str] = []
    for i, (character, tag) in enumerate(zip(characters, tags, strict=True)):
        if i == 0 or tag in STARTS or tags[i - 1] in ("E", "S"):
            words.append("")
        words[-1] += character
    return words


def tags_of_words(words: Sequence[str]) -> list[str]:
    """The tags of a sentence's characters, from its words.

    Example:
        >>> "".join(tags_of_words(["他", "留心", "机动车"]))
        'SBEBME'
    """
    return [tag for w in words for tag in ("S" if len(w) == 1 else f"B{'M' * (len(w) - 2)}E")]


def token_dataset(tokenizer: Any, words: Sequence[Sequence[str]], labels: Sequence[Any]) -> Any:
    """Inputs of token classification as a `datasets.Dataset`, labels on first subwords.

    Args:
        tokenizer: A fast tokenizer.
        words: The words of each input.
        labels: A label id for each word.
    """
    encoded = tokenizer([list(row) for row in words], is_split_into_words=True, truncation=True)
    aligned = []
    for i, of_words in enumerate(labels):
        places = encoded.word_ids(batch_index=i)
        first = [p is not None and p not in places[:k] for k, p in enumerate(places)]
        aligned.append([of_words[p] if f else HIDDEN for p, f in zip(places, first, strict=True)])
    return row_dataset({**encoded, "labels": aligned})


def text_dataset(tokenizer: Any, texts: Sequence[str], labels: Sequence[Any]) -> Any:
    """Inputs of classification, or of generation where labels are texts, as a `Dataset`."""
    encoded = dict(tokenizer(list(texts), truncation=True))
    if labels and isinstance(labels[0], str):
        labels = tokenizer(list(labels), truncation=True)["input_ids"]
    return row_dataset({**encoded, "labels": list(labels)})


def generated_texts(tokenizer: Any, given: Any) -> list[str]:
    """Texts of generated token ids, -100 taken for padding."""
    ids: IntArray = np.asarray(given[0] if isinstance(given, tuple) else given)
    if ids.ndim != 2:
        raise ValueError(
            f"for_trainer: predictions, got {ids.ndim} dimensions; expected token ids: evaluate "
            "with predict_with_generate=True"
        )
    filled = np.where(ids == HIDDEN, tokenizer.pad_token_id, ids)
    return [text.strip() for text in tokenizer.batch_decode(filled, skip_special_tokens=True)]


def row_dataset(columns: Mapping[str, Any]) -> Any:
    """Columns as a `datasets.Dataset`."""
    import datasets  # brought by evaluate, whose modules alone ask for this

    return datasets.Dataset.from_dict(dict(columns))
