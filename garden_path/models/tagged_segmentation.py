"""Word segmentation by token classification: one tag per character, words begin at B and S."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from garden_path.models.checkpoints import Checkpoint, distinct_answers, load_checkpoint
from garden_path.models.system import Settings

BEGIN, INSIDE = frozenset("BS"), frozenset("MEI")


def load_tagged_segmenter(
    argument: str, settings: Settings
) -> tuple[Checkpoint, Callable[[Sequence[str]], list[list[str]]]]:
    """A model by name or folder, and its segmenting function.

    Raises:
        ValueError: The tags are not B M E S, B I E S or B I (with or without a type behind a
            hyphen), or the tokenizer gives no offsets.
    """
    import torch

    checkpoint = load_checkpoint(argument, settings, "AutoModelForTokenClassification")
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    if not tokenizer.is_fast:
        raise ValueError(
            f"{argument}: tokenizer, got {type(tokenizer).__name__}; expected a fast one, which"
            " tells characters' offsets"
        )
    is_begin = torch.tensor(begin_tags(argument, model.config.id2label), device=settings.device)

    def read(
        logits: Any, places: list[int], sentences: Sequence[str], encoded: Any
    ) -> list[list[str]]:
        begins = is_begin[logits.argmax(-1)].tolist()
        cuts = [  # what fills a batch up stands behind, so that no offset belongs to it
            begin_characters(encoded["offset_mapping"][i], row[: len(encoded["input_ids"][i])])
            for i, row in zip(places, begins, strict=True)
        ]
        return [split_at(sentences[i], one) for i, one in zip(places, cuts, strict=True)]

    def segment(sentences: Sequence[str]) -> list[list[str]]:
        return distinct_answers(
            checkpoint, sentences, read, most=settings.batch_size, return_offsets_mapping=True
        )

    return checkpoint, segment


def begin_tags(model_name: str, labels: dict[int, str]) -> list[bool]:
    """Whether each label begins a word.

    Raises:
        ValueError: A label is none of B, M, E, I and S.
    """
    flags = []
    for i in sorted(labels):
        tag = labels[i].split("-")[0].upper()
        if tag not in BEGIN | INSIDE:
            raise ValueError(
                f"{model_name}: label, got {labels[i]!r}; expected tags B, M, E, I or S: this model"
                " does not segment words"
            )
        flags.append(tag in BEGIN)
    return flags


def begin_characters(offsets: Sequence[Sequence[int]], begins: Sequence[bool]) -> set[int]:
    """Characters at which a word begins: those of tokens tagged so; special ones are empty."""
    return {
        start
        for (start, end), is_begin in zip(offsets, begins, strict=True)
        if is_begin and end > start
    }


def split_at(sentence: str, begins: set[int]) -> list[str]:
    """Words of a sentence that begin at these characters; the first character always begins one.

    Example:
        >>> split_at("留心机动", {0, 2})
        ['留心', '机动']
    """
    cuts = [*sorted(begins | {0}), len(sentence)]
    return [sentence[a:b] for a, b in itertools.pairwise(cuts)]
