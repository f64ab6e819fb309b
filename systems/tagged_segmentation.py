"""Word segmentation by a token classification model of transformers: one tag per character, words begin at B and S."""

import itertools
from collections.abc import Callable, Sequence

BEGIN, INSIDE = frozenset("BS"), frozenset("MEI")


def load_tagger(
    model_name: str, *, device: str = "cpu", dtype: str = "float32"
) -> Callable[[Sequence[str]], list[list[str]]]:
    """Loads a model by name or path and gives its segmenting function.

    Raises:
        ValueError: The tags are not B M E S, B I E S or B I (with or without a type behind a
            hyphen), or the tokenizer gives no offsets.
    """
    import torch
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model_name)
    if not tokenizer.is_fast:
        raise ValueError(
            f"{model_name}: tokenizer, got {type(tokenizer).__name__}; expected a fast one, which tells characters' offsets"
        )
    model = (
        AutoModelForTokenClassification.from_pretrained(model_name, dtype=getattr(torch, dtype))
        .to(device)
        .eval()
    )
    is_begin = torch.tensor(begin_tags(model_name, model.config.id2label), device=device)

    def segment(sentences: Sequence[str]) -> list[list[str]]:
        batch = tokenizer(
            list(sentences), padding=True, return_offsets_mapping=True, return_tensors="pt"
        )
        offsets = batch.pop("offset_mapping").tolist()
        with torch.inference_mode():
            begins = is_begin[model(**batch.to(device)).logits.argmax(-1)].tolist()
        return [
            split_at(sentence, begin_characters(*pair))
            for sentence, *pair in zip(sentences, offsets, begins, strict=True)
        ]

    return segment


def begin_tags(model_name: str, labels: dict[int, str]) -> list[bool]:
    """Says of each label whether it begins a word.

    Raises:
        ValueError: A label is none of B, M, E, I and S.
    """
    flags = []
    for i in sorted(labels):
        tag = labels[i].split("-")[0].upper()
        if tag not in BEGIN | INSIDE:
            raise ValueError(
                f"{model_name}: label, got {labels[i]!r}; expected tags B, M, E, I or S: this model does not segment words"
            )
        flags.append(tag in BEGIN)
    return flags


def begin_characters(offsets: Sequence[Sequence[int]], begins: Sequence[bool]) -> set[int]:
    """Gives the characters at which a word begins: those of tokens tagged so; special tokens are empty and count for nothing."""
    return {
        start
        for (start, end), is_begin in zip(offsets, begins, strict=True)
        if is_begin and end > start
    }


def split_at(sentence: str, begins: set[int]) -> list[str]:
    """Gives the words of a sentence that begin at these characters; the first character always begins one.

    Example:
        >>> split_at("留心机动", {0, 2})
        ['留心', '机动']
    """
    cuts = [*sorted(begins | {0}), len(sentence)]
    return [sentence[a:b] for a, b in itertools.pairwise(cuts)]
